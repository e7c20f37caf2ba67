import AttackSupport
import VaultAdministration
import Glibc
import SealedTree
import SecureMemory
import TestSupport
import VaultCrypto
import VaultModel
import VaultStore

/// Uses vaults of authentic seals and odd content as programs would, one after another.
///
/// Arguments: `from`, `count`, `step` (seeds), `folder`, `key`. Prints `seed N` before each, `wrong
/// N …` for forbidden results, and `over R F` with how often everything was right and how often
/// something was refused.
func reseal(_ arguments: Arguments) throws {
  let template = try Resealed.Template()
  var (right, refused) = (0, 0)
  let (first, step) = (arguments.number("from"), arguments.number("step", default: 1))
  for seed in stride(from: first, to: first + arguments.number("count") * step, by: step) {
    say("seed \(seed)")
    // A vault that is not finished by then never will be, however loaded the machine is.
    alarm(300)
    let vault = Resealed(seed: UInt64(seed), template)
    var user = ResealedUser(
      vault, path: "\(arguments["folder"])/v", key: .keyFile(arguments["key"]))
    try vault.write(to: user.path, template)
    user.use()
    if user.isRefused { refused += 1 } else { right += 1 }
    for what in user.wrong { say("wrong \(seed) \(what); faults: \(vault.faults)") }
    user.removeFiles()
  }
  say("over \(right) \(refused)")
}

/// A user that performs every operation on a vault, and notes forbidden results.
private struct ResealedUser {
  let path: String
  let key: KeySource
  let vault: Resealed
  var random: SplitMix
  private(set) var wrong: [String] = []
  private(set) var isRefused = false
  /// The secrets that may be returned for an item.
  private var secrets: [ItemID: Set<[UInt8]>]
  /// The secrets written to copies with ids of their own.
  private var copied: Set<[UInt8]> = []
  /// The items that were written, and must be found.
  private var written: [Item] = []

  init(_ vault: Resealed, path: String, key: KeySource) {
    (self.vault, self.path, self.key) = (vault, path, key)
    random = SplitMix(seed: vault.seed)
    secrets = vault.secrets
  }

  private var copy: String { path + ".copy" }
  private var salvaged: String { path + ".salvaged" }

  func removeFiles() {
    for file in [path, copy, salvaged] { unsafe unlink(file) }
  }

  // MARK: Judging

  /// Runs an operation; any error but these that mean a fault of the library is an answer.
  @discardableResult
  private mutating func attempt<R>(
    _ what: String, _ body: (inout Self) throws(VaultError) -> R
  ) -> R? {
    do throws(VaultError) {
      return try body(&self)
    } catch {
      isRefused = true
      let faults: Set<VaultError.Code> = [
        .internalError, .outcomeUnknown, .inputOutput, .busy, .outOfMemory, .rolledBack, .forked,
      ]
      if faults.contains(error.code) { wrong.append("\(what): \(error)") }
      return nil
    }
  }

  private mutating func judge(_ items: [Item], _ what: String) {
    for item in items {
      let secrets = [item.secret, item.refreshToken, item.oneTimePasswordKey].compactMap { $0 }
      for secret in secrets where secret.count > 0 {
        let bytes = secret.array
        // A copy with an id of its own has the token of its original.
        let isToken = bytes.starts(with: Array("token ".utf8))
        if !isToken, !isKnown(bytes, of: item.id) {
          wrong.append("\(what): a wrong secret for \(item.id)")
        }
      }
    }
  }

  private mutating func judge(_ history: [PreviousSecret], _ what: String) {
    for previous in history {
      guard let secret = previous.secret, secret.count > 0 else { continue }
      let bytes = secret.array
      if !isKnown(bytes, of: previous.id.item) {
        wrong.append("\(what): a wrong previous secret for \(previous.id.item)")
      }
    }
  }

  /// Returns whether a secret may be that of an item; one that was moved or restored has an id of
  /// its own.
  private func isKnown(_ secret: [UInt8], of item: ItemID) -> Bool {
    guard let known = secrets[item] else {
      return copied.contains(secret) || secrets.values.contains { $0.contains(secret) }
    }
    return known.contains(secret)
  }

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  // MARK: Using

  mutating func use() {
    if chance(4) {
      attempt("salvage") { (user) throws(VaultError) in try user.salvage() }
    }
    if chance(6) {
      attempt("diagnose") { (user) throws(VaultError) in
        _ = try VaultMaintenance.diagnose(path: user.path, key: user.key)
      }
    }
    let opened = attempt("open") { (user) throws(VaultError) in
      try Vault.open(path: user.path, key: user.key, minimumCost: .minimum)
    }
    guard let opened else { return }
    read(opened)
    for _ in 0..<4 { write(opened) }
    check(opened, "after writing")
    attempt("verify") { (_) throws(VaultError) in _ = try opened.maintenance.verify() }
    if chance(5) { copies(opened) }
    if chance(4) { rekey(opened) }
    attempt("close") { (_) throws(VaultError) in try opened.close() }
    attempt("open again") { (user) throws(VaultError) in
      let again = try Vault.open(path: user.path, key: user.key, minimumCost: .minimum)
      user.check(again, "opened again")
      try again.close()
    }
  }

  private mutating func read(_ opened: Vault) {
    let all = attempt("findAll") { (_) throws(VaultError) in
      try opened.findAll(ItemQuery(), withSecrets: true)
    }
    judge(all ?? [], "findAll")
    attempt("count") { (_) throws(VaultError) in _ = try opened.count(ItemQuery()) }
    attempt("information") { (_) throws(VaultError) in _ = try opened.maintenance.information() }
    attempt("slots") { (_) throws(VaultError) in _ = try opened.keys.slots() }
    attempt("policy") { (_) throws(VaultError) in _ = try opened.policy.current() }
    attempt("defaults") { (_) throws(VaultError) in _ = try opened.defaults() }
    attempt("trash") { (_) throws(VaultError) in _ = try opened.trash.items() }
    attempt("expired") { (_) throws(VaultError) in _ = try opened.maintenance.expired() }
    attempt("check policy") { (_) throws(VaultError) in _ = try opened.policy.excesses() }
    attempt("all credentials") { (_) throws(VaultError) in _ = try opened.allCredentials() }
    for key in vault.itemKeys.prefix(3) + vault.itemKeys.suffix(2) {
      let found = attempt("find") { (_) throws(VaultError) in
        try opened.findAll(ItemQuery(key: key), withSecrets: true)
      }
      judge(found ?? [], "find")
      for item in found ?? [] {
        if item.key != key { wrong.append("find gave another key") }
        let history = attempt("history") { (_) throws(VaultError) in
          try opened.history.entries(of: item, withSecrets: true)
        }
        judge(history ?? [], "history")
      }
    }
    for host in ["a.example", "heavy.example", "host.example.org"] {
      attempt("space") { (user) throws(VaultError) in
        let space = try ProtectionSpace(host: host, authenticationMethod: .basic)
        _ = try opened.credentials(for: space)
        _ = try opened.defaultItem(for: space, withSecrets: true)
      }
    }
  }

  private mutating func anItem(_ opened: Vault) throws(VaultError) -> Item {
    var all = try opened.findAll(ItemQuery())
    guard !all.isEmpty else { throw VaultError(.itemNotFound, "there is none") }
    return all.remove(at: Int.random(in: all.indices, using: &random))
  }

  /// Records an item's new secret, which must be there afterwards if it was stored permanently.
  private mutating func know(_ item: Item, _ secret: [UInt8], isNew: Bool = true) {
    // The history of a copy with an id of its own is unknown.
    if isNew || secrets[item.id] != nil {
      secrets[item.id, default: []].insert(secret)
    } else {
      copied.insert(secret)
    }
    written.removeAll { $0.id == item.id || $0.key == item.key }
    guard item.persistence == .permanent else { return }
    var item = item
    item.secret = Secret(secret)
    written.append(item)
  }

  private mutating func write(_ opened: Vault) {
    let bytes = Array("written \(random.next())".utf8)
    let long = bytes + [UInt8](repeating: 0x61, count: 1500)
    switch Int.random(in: 0..<16, using: &random) {
    case 0, 1:
      let secret = chance(3) ? long : bytes
      let host = ["new.example", "heavy.example", "a.example"].randomElement(using: &random) ?? ""
      attempt("add") { (user) throws(VaultError) in
        let stored = try opened.add(
          Item(
            server: HostName(canonical: host), account: "new \(user.random.next())",
            secret: Secret(secret)))
        user.know(stored.item, secret)
      }
    case 2, 3:
      let secret = chance(4) ? long : bytes
      attempt("modify") { (user) throws(VaultError) in
        let item = try user.anItem(opened)
        let stored = try opened.modify(item, [.secret(Secret(secret)), .comment("changed")])
        user.know(stored.item, secret, isNew: false)
      }
    case 4:
      attempt("rename") { (user) throws(VaultError) in
        let item = try user.anItem(opened)
        let stored = try opened.modify(
          item, [.account("renamed"), .server(HostName(canonical: "renamed.example"))])
        user.written.removeAll { $0.id == item.id || $0.key == stored.item.key }
      }
    case 5:
      attempt("delete") { (user) throws(VaultError) in
        let item = try user.anItem(opened)
        try opened.remove(item)
        user.written.removeAll { $0.id == item.id || $0.key == item.key }
      }
    case 6:
      attempt("many") { (user) throws(VaultError) in
        for _ in 0..<5 {
          let secret = Array("one of many \(user.random.next())".utf8)
          let stored = try opened.add(
            Item(
              server: HostName(canonical: "many.example"), account: "\(user.random.next())",
              secret: Secret(secret)))
          user.know(stored.item, secret)
        }
      }
    case 7:
      attempt("default") { (_) throws(VaultError) in
        try opened.setDefaultUser("ann", for: ProtectionSpace(host: "a.example"))
      }
    case 8:
      attempt("rules") { (_) throws(VaultError) in
        try opened.policy.change { (rules) throws(VaultError) in
          if rules.count > 2 { rules.removeFirst() }
          var rule = PersistencePolicy.Rule(name: "new \(rules.count)")
          rule.lifetime = .seconds(9_000_000_000)
          rules.append(rule)
        }
      }
    case 9:
      attempt("purge") { (user) throws(VaultError) in
        try opened.maintenance.purge()
        user.written = []
      }
    case 10:
      attempt("apply policy") { (user) throws(VaultError) in
        try opened.policy.apply()
        user.written = []
      }
    case 11:
      attempt("bring back") { (user) throws(VaultError) in
        guard let removed = try opened.trash.items().randomElement(using: &user.random) else {
          return
        }
        user.written = []
        try opened.trash.restore(removed)
      }
    case 12:
      attempt("empty the trash") { (_) throws(VaultError) in _ = try opened.trash.empty() }
    case 13:
      attempt("days of the trash") { (user) throws(VaultError) in
        try opened.trash.setDays(user.chance(2) ? 0 : 365)
      }
    case 14:
      attempt("revert") { (user) throws(VaultError) in
        let item = try user.anItem(opened)
        user.written.removeAll { $0.id == item.id || $0.key == item.key }
        _ = try opened.history.revert(item)
      }
    default:
      attempt("history limit") { (user) throws(VaultError) in
        try opened.history.setLimit(user.chance(2) ? 1 : 30)
      }
    }
  }

  /// Checks that written items are there, and that none has a wrong secret.
  private mutating func check(_ opened: Vault, _ what: String) {
    let all = attempt(what) { (_) throws(VaultError) in
      try opened.findAll(ItemQuery(), withSecrets: true)
    }
    guard let all else { return }
    judge(all, what)
    for item in written {
      let found = all.filter { $0.key == item.key && $0.id == item.id }
      if !found.contains(where: { $0.secret == nil || $0.secret?.array == item.secret?.array }) {
        wrong.append("\(what): what was written is not there: \(item.key.account)")
      }
    }
  }

  // MARK: Entry point

  private mutating func copies(_ opened: Vault) {
    let copy = copy
    let isWritten = attempt("backup") { (_) throws(VaultError) in
      try opened.maintenance.backup(to: copy)
    }
    guard isWritten != nil else { return }
    attempt("check") { (user) throws(VaultError) in
      _ = try VaultMaintenance.check(backup: copy, against: user.path, key: user.key)
    }
    attempt("restore item") { (user) throws(VaultError) in
      let item = try user.anItem(opened)
      user.written.removeAll { $0.id == item.id || $0.key == item.key }
      _ = try opened.maintenance.restoreItem(item.id, from: copy)
    }
    attempt("restore") { (user) throws(VaultError) in
      user.written = []
      let report = try VaultMaintenance.restore(from: copy, to: user.path, key: user.key)
      if let kept = report.keptPath { unsafe unlink(kept) }
    }
  }

  private mutating func rekey(_ opened: Vault) {
    let before = attempt("list") { (_) throws(VaultError) in
      try opened.findAll(ItemQuery(), withSecrets: true)
    }
    let key = key
    let isDone = attempt("rekey") { (_) throws(VaultError) in
      try opened.keys.changeKey(
        keeping: [key], cost: .minimum, otherSlot: { (_) throws(VaultError) in nil })
    }
    guard isDone != nil else { return }
    let after = attempt("list after rekey") { (_) throws(VaultError) in
      try opened.findAll(ItemQuery(), withSecrets: true)
    }
    if let before, ItemBytes(after ?? [], withSecrets: true) != ItemBytes(before, withSecrets: true)
    {
      wrong.append("rekey changed what is there")
    }
  }

  private mutating func salvage() throws(VaultError) {
    let report = try VaultMaintenance.salvage(path: path, to: salvaged, key: key, cost: .minimum)
    let saved = try Vault.open(path: salvaged, key: key, minimumCost: .minimum)
    let items = try saved.findAll(ItemQuery(), withSecrets: true)
    judge(items, "salvage")
    if items.count != report.itemCount { wrong.append("salvage counts \(report.itemCount) items") }
    try saved.close()
  }
}
