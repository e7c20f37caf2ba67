import VaultAdministration
import SecureMemory
import TestSupport
import VaultModel

/// A vault and a copy of it, which are then changed apart.
struct Copies {
  let fixture: Fixture
  let otherPath: String
  let ours: Vault
  let theirs: Vault

  /// Makes the vault and the copy, which both have what `prepare` stores.
  ///
  /// Of two changes the later one is later by their clock, too, however fast they are.
  init(_ prepare: (Vault) throws -> Void) throws {
    fixture = try Fixture()
    try prepare(fixture.vault)
    try fixture.vault.close()
    let time = TestClock().ticking
    ours = try Vault.open(path: fixture.path, key: fixture.key, time: time)
    otherPath = fixture.folder.file("vault/other.vault")
    try ours.maintenance.backup(to: otherPath)
    theirs = try Vault.open(path: otherPath, key: fixture.key, time: time)
  }

  @discardableResult
  func merge(
    preferring preference: MergePreference? = nil, dryRun: Bool = false
  ) throws -> MergeReport {
    try VaultMaintenance.merge(
      otherCopy(), into: fixture.path, key: fixture.key, preferring: preference,
      dryRun: dryRun)
  }

  /// Returns a copy of the other copy, since this process has that one open.
  func otherCopy() throws -> String {
    let path = fixture.folder.file("copy-\(ItemID().text)")
    try theirs.maintenance.backup(to: path)
    return path
  }
}

extension Vault {
  func named(_ account: String) throws -> Item {
    var query = ItemQuery()
    query.account = .equals(account)
    return try findUnique(query, withSecrets: true)
  }

  func change(_ account: String, _ changes: [ItemChange]) throws {
    try modify(named(account), changes)
  }

  func text(_ account: String) throws -> String {
    try String(decoding: (named(account).secret ?? Secret("")).array, as: UTF8.self)
  }

  func accounts() throws -> [String] {
    try findAll(ItemQuery()).map(\.account).sorted()
  }

  func past(_ account: String) throws -> [String] {
    try history.entries(of: named(account), withSecrets: true).map {
      String(decoding: ($0.secret ?? Secret("")).array, as: UTF8.self)
    }
  }
}

extension MergeReport {
  var kinds: [String] {
    changes.map { change in
      "\(change.key?.account ?? change.ruleName ?? "") \(change.kind.rawValue)"
        + (change.isConflict ? " \(change.side?.rawValue ?? "open")" : "")
    }.sorted()
  }
}
