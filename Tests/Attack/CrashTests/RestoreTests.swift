import AttackSupport
import Glibc
import SealedTree
import SecureMemory
import StoreTesting
import TestTraits
import Testing
import VaultStore
import VaultModel

/// A restore beside other processes.
@Suite(.waiting) struct RestoreTests {
  enum Target: CaseIterable, Sendable {
    case whole
    /// The first page is no longer that of a database, so that nothing can be written into the
    /// file.
    case unreadable
  }

  /// Creates a vault that changed since its backup.
  private static func fixture() throws -> (fixture: VaultFixture, backup: String) {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let backup = fixture.folder("backup")
    try fixture.withStore { (store) throws(VaultError) in
      _ = try store.backUp(to: backup)
      for item in try store.find(ItemQuery()) {
        _ = try store.modify(item.id, hint: item.key, [.secret(Secret("second"))])
      }
      _ = try store.add(Workload.item("more", "second"))
    }
    return (fixture, backup)
  }

  private static func damageFirstPage(of path: String) throws {
    var bytes = try File.read(path)
    bytes.replaceSubrange(0..<4096, with: repeatElement(0x5A, count: 4096))
    try File.write(bytes, to: path)
  }

  private func restore(
    _ fixture: VaultFixture, _ backup: String, _ arguments: [String: String] = [:]
  ) throws -> DriverProcess {
    try fixture.driver("restore", arguments.merging(["backup": backup]) { $1 })
  }

  @Test(arguments: Target.allCases)
  func `A process that has the vault open reads the restored data next, and writes to it`(
    target: Target
  ) throws {
    let (fixture, backup) = try Self.fixture()
    let looker = try fixture.driver("look")
    #expect(looker.line() == "open")
    looker.tell("look")
    #expect(looker.line() == "41 second")
    if target == .unreadable { try Self.damageFirstPage(of: fixture.vault) }
    let lines = try restore(fixture, backup).lines()
    #expect(lines.count == 2)
    looker.tell("look")
    #expect(looker.line() == "40 first")
    looker.tell("add")
    #expect(looker.line() == "41 first,looker")
    #expect(try fixture.contents().count == 41)
    #expect(try fixture.problems() == [])
    #expect(try fixture.leftovers().count == 1)
  }

  @Test func `Restores, writers and readers at once leave a whole vault and wrong no reader`()
    throws
  {
    let (fixture, backup) = try Self.fixture()
    let readers = try (0..<2).map { _ in try fixture.driver("look") }
    for reader in readers { #expect(reader.line() == "open") }
    let restorers = try (0..<3).map { _ in try restore(fixture, backup) }
    let writers = try (0..<2).map { try fixture.driver("add", ["name": "w\($0)", "count": "20"]) }
    for _ in 0..<20 {
      for reader in readers {
        reader.tell("look")
        let answer = try #require(reader.line())
        #expect(!answer.hasPrefix("error"), "\(answer)")
      }
    }
    for restorer in restorers { #expect(restorer.lines().count == 2) }
    for writer in writers { #expect(writer.lines() == ["done"]) }
    #expect(try fixture.problems() == [])
    // One file is kept for each restore, and each is complete.
    let kept = try fixture.leftovers()
    #expect(kept.count == 3)
    for name in kept {
      try GoldenVault.withStore(fixture.folder("vault/" + name), key: fixture.key) {
        (store) throws(VaultError) in
        #expect(try store.verify().problems == [])
      }
    }
  }

  /// Leaves the vault like a writer that is killed right before its commit: with a hot journal.
  private func killWriter(_ fixture: VaultFixture) throws {
    let driver = try fixture.driver(
      "write",
      [
        "workload": "modify", "first": "0", "count": "0", "switch": "before-commit", "call": "1000",
      ])
    #expect(driver.wait() == .killed(signal: SIGKILL))
    try #require(File.read(fixture.vault + "-journal").first == 0xD9)
  }

  @Test func `A backup that was copied in the middle of a write is refused and left as it is`()
    throws
  {
    let (fixture, _) = try Self.fixture()
    let copy = fixture.folder("copy")
    try killWriter(fixture)
    try File.write(File.read(fixture.vault), to: copy)
    try File.write(File.read(fixture.vault + "-journal"), to: copy + "-journal")
    let before = try fixture.contents()
    let (bytes, journal) = (try File.read(copy), try File.read(copy + "-journal"))
    #expect(try restore(fixture, copy).lines() == ["error read-only"])
    #expect(try File.read(copy) == bytes && File.read(copy + "-journal") == journal)
    #expect(try fixture.contents() == before)
    // Opened once as a vault it is complete.
    #expect(try GoldenVault.read(copy, key: fixture.key).count == 41)
    #expect(try restore(fixture, copy).lines().count == 2)
  }

  @Test func `A dead writer's journal is applied before a vault is replaced, not after`()
    throws
  {
    let (fixture, backup) = try Self.fixture()
    let before = try fixture.contents()
    try killWriter(fixture)
    #expect(try restore(fixture, backup).lines().count == 2)
    #expect(try Set(fixture.contents().values) == ["first"])
    let kept = try fixture.leftovers()
    try #require(kept.count == 1 && kept[0].hasPrefix("v.replaced-"))
    let items = try GoldenVault.read(fixture.folder("vault/" + kept[0]), key: fixture.key)
    #expect(Set(items.map(\.account)) == Set(before.keys))
    #expect(items.allSatisfy { $0.secret?.text == "second" })
  }

  @Test func `A journal that cannot be applied to an unreadable vault is not applied later`()
    throws
  {
    let (fixture, backup) = try Self.fixture()
    // Like a writer that is killed before its first sync: SQLite does not apply the journal.
    let journal = [UInt8](repeating: 0, count: 512) + [UInt8](repeating: 7, count: 8192)
    var bytes = try File.read(fixture.vault)
    bytes.replaceSubrange(18..<20, with: [2, 2])
    try File.write(bytes, to: fixture.vault)
    try File.write(journal, to: fixture.vault + "-journal")
    #expect(try restore(fixture, backup).lines().count == 2)
    #expect(try fixture.contents().count == 40 && fixture.problems() == [])
    let kept = try fixture.leftovers()
    try #require(kept.count == 2)
    #expect(try File.read(fixture.folder("vault/" + kept[0])) == bytes)
    #expect(try File.read(fixture.folder("vault/" + kept[1])) == journal)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `A backup on a read-only medium of another owner is restored`() throws {
    let (fixture, backup) = try Self.fixture()
    let medium = fixture.folder("medium")
    try File.makeFolder(medium)
    try File.write(File.read(backup), to: medium + "/backup", mode: 0o444)
    try File.setMode(0o555, of: medium)
    for name in ["", "key", "vault", "vault/v", "state", "state/vaultctl"] {
      try File.setOwner(65534, of: fixture.folder(name))
    }
    for name in try fixture.folder.contents(of: "state/vaultctl") {
      try File.setOwner(65534, of: fixture.stateFolder + "/" + name)
    }
    let driver = try restore(fixture, medium + "/backup", ["user": "65534"])
    #expect(driver.lines().count == 2)
    #expect(driver.wait() == .exited(0))
    #expect(try File.names(in: medium) == ["backup"])
  }
}
