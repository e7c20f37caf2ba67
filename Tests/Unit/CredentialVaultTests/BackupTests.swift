import AttackSupport
import VaultAdministration
import Glibc
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: backup")
struct BackupTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }
  var folder: String { fixture.folder.file("backups") }

  init() throws {
    fixture = try Fixture()
    try File.makeFolder(fixture.folder.file("backups"))
    try vault.add(item())
  }

  private func names() throws -> [String] {
    try File.names(in: folder)
  }

  @Test("a backup into a folder is named after the vault and the time, and is 0600")
  func naming() throws {
    let backup = try vault.maintenance.backup(to: folder)
    let name = try #require(try names().first)
    #expect(name.wholeMatch(of: /own-\d{8}T\d{6}Z\.vault/) != nil)
    #expect(backup.path.hasSuffix("/backups/" + name) && backup.removed == [])
    #expect(try backup.generation == vault.generation())
    var status = stat()
    // The path is a C string for this call.
    try #require(unsafe stat(backup.path, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o600)
  }

  @Test("several backups of one second have names of their own, and the newest are kept")
  func keeping() throws {
    var left: [String] = []
    for count in [nil, 5, nil, 3, 2, 1] {
      let backup = try vault.maintenance.backup(to: folder, keeping: count)
      left.append(backup.path)
      left = left.suffix(count ?? left.count)
      #expect(try names().count == left.count)
      #expect(left.allSatisfy(File.exists))
    }
    #expect(try Vault.open(path: left[0], key: fixture.key).findAll(ItemQuery()).count == 1)
  }

  @Test("only backups of this vault are removed, by what they are and not by their names alone")
  func foreign() throws {
    let other = try Fixture()
    try other.vault.maintenance.backup(to: folder)
    let foreign = try #require(try names().first)
    try File.move(folder + "/" + foreign, to: folder + "/own-20200101T000000Z.vault")
    try File.write([1, 2, 3], to: folder + "/own-20200102T000000Z.vault")
    let old = try vault.maintenance.backup(to: folder + "/own-20200103T000000Z.vault")
    _ = try vault.maintenance.backup(to: folder + "/own-2020.vault")
    _ = try vault.maintenance.backup(to: folder + "/own-20200103T000000Z-01.vault")
    _ = try vault.maintenance.backup(to: folder + "/else-20200103T000000Z.vault")
    let new = try vault.maintenance.backup(to: folder, keeping: 1)
    #expect(new.removed == [old.path])
    #expect(try names().count == 6)
    #expect(File.exists(new.path))
  }

  @Test("a clock set back removes no newer backup, and never the one just made")
  func clock() throws {
    let later = try vault.maintenance.backup(to: folder + "/own-29990101T000000Z.vault")
    let old = try vault.maintenance.backup(to: folder + "/own-20200101T000000Z.vault")
    let new = try vault.maintenance.backup(to: folder, keeping: 2)
    #expect(new.removed == [old.path])
    #expect(File.exists(later.path) && File.exists(new.path))
  }

  @Test("a count needs a folder and is at least 1; nothing is written otherwise")
  func wrongCounts() throws {
    for count in [0, -1] {
      expect(.invalidArgument) { try vault.maintenance.backup(to: folder, keeping: count) }
    }
    expect(.invalidArgument) { try vault.maintenance.backup(to: folder + "/file", keeping: 1) }
    #expect(try names() == [])
  }

  @Test("a folder that is missing, or that others can write, gets nothing")
  func wrongFolders() throws {
    expect(.cannotCreate) { try vault.maintenance.backup(to: folder + "/none/file") }
    expect(.cannotCreate) { try vault.maintenance.backup(to: folder + "/none/") }
    try File.setMode(0o777, of: folder)
    expect(.unsafePermissions) { try vault.maintenance.backup(to: folder) }
    expect(.unsafePermissions) { try vault.maintenance.backup(to: folder + "/file") }
    #expect(try names() == [])
  }

  @Test("a vault that is damaged gives no backup, and leaves nothing")
  func damage() throws {
    try vault.close()
    try Database.run("UPDATE node SET sealed = zeroblob(512)", on: fixture.path)
    let damaged = try fixture.open()
    expect(.damaged) { try damaged.maintenance.backup(to: folder) }
    #expect(try names() == [])
  }

  @Test("a plain copy of a vault that nobody writes is a backup")
  func plainCopy() throws {
    try vault.close()
    let copy = folder + "/copy"
    try File.write(File.read(fixture.path), to: copy)
    let changed = try fixture.open()
    try changed.remove(changed.findUnique(ItemQuery(), withSecrets: true))
    #expect(
      try VaultMaintenance.check(backup: copy, against: fixture.path, key: fixture.key).itemCount
        == 1)
    try VaultMaintenance.restore(from: copy, to: fixture.path, key: fixture.key)
    #expect(try changed.findAll(ItemQuery()).count == 1)
  }
}
