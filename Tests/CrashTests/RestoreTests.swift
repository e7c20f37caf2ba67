import AttackSupport
import Glibc
import SealedTree
import SecureMemory
import StoreTesting
import Testing
import VaultFile
import VaultModel
import VaultRecovery
import VaultSession

/// A restore beside other processes.
@Suite struct RestoreTests {
  enum Target: CaseIterable, Sendable {
    case whole
    /// The first page is no longer that of a database, so that nothing can be written into the
    /// file.
    case unreadable
  }

  /// Creates a vault that changed since its backup.
  private static func scene() throws -> (scene: Scene, backup: String) {
    let scene = try Scene(holding: Workload.add.base)
    let backup = scene.folder("backup")
    try scene.withStore { (store) throws(VaultError) in
      _ = try store.backUp(to: backup)
      for item in try store.find(ItemQuery(), secrets: false) {
        _ = try store.modify(item.id, hint: item.key, [.secret(Secret("second"))])
      }
      _ = try store.add(Workload.item("more", "second"))
    }
    return (scene, backup)
  }

  private static func damageFirstPage(of path: String) throws {
    var bytes = try File.read(path)
    bytes.replaceSubrange(0..<4096, with: repeatElement(0x5A, count: 4096))
    try File.write(bytes, to: path)
  }

  private func restore(
    _ scene: Scene, _ backup: String, _ arguments: [String: String] = [:]
  ) throws -> Driver {
    try scene.driver("restore", arguments.merging(["backup": backup]) { $1 })
  }

  @Test(arguments: Target.allCases)
  func `A process that has the vault open reads the restored data next, and writes to it`(
    target: Target
  ) throws {
    let (scene, backup) = try Self.scene()
    let looker = try scene.driver("look")
    #expect(looker.line() == "open")
    looker.tell("look")
    #expect(looker.line() == "41 second")
    if target == .unreadable { try Self.damageFirstPage(of: scene.vault) }
    let lines = try restore(scene, backup).lines()
    #expect(lines.count == 2)
    looker.tell("look")
    #expect(looker.line() == "40 first")
    looker.tell("add")
    #expect(looker.line() == "41 first,looker")
    #expect(try scene.contents().count == 41)
    #expect(try scene.problems() == [])
    #expect(try scene.leftovers().count == 1)
  }

  @Test func `Restores, writers and readers at once leave a whole vault and wrong no reader`()
    throws
  {
    let (scene, backup) = try Self.scene()
    let readers = try (0..<2).map { _ in try scene.driver("look") }
    for reader in readers { #expect(reader.line() == "open") }
    let restorers = try (0..<3).map { _ in try restore(scene, backup) }
    let writers = try (0..<2).map { try scene.driver("add", ["name": "w\($0)", "count": "20"]) }
    for _ in 0..<20 {
      for reader in readers {
        reader.tell("look")
        let answer = try #require(reader.line())
        #expect(!answer.hasPrefix("error"), "\(answer)")
      }
    }
    for restorer in restorers { #expect(restorer.lines().count == 2) }
    for writer in writers { #expect(writer.lines() == ["done"]) }
    #expect(try scene.problems() == [])
    // One file is kept for each restore, and each is complete.
    let kept = try scene.leftovers()
    #expect(kept.count == 3)
    for name in kept {
      try Specimen.withStore(scene.folder("vault/" + name), key: scene.key) {
        (store) throws(VaultError) in
        #expect(try store.verify().problems == [])
      }
    }
  }

  /// Leaves the vault like a writer that is killed right before its commit: with a hot journal.
  private func killWriter(_ scene: Scene) throws {
    let driver = try scene.driver(
      "write",
      [
        "workload": "modify", "first": "0", "count": "0", "switch": "before-commit", "call": "1000",
      ])
    #expect(driver.wait() == .killed(signal: SIGKILL))
    try #require(File.read(scene.vault + "-journal").first == 0xD9)
  }

  @Test func `A backup that was copied in the middle of a write is refused and left as it is`()
    throws
  {
    let (scene, _) = try Self.scene()
    let copy = scene.folder("copy")
    try killWriter(scene)
    try File.write(File.read(scene.vault), to: copy)
    try File.write(File.read(scene.vault + "-journal"), to: copy + "-journal")
    let before = try scene.contents()
    let (bytes, journal) = (try File.read(copy), try File.read(copy + "-journal"))
    #expect(try restore(scene, copy).lines() == ["error read-only"])
    #expect(try File.read(copy) == bytes && File.read(copy + "-journal") == journal)
    #expect(try scene.contents() == before)
    // Opened once as a vault it is complete.
    #expect(try Specimen.read(copy, key: scene.key).count == 41)
    #expect(try restore(scene, copy).lines().count == 2)
  }

  @Test func `A dead writer's journal is applied before a vault is replaced, not after`()
    throws
  {
    let (scene, backup) = try Self.scene()
    let before = try scene.contents()
    try killWriter(scene)
    #expect(try restore(scene, backup).lines().count == 2)
    #expect(try Set(scene.contents().values) == ["first"])
    let kept = try scene.leftovers()
    try #require(kept.count == 1 && kept[0].hasPrefix("v.replaced-"))
    let items = try Specimen.read(scene.folder("vault/" + kept[0]), key: scene.key)
    #expect(Set(items.map(\.account)) == Set(before.keys))
    #expect(items.allSatisfy { $0.secret?.text == "second" })
  }

  @Test func `A journal that cannot be applied to an unreadable vault is not applied later`()
    throws
  {
    let (scene, backup) = try Self.scene()
    // Like a writer that is killed before its first sync: SQLite does not apply the journal.
    let journal = [UInt8](repeating: 0, count: 512) + [UInt8](repeating: 7, count: 8192)
    var bytes = try File.read(scene.vault)
    bytes.replaceSubrange(18..<20, with: [2, 2])
    try File.write(bytes, to: scene.vault)
    try File.write(journal, to: scene.vault + "-journal")
    #expect(try restore(scene, backup).lines().count == 2)
    #expect(try scene.contents().count == 40 && scene.problems() == [])
    let kept = try scene.leftovers()
    try #require(kept.count == 2)
    #expect(try File.read(scene.folder("vault/" + kept[0])) == bytes)
    #expect(try File.read(scene.folder("vault/" + kept[1])) == journal)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `A backup on a read-only medium of another owner is restored`() throws {
    let (scene, backup) = try Self.scene()
    let medium = scene.folder("medium")
    try File.makeFolder(medium)
    try File.write(File.read(backup), to: medium + "/backup", mode: 0o444)
    try File.setMode(0o555, of: medium)
    for name in ["", "key", "vault", "vault/v", "state", "state/vaultctl"] {
      try File.setOwner(65534, of: scene.folder(name))
    }
    for name in try scene.folder.contents(of: "state/vaultctl") {
      try File.setOwner(65534, of: scene.stateFolder + "/" + name)
    }
    let driver = try restore(scene, medium + "/backup", ["user": "65534"])
    #expect(driver.lines().count == 2)
    #expect(driver.wait() == .exited(0))
    #expect(try File.names(in: medium) == ["backup"])
  }
}
