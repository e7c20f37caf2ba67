import AttackSupport
import CVaultSQLite
import VaultAdministration
import Glibc
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultModel

@Suite("Vault: restore")
struct RestoreTests {
  let fixture: Fixture
  let backup: String
  /// The content of the backup.
  let before: ItemBytes
  var vault: Vault { fixture.vault }

  /// Creates a vault with two items and a default, a backup of it, and changes since.
  init() throws {
    fixture = try Fixture()
    backup = fixture.folder.file("backup")
    let vault = fixture.vault
    try vault.add(item("ann", "one"))
    try vault.add(item("bob", String(repeating: "large", count: 500)))
    try vault.setDefaultUser("ann", for: space())
    before = try Self.listing(vault)
    try vault.maintenance.backup(to: backup)
    try vault.modify(
      vault.findUnique(ItemQuery(key: item("ann").key), withSecrets: true), [.secret(Secret("two"))]
    )
    try vault.remove(vault.findUnique(ItemQuery(key: item("bob").key), withSecrets: true))
    try vault.add(item("carl", "three"))
    try vault.setDefaultUser("carl", for: space())
  }

  private static func listing(_ vault: Vault) throws -> ItemBytes {
    ItemBytes(try vault.findAll(ItemQuery(), withSecrets: true), withSecrets: true)
  }

  @discardableResult
  private func restore(from source: String? = nil) throws -> RestoreReport {
    try VaultMaintenance.restore(from: source ?? backup, to: fixture.path, key: fixture.key)
  }

  /// Returns the names beside the vault's own.
  private func leftovers() throws -> [String] {
    try File.names(in: fixture.folder.file("vault")).filter { $0 != "own.vault" }
  }

  @Test("everything is as it was, and the generation is higher than all before")
  func whole() throws {
    let bytes = try File.read(backup)
    let generation = try vault.generation()
    let report = try restore()
    #expect(try Self.listing(vault) == before)
    #expect(try vault.knownDefault(space())?.user == "ann")
    #expect(try vault.generation() == generation + 1)
    #expect(report.generation == generation + 1 && report.itemCount == 2 && report.epoch == 1)
    #expect(try report.committed < vault.maintenance.information().committed)
    #expect(!report.slotsDiffer && report.slots.map(\.name) == ["own"])
    #expect(try vault.maintenance.verify().isClean)
    #expect(try File.read(backup) == bytes)
    #expect(!File.exists(backup + "-journal"))
    try vault.add(item("dora"))
    #expect(try fixture.open().findAll(ItemQuery()).count == 3)
  }

  @Test("the file that is replaced is kept byte for byte, 0600, and opens as the vault it was")
  func kept() throws {
    let now = try Self.listing(vault)
    try vault.close()
    let bytes = try File.read(fixture.path)
    let report = try restore()
    let kept = try #require(report.keptPath)
    #expect(kept.wholeMatch(of: /.*\/own\.vault\.replaced-\d{8}T\d{6}Z/) != nil)
    #expect(try File.read(kept) == bytes)
    #expect(try leftovers().count == 1)
    let second = try #require(try restore().keptPath)
    #expect(second != kept && File.exists(kept))
    let opened = try Vault.open(path: kept, key: fixture.key)
    #expect(try Self.listing(opened) == now)
  }

  @Test("where there is no vault one is made, with its folder")
  func missing() throws {
    let path = fixture.folder.file("new/folder/vault")
    let report = try VaultMaintenance.restore(from: backup, to: path, key: fixture.key)
    #expect(report.keptPath == nil && !report.slotsDiffer)
    let new = try Vault.open(path: path, key: fixture.key)
    #expect(try Self.listing(new) == before)
    #expect(try File.names(in: fixture.folder.file("new/folder")) == ["vault"])
  }

  @Test("an orphaned journal is moved aside and not applied to what is restored")
  func orphanedJournal() throws {
    try vault.close()
    try File.remove(fixture.path)
    try File.write(Array("any".utf8), to: fixture.path + "-journal")
    try restore()
    let names = try leftovers()
    #expect(names.count == 1 && names[0].hasSuffix("Z-journal"))
    #expect(try Self.listing(fixture.open()) == before)
  }

  enum Damage: CaseIterable, Sendable {
    case nodes, head, ident, firstPage, schema, walMode, cut, cutWithinPage, empty, garbage
  }

  @Test("a damaged vault is restored, and kept as it is", arguments: Damage.allCases)
  func damaged(damage: Damage) throws {
    let other = try fixture.open()
    try vault.close()
    try other.close()
    var bytes = try File.read(fixture.path)
    switch damage {
    case .nodes: try Database.run("UPDATE node SET sealed = zeroblob(512)", on: fixture.path)
    case .head: try Database.run("UPDATE vault SET head = zeroblob(512)", on: fixture.path)
    case .ident: try Database.run("UPDATE vault SET ident = zeroblob(48)", on: fixture.path)
    case .schema: try Database.run("DROP TABLE node; DROP TABLE slot", on: fixture.path)
    case .firstPage: bytes.replaceSubrange(0..<4096, with: repeatElement(0x5A, count: 4096))
    case .walMode: bytes.replaceSubrange(18..<20, with: [2, 2])
    case .cut: bytes.removeLast(4096)
    case .cutWithinPage: bytes.removeLast(1000)
    case .empty: bytes = []
    case .garbage: bytes = bytes.map { $0 ^ 0x33 }
    }
    switch damage {
    case .nodes, .head, .ident, .schema: bytes = try File.read(fixture.path)
    default: try File.write(bytes, to: fixture.path)
    }
    let report = try restore()
    let opened = try fixture.open()
    #expect(try Self.listing(opened) == before)
    #expect(try opened.maintenance.verify().isClean)
    try opened.add(item("dora"))
    let kept = try #require(report.keptPath)
    #expect(try File.read(kept) == bytes)
    #expect(try leftovers().count == 1)
  }

  @Test("what has the vault open reads the restored data next, and writes to it")
  func openVaults() throws {
    let other = try fixture.open()
    _ = try other.findAll(ItemQuery(), withSecrets: true)
    try restore()
    #expect(try Self.listing(other) == before)
    try other.add(item("dora"))
    #expect(try Self.listing(vault) == Self.listing(other))
    #expect(try vault.findAll(ItemQuery()).count == 3)
  }

  // MARK: Refused

  @Test("a backup with any damage is refused, and nothing is touched")
  func damagedBackup() throws {
    try vault.close()
    var vaultBytes = try File.read(fixture.path)
    let bytes = try File.read(backup)
    for offset in stride(from: 0, to: bytes.count, by: 331) {
      var changed = bytes
      changed[offset] ^= 0x40
      try File.write(changed, to: backup)
      do {
        try restore()
        // A byte without meaning, in free space.
        let opened = try fixture.open()
        #expect(try Self.listing(opened) == before)
        try opened.close()
        for name in try leftovers() { try File.remove(fixture.folder.file("vault/" + name)) }
        vaultBytes = try File.read(fixture.path)
      } catch let error as VaultError {
        #expect([.damaged, .notAVault, .tooNew].contains(error.code), "\(offset): \(error)")
        #expect(try File.read(fixture.path) == vaultBytes)
        #expect(try leftovers() == [])
      }
    }
  }

  @Test("what is no backup of this vault is refused, and nothing is touched")
  func refused() throws {
    let other = try Fixture()
    try vault.close()
    let bytes = try File.read(fixture.path)
    let folder = fixture.folder
    try File.makeSymbolicLink(folder.file("link"), to: fixture.path)
    try File.write(Array("text".utf8), to: folder.file("text"))
    var wal = try File.read(backup)
    wal.replaceSubrange(18..<20, with: [2, 2])
    try File.write(wal, to: folder.file("wal"))
    expect(.invalidArgument) { try restore(from: fixture.path) }
    expect(.invalidArgument) { try restore(from: folder.file("link")) }
    expect(.missingInput) { try restore(from: folder.file("nothing")) }
    expect(.notAVault) { try restore(from: folder.file("text")) }
    expect(.notAVault) { try restore(from: folder.file("vault")) }
    expect(.damaged) { try restore(from: folder.file("wal")) }
    expect(.authenticationFailed) { try restore(from: other.path) }
    expect(.invalidArgument) {
      try VaultMaintenance.restore(from: other.path, to: fixture.path, key: other.key)
    }
    #expect(try File.read(fixture.path) == bytes)
    #expect(try leftovers() == [])
    #expect(!File.exists(folder.file("wal-wal")))
  }

  @Test("another program's database is no vault to restore into")
  func foreignDatabase() throws {
    let path = fixture.folder.file("other.db")
    try File.write([], to: path)
    try Database.run("CREATE TABLE t (x); INSERT INTO t VALUES (1)", on: path)
    let bytes = try File.read(path)
    expect(.notAVault) { try VaultMaintenance.restore(from: backup, to: path, key: fixture.key) }
    #expect(try File.read(path) == bytes)
  }

  @Test("a vault that others can read or that has a second name is not restored into")
  func unsafePlace() throws {
    try vault.close()
    try File.setMode(0o644, of: fixture.path)
    expect(.unsafePermissions) { try restore() }
    try File.setMode(0o600, of: fixture.path)
    try File.makeHardLink(fixture.folder.file("second"), to: fixture.path)
    expect(.unsafePermissions) { try restore() }
    #expect(try leftovers() == [])
  }

  @Test("a backup may be readable by others, in anybody's folder, and named by a link")
  func backupAnywhere() throws {
    try File.setMode(0o444, of: backup)
    let folder = fixture.folder.file("media")
    try File.makeFolder(folder, mode: 0o777)
    try File.makeSymbolicLink(folder + "/latest", to: backup)
    try restore(from: folder + "/latest")
    #expect(try Self.listing(vault) == before)
    #expect(try File.names(in: folder) == ["latest"])
  }

  @Test("a vault that somebody reads or writes for too long is busy, and stays as it is")
  func busy() throws {
    for kind in ["IMMEDIATE", "EXCLUSIVE"] {
      let holder = try LockHolder(fixture.path)
      try holder.lock(kind)
      expect(.busy) {
        try VaultMaintenance.restore(
          from: backup, to: fixture.path, key: fixture.key, lockTimeout: .milliseconds(50))
      }
      try holder.unlock()
      #expect(try leftovers() == [])
    }
    #expect(try Self.listing(vault) != before)
    try restore()
    #expect(try Self.listing(vault) == before)
  }

  // MARK: Looking

  @Test("a check says how a backup stands to the vault, and writes nothing")
  func check() throws {
    func relation(_ source: String, _ path: String? = nil) throws -> CopyRelation {
      try VaultMaintenance.check(backup: source, against: path ?? fixture.path, key: fixture.key)
        .relation
    }
    let bytes = try File.read(backup)
    let now = fixture.folder.file("now")
    try vault.maintenance.backup(to: now)
    #expect(try relation(backup) == .older(4))
    #expect(try relation(now) == .same)
    #expect(try relation(now, backup) == .newer(4))
    #expect(try relation(backup, fixture.folder.file("nothing")) == .noVault)
    #expect(try relation(backup, fixture.folder.file("no/folder")) == .noVault)
    let other = try Fixture()
    #expect(try relation(backup, other.path) == .anotherVault)
    let apart = fixture.folder.file("apart")
    try File.write(bytes, to: apart)
    try Vault.open(path: apart, key: fixture.key).add(item("apart"))
    #expect(try relation(apart) == .forked)
    #expect(try relation(now, apart) == .forked)
    try File.write(Array("text".utf8), to: apart)
    #expect(try relation(backup, apart) == .unknown)
    let found = try VaultMaintenance.check(backup: backup, against: fixture.path, key: fixture.key)
    #expect(found.itemCount == 2 && found.epoch == 1 && found.slots.map(\.name) == ["own"])
    #expect(try found.vaultID == vault.maintenance.information().vaultID)
    #expect(try File.read(backup) == bytes)
    #expect(try Self.listing(vault) != before)
  }

  @Test("a check says which items a restore would remove, add and change")
  func changes() throws {
    func changes() throws -> [[String]]? {
      try VaultMaintenance.check(backup: backup, against: fixture.path, key: fixture.key).changes
        .map { changes in
          [changes.removed, changes.added, changes.changed].map { $0.map(\.account).sorted() }
        }
    }
    try restore()
    #expect(try changes() == [[], [], []])
    try vault.add(item("new"))
    try vault.modify(vault.findUnique(ItemQuery(key: item("ann").key)), [.label("changed")])
    #expect(try changes() == [["new"], [], ["ann"]])
    try vault.remove(vault.findUnique(ItemQuery(key: item("ann").key)))
    #expect(try changes() == [["new"], ["ann"], []])
    // The items of a later epoch are compared by the key that was given.
    _ = try vault.keys.rekey(keeping: [fixture.key])
    #expect(try changes() == [["new"], ["ann"], []])
    try File.write([UInt8](repeating: 0, count: 4096), to: fixture.path)
    #expect(try changes() == nil)
  }

  @Test("a check names what is damaged in a backup")
  func checkDamaged() throws {
    try Database.run("UPDATE node SET sealed = zeroblob(512) WHERE id < 100", on: backup)
    expect(.damaged) {
      _ = try VaultMaintenance.check(backup: backup, against: fixture.path, key: fixture.key)
    }
  }

  // MARK: One item

  @Test("an item that is there gets the backup's secret and attributes, and keeps its id and age")
  func itemThatIsThere() throws {
    let query = try ItemQuery(key: item("ann").key)
    let old = try vault.findUnique(query, withSecrets: true)
    let large = Secret(String(repeating: "large", count: 500))
    try vault.modify(old, [.label("changed"), .comment("new"), .secret(large)])
    let generation = try vault.generation()
    let restored = try vault.maintenance.restoreItem(old.id, from: backup).item
    let now = try vault.findUnique(query, withSecrets: true)
    #expect(now.id == old.id && restored.id == old.id && now.created == old.created)
    #expect(now.secret?.array == Array("one".utf8))
    #expect(now.label == "git.example.com" && now.comment == "")
    #expect(now.modified >= old.modified && now.revision == generation + 1)
    #expect(try vault.findAll(ItemQuery()).count == 2 && vault.maintenance.verify().isClean)
  }

  @Test("an item that is gone comes back with its id, its age and a large secret")
  func itemThatIsGone() throws {
    let inBackup = try Vault.open(path: backup, key: fixture.key)
    let old = try inBackup.findUnique(ItemQuery(key: item("bob").key), withSecrets: true)
    try inBackup.close()
    try vault.maintenance.bringBack(from: backup) { (find) throws(VaultError) in
      let found = try find(ItemQuery(key: old.key))
      #expect(found.count == 1 && found[0].secret == nil)
      return found[0]
    }
    let now = try vault.findUnique(ItemQuery(key: old.key), withSecrets: true)
    #expect(now.id == old.id && now.created == old.created)
    #expect(now.secret?.array == old.secret?.array)
    #expect(try vault.findAll(ItemQuery()).count == 3 && vault.maintenance.verify().isClean)
  }

  @Test("an item whose id lives on under another key comes back with a new one")
  func itemThatWasRenamed() throws {
    let old = try vault.findUnique(ItemQuery(key: item("ann").key), withSecrets: true)
    try vault.modify(old, [.account("anna")])
    let restored = try vault.maintenance.restoreItem(old.id, from: backup).item
    #expect(restored.id != old.id)
    #expect(try Set(vault.findAll(ItemQuery()).map(\.account)) == ["ann", "anna", "carl"])
    #expect(try vault.maintenance.verify().isClean)
  }

  @Test("an item that a backup does not have is not found, and nothing is written")
  func itemThatIsNotThere() throws {
    let generation = try vault.generation()
    let carl = try vault.findUnique(ItemQuery(key: item("carl").key), withSecrets: true)
    expect(.itemNotFound) { try vault.maintenance.restoreItem(carl.id, from: backup) }
    expect(.missingInput) { try vault.maintenance.restoreItem(carl.id, from: backup + "x") }
    #expect(try vault.generation() == generation)
  }

  @Test("an item comes from another vault's file too, if its key is given")
  func itemOfAnotherVault() throws {
    let other = try Fixture()
    let added = try other.vault.add(item("eve", "other")).item
    expect(.locked) { try vault.maintenance.restoreItem(added.id, from: other.path) }
    try vault.maintenance.restoreItem(added.id, from: other.path, key: other.key)
    #expect(
      try vault.findUnique(ItemQuery(key: added.key), withSecrets: true).secret?.array
        == Array("other".utf8))
  }
}
