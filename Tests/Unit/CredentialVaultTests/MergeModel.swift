import AttackSupport
import VaultAdministration
import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultStore
import VaultModel

/// Copies of one vault that are changed and merged at random, and a model that knows which states
/// of an item each copy has seen.
struct MergeModel {
  /// A copy, with the states that it has and those that it has seen, by their numbers.
  private struct Copy {
    let fixture: VaultFixture
    var current: [String: Int] = [:]
    var seen: [String: Set<Int>] = [:]

    mutating func set(_ account: String, _ number: Int) {
      current[account] = number
      seen[account, default: []].insert(number)
    }
  }

  private var copies: [Copy]
  private var states: [(secret: String, label: String)?] = []
  private var random: SplitMix
  /// Whether a removed item may be restored, which needs no proof that it had been removed apart.
  private let restores: Bool
  /// The conflicts that a merge reported though only one copy had changed the item.
  private(set) var needlessConflicts = 0
  private(set) var conflicts = 0
  private(set) var merges = 0

  init(copies count: Int, restores: Bool, seed: Int) throws {
    StateFolder.useOwn()
    self.restores = restores
    random = SplitMix(seed: UInt64(seed))
    copies = [Copy(fixture: try VaultFixture())]
    try copies[0].fixture.withStore { (store) throws(VaultError) in
      try store.setHistoryLimit(100)
    }
    for _ in 0..<4 { try add(to: 0) }
    for _ in 1..<count {
      var copy = Copy(fixture: try VaultFixture(copying: copies[0].fixture))
      (copy.current, copy.seen) = (copies[0].current, copies[0].seen)
      copies.append(copy)
    }
  }

  // MARK: Changes

  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      let copy = Int.random(in: copies.indices, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0: try add(to: copy)
      case 1..<4: try change(copy) { .secret(Secret("secret \($0)")) }
      case 4..<6: try change(copy) { .label("label \($0)") }
      case 6: try remove(from: copy)
      case 7 where restores: try restore(in: copy)
      default:
        let other = (copy + Int.random(in: 1..<copies.count, using: &random)) % copies.count
        try merge(other, into: copy)
      }
    }
    for copy in copies { #expect(try copy.fixture.problems() == []) }
  }

  private mutating func add(to copy: Int) throws {
    let number = states.count
    let item = Item(
      server: HostName(canonical: "example.com"), account: "item \(number)",
      secret: Secret("secret \(number)"))
    let added = try copies[copy].fixture.withStore { (store) throws(VaultError) in
      try store.add(item)
    }
    states.append(("secret \(number)", added.label))
    copies[copy].set(item.account, number)
  }

  /// Changes an item that the copy has; returns without a change if it has none.
  private mutating func change(_ copy: Int, _ change: (Int) -> ItemChange) throws {
    guard let (account, old) = randomItem(of: copy) else { return }
    let number = states.count
    let change = change(number)
    states.append(
      change.attribute == .secret
        ? ("secret \(number)", old.label) : (old.secret, "label \(number)"))
    try copies[copy].fixture.withStore { (store) throws(VaultError) in
      let item = try store.named(account)
      _ = try store.modify(item.id, hint: item.key, [change])
    }
    copies[copy].set(account, number)
  }

  private mutating func remove(from copy: Int) throws {
    guard let (account, _) = randomItem(of: copy) else { return }
    try copies[copy].fixture.withStore { (store) throws(VaultError) in
      let item = try store.named(account)
      try store.remove(item.id, hint: item.key)
    }
    copies[copy].set(account, states.count)
    states.append(nil)
  }

  private mutating func restore(in copy: Int) throws {
    let live = try copies[copy].fixture.items()
    let restored = try copies[copy].fixture.withStore { (store) throws(VaultError) in
      guard
        let removed = try store.trash(.everything)
          .filter({ live[$0.item.account] == nil })
          .min(by: { ($0.item.account, $1.id.removed) < ($1.item.account, $0.id.removed) })
      else { return String?.none }
      try store.write { (transaction) throws(VaultError) in
        _ = try transaction.restore(removed, until: nil)
      }
      return removed.item.account
    }
    guard let restored else { return }
    copies[copy].set(restored, states.count)
    states.append(try copies[copy].fixture.items()[restored])
  }

  private mutating func randomItem(
    of copy: Int
  ) -> (account: String, state: (secret: String, label: String))? {
    let live = copies[copy].current.sorted { $0.key < $1.key }.compactMap { account, number in
      states[number].map { (account, $0) }
    }
    return live.randomElement(using: &random)
  }

  // MARK: Merging

  private mutating func merge(_ other: Int, into copy: Int) throws {
    let (ours, theirs) = (copies[copy], copies[other])
    let secrets = try ours.fixture.secrets().union(theirs.fixture.secrets())
    let source = ours.fixture.folder("other-\(merges)")
    try File.write(File.read(theirs.fixture.vault), to: source)
    let seed = random.next()
    let vault = try Vault.openLocked(path: ours.fixture.vault)
    let report = try vault.maintenance.merge(
      source, key: .keyFile(ours.fixture.folder("key")), otherKey: nil, preferring: nil,
      dryRun: false, lockTimeout: .seconds(10),
      // The order of the conflicts follows from the vault's random key.
      choose: { change in
        let account = (change.key?.account ?? "").utf8
        var random = SplitMix(seed: account.reduce(seed) { $0 &* 31 &+ UInt64($1) })
        return Bool.random(using: &random) ? .ours : .theirs
      })
    try vault.close()
    merges += 1

    let changes = Dictionary(grouping: report.changes) { $0.key?.account ?? "" }
    for account in Set(ours.current.keys).union(theirs.current.keys).sorted() {
      try judge(account, ours, theirs, changes[account] ?? [], into: copy)
    }
    let expected = copies[copy].current.compactMapValues(text)
    #expect(try ours.fixture.items().mapValues { "\($0)" } == expected)
    let lost = try secrets.subtracting(ours.fixture.secrets())
    #expect(lost == [], "a secret was lost")
  }

  /// Compares what the merge did with an item with what the model knows, and takes it over.
  private mutating func judge(
    _ account: String, _ ours: Copy, _ theirs: Copy, _ changes: [MergeChange], into copy: Int
  ) throws {
    let (mine, other) = (ours.current[account], theirs.current[account])
    let (seenHere, seenThere) = (ours.seen[account] ?? [], theirs.seen[account] ?? [])
    copies[copy].seen[account] = seenHere.union(seenThere)
    guard let other, mine != other else { return }
    guard let mine else {
      copies[copy].current[account] = other
      return
    }
    let (isOld, isOtherOld) = (seenThere.contains(mine), seenHere.contains(other))
    guard text(mine) != text(other) else {
      // Of two removals the last one counts.
      if states[mine] == nil { copies[copy].current[account] = max(mine, other) }
      return
    }
    if let conflict = changes.first(where: \.isConflict) {
      conflicts += 1
      if isOld != isOtherOld { needlessConflicts += 1 }
      copies[copy].current[account] = conflict.side == .theirs ? other : mine
    } else if isOld, isOtherOld {
      // Both copies had this conflict, and decided it differently: either decision may stay.
      let found = try copies[copy].fixture.items()[account].map { "\($0)" }
      copies[copy].current[account] = found == text(other) ? other : mine
    } else {
      #expect(isOld || isOtherOld, "\(account): both copies changed it, and nobody was asked")
      copies[copy].current[account] = isOld ? other : mine
    }
  }

  /// Returns secret and label of a state; nil of a removed item.
  private func text(_ number: Int) -> String? { states[number].map { "\($0)" } }
}

extension FileStore {
  fileprivate func named(_ account: String) throws(VaultError) -> Item {
    var query = ItemQuery()
    query.account = .equals(account)
    guard let item = try find(query, withSecrets: false).first else {
      throw VaultError(.itemNotFound, account)
    }
    return item
  }
}

extension VaultFixture {
  /// Returns secret and label of every item by its account.
  fileprivate func items() throws(VaultError) -> [String: (secret: String, label: String)] {
    try withStore { (store) throws(VaultError) in
      let items = try store.find(ItemQuery(), withSecrets: true)
      return Dictionary(items.map { ($0.account, ($0.secret?.text ?? "", $0.label)) }) { $1 }
    }
  }

  /// Returns every secret in the vault: current, previous and removed.
  fileprivate func secrets() throws(VaultError) -> Set<String> {
    try withStore { (store) throws(VaultError) in
      try store.write { (transaction) throws(VaultError) in
        let reader = transaction.unchanged
        var secrets: Set<String> = []
        try reader.visitAll { (kind, bytes, body) throws(VaultError) in
          let secret: Secret
          switch kind {
          case RecordKind.item: secret = try reader.secret(of: ItemRecord(decoding: bytes, body))
          case RecordKind.removedItem:
            secret = try reader.secret(of: RemovedRecord(decoding: bytes, body).record)
          case RecordKind.previousSecret:
            secret = try reader.secret(of: PreviousRecord(decoding: bytes, body))
          default: return
          }
          secrets.insert(secret.text)
        }
        return secrets
      }
    }
  }
}
