import VaultAdministration
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("the log of a vault")
struct LogTests {
  @Test("a change of the session is not logged, and that of the file is, also when it moves")
  func session() throws {
    let fixture = try Fixture()
    let vault = fixture.vault
    let temporary = try vault.add(item("ann"), persistence: .session).item
    try vault.modify(temporary, [.label("label")])
    try vault.remove(temporary)
    #expect(try vault.log.changes().isEmpty)
    let kept = try vault.add(item("bob")).item
    #expect(try vault.log.changes(of: kept.id).map(\.operation) == [.added])
    #expect(try vault.log.changes(of: temporary.id).isEmpty)
  }

  @Test("a vault without a file has no log")
  func withoutFile() throws {
    let vault = Vault.inMemory()
    #expect(try vault.log.changes().isEmpty && vault.log.days == 0)
    #expect(throws: VaultError(.unsupported, "")) { try vault.log.setDays(1) }
  }

  @Test("a merge joins the logs of both copies, and a second one adds nothing")
  func merge() throws {
    let copies = try Copies { vault in try vault.add(item("both")) }
    try copies.ours.add(item("ours"))
    let theirs = try copies.theirs.add(item("theirs")).item
    let before = try Set(copies.ours.log.changes() + copies.theirs.log.changes())
    try copies.merge()
    let after = try copies.ours.log.changes()
    #expect(Set(after).isSuperset(of: before) && after.count == before.count + 1)
    #expect(after.first?.operation == .merged && after.first?.id == theirs.id)
    try copies.merge()
    #expect(try copies.ours.log.changes() == after)
  }

  @Test("a restore keeps the log of the backup, and is logged")
  func restore() throws {
    let fixture = try Fixture()
    try fixture.vault.add(item("ann"))
    let before = try fixture.vault.log.changes()
    let backup = fixture.folder.file("vault/backup.vault")
    try fixture.vault.maintenance.backup(to: backup)
    try fixture.vault.add(item("bob"))
    try fixture.vault.close()
    try VaultMaintenance.restore(from: backup, to: fixture.path, key: fixture.key)
    let vault = try Vault.open(path: fixture.path, key: fixture.key)
    let after = try vault.log.changes()
    #expect(after.first?.operation == .vaultRestored && Array(after.dropFirst()) == before)
    #expect(try vault.maintenance.verify().isClean)
  }
}
