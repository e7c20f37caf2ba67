import AttackSupport
import Glibc
import SecureMemory
import Testing
import VaultModel
import VaultStorage

/// A restore beside other processes.
@Suite struct RestoreTests {
  enum Target: CaseIterable, Sendable {
    case whole
    /// The first page is no database's any more, so that nothing can be written into the file.
    case unreadable
  }

  /// A vault that changed since its backup.
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
    // One file is kept for each restore, and each is whole.
    let kept = try scene.leftovers()
    #expect(kept.count == 3)
    for name in kept {
      try Specimen.withStore(scene.folder("vault/" + name), key: scene.key) {
        (store) throws(VaultError) in
        #expect(try store.verify().problems == [])
      }
    }
  }
}
