import SecureMemory
import StoreTesting
import VaultCrypto
import VaultStore
import VaultModel

/// An operation of a program on a vault: a row of the tables of kills, failing calls and power
/// cuts.
package enum Operation: String, CaseIterable, Sendable {
  case create
  case open
  case unlock
  case find
  case verify
  case add
  case modify
  case remove
  case large
  /// Replaces the large secret of an item with as many previous ones as it may have: the oldest's
  /// row goes.
  case replace
  case batch
  /// Moves an item with a large secret and a previous one to the trash, filling its last place.
  case discard
  /// Restores the same item.
  case bringBack
  /// Removes it from the trash permanently.
  case emptyTrash
  /// Applies a policy that was tightened before.
  case applyPolicy
  case backup
  /// Makes a replica of what a server in memory has.
  case clone
  case rekey
  case addSlot
  case removeSlot
  case passwd
  case compact
  /// Migrates to a later version's format.
  case migrate
  case restore
  /// Restores a backup from before a rekey.
  case restoreRekeyed
  case restoreDamaged
  case restoreUnreadable
  case restoreMissing
  /// Merges another copy that changed an item with a large secret, and added and removed others.
  case merge

  /// Whether it only reads.
  package var isReading: Bool { [.open, .unlock, .find, .verify].contains(self) }

  package var isRestoring: Bool { rawValue.hasPrefix("restore") }

  /// Whether it begins without an open vault.
  package var isOpening: Bool {
    [.create, .clone, .open, .migrate, .merge].contains(self) || isRestoring
  }

  /// Whether none of its effects can be seen from within.
  package var isInvisible: Bool { isReading || self == .compact }

  /// Whether it makes a second vault beside the first.
  package var hasTarget: Bool { [.create, .backup, .clone].contains(self) }

  /// Whether there is a usable vault before it.
  package var hasVault: Bool { !isRestoring || self == .restore || self == .restoreRekeyed }

  /// The equivalent workload, if it changes items.
  package var workload: Workload? { Workload(rawValue: rawValue) }

  /// Returns a fixture with a vault for the operation, damaged if the operation requires that.
  package func fixture() throws -> VaultFixture {
    var fixture = try VaultFixture(holding: Workload.add.base(Workload.baseCount))
    if self == .migrate { fixture.chain = .later }
    try prepare(fixture)
    return fixture
  }

  /// Prepares a vault for the operation.
  package func prepare(_ fixture: VaultFixture) throws {
    switch self {
    case .removeSlot, .passwd:
      try fixture.withStore { (store) throws(VaultError) in
        _ = try store.addSlot(.passphrase(Secret("old")), name: "", cost: .minimum)
      }
    case .replace:
      try fixture.withStore { (store) throws(VaultError) in
        try store.setHistoryLimit(2)
        let item = try store.add(Workload.item(Self.replaced, Self.largeSecret(0)))
        for number in 1...2 {
          let secret = Secret(Self.largeSecret(number))
          _ = try store.modify(item.id, hint: item.key, [.secret(secret)])
        }
      }
    case .applyPolicy:
      try fixture.withStore { (store) throws(VaultError) in
        try store.write { (transaction) throws(VaultError) in
          try transaction.setPolicy(Self.tightPolicy())
        }
      }
    case .compact:
      try fixture.withStore { (store) throws(VaultError) in
        let large = Item(
          account: "large", secret: Secret(String(repeating: "x", count: 99_999)))
        let item = try store.add(large)
        try store.write { (transaction) throws(VaultError) in
          try transaction.remove(item.id, hint: item.key, removal: .permanent)
        }
      }
    case .discard, .bringBack, .emptyTrash:
      try fixture.withStore { (store) throws(VaultError) in
        for number in 0..<(self == .discard ? 11 : 1) {
          let item = try store.add(Workload.item(Self.discarded, "of \(number)"))
          let secret = Secret(Self.largeSecret(number))
          _ = try store.modify(item.id, hint: item.key, [.secret(secret)])
          if self != .discard || number < 10 { try store.remove(item.id, hint: item.key) }
        }
      }
    case .restore, .restoreRekeyed, .restoreDamaged, .restoreUnreadable, .restoreMissing:
      try fixture.withStore { (store) throws(VaultError) in
        _ = try store.backUp(to: fixture.backup)
        _ = try store.add(Workload.item("since", "since"))
      }
      if self == .restoreRekeyed { _ = try fixture.driver("rekey").lines() }
      try ruin(fixture.vault)
    case .clone:
      try fixture.withStore { (store) throws(VaultError) in
        _ = try store.backUp(to: fixture.backup)
      }
    case .merge: try prepareMerge(fixture)
    default: return
    }
  }

  /// Makes a copy at the backup's place, and changes it and the vault apart.
  private func prepareMerge(_ fixture: VaultFixture) throws {
    try fixture.withStore { (store) throws(VaultError) in
      _ = try store.add(Workload.item(Self.replaced, Self.largeSecret(0)))
      _ = try store.add(Workload.item(Self.discarded, "of both"))
      _ = try store.backUp(to: fixture.backup)
      try store.change(Self.replaced, to: Self.largeSecret(1))
      _ = try store.add(Workload.item("here", "here"))
    }
    try GoldenVault.withStore(fixture.backup, key: fixture.key) { (store) throws(VaultError) in
      try store.change(Self.replaced, to: Self.largeSecret(2))
      try store.change(Self.discarded, to: "there")
      let discarded = try store.item(Self.discarded)
      try store.remove(discarded.id, hint: discarded.key)
      _ = try store.add(Workload.item("there", "there"))
    }
  }

  /// The account of the item whose secret is replaced.
  package static let replaced = "replaced"

  /// The account of the item that goes to the trash.
  package static let discarded = "discarded"

  /// Returns a secret with a row of its own.
  package static func largeSecret(_ number: Int) -> String {
    String(repeating: "large \(number) ", count: 900)
  }

  /// Returns a policy that removes the items of one host and keeps those of another out of the
  /// file, except for a host that is used later.
  private static func tightPolicy() throws(VaultError) -> PersistencePolicy {
    let used = Workload.item("later", "").server.name
    let hosts = (0..<8).map { "host\($0).example.com" }.filter { $0 != used }
    var gone = PersistencePolicy.Rule(name: "gone")
    gone.host = try HostPattern(hosts[0])
    gone.refuse = true
    var session = PersistencePolicy.Rule(name: "session")
    session.host = try HostPattern(hosts[1])
    session.maximumPersistence = .session
    var limited = PersistencePolicy.Rule(name: "limited")
    limited.host = try HostPattern(hosts[2])
    limited.lifetime = .seconds(3600)
    return try PersistencePolicy(rules: [gone, session, limited])
  }

  private func ruin(_ path: String) throws {
    switch self {
    case .restoreDamaged:
      try Database.run("UPDATE node SET sealed = zeroblob(512)", on: path)
    case .restoreUnreadable:
      var bytes = try File.read(path)
      bytes.replaceSubrange(0..<4096, with: repeatElement(0x5A, count: 4096))
      try File.write(bytes, to: path)
    case .restoreMissing: try File.remove(path)
    default: return
    }
  }
}

extension FileStore {
  fileprivate func item(_ account: String) throws(VaultError) -> Item {
    guard
      let item = try find(ItemQuery(key: Workload.item(account, "").key)).first
    else { throw VaultError(.itemNotFound, account) }
    return item
  }

  fileprivate func change(_ account: String, to secret: String) throws(VaultError) {
    let item = try item(account)
    _ = try modify(item.id, hint: item.key, [.secret(Secret(secret))])
  }
}
