import AttackSupport
import Glibc
import SecureMemory
import Testing
import VaultModel
import VaultStorage

/// A restore beside other processes, and one that is killed.
@Suite struct RestoreTests {
  enum Target: CaseIterable, Sendable {
    case whole
    /// The first page is no database's any more, so that nothing can be written into the file.
    case unreadable
    case missing
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
    _ scene: Scene, _ backup: String, _ arguments: [String: String] = ["switch": "none"]
  ) throws -> Driver {
    try scene.driver("restore", arguments.merging(["backup": backup]) { $1 })
  }

  @Test(arguments: [Target.whole, .unreadable])
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

  @Test(arguments: Target.allCases)
  func `A restore that is killed leaves the old vault or the restored one, and nothing that hurts`(
    target: Target
  ) throws {
    let (scene, backup) = try Self.scene()
    let folder = scene.folder("vault")
    let before = try scene.contents()
    switch target {
    case .whole: break
    case .unreadable: try Self.damageFirstPage(of: scene.vault)
    case .missing: try File.remove(scene.vault)
    }
    let old = target == .missing ? nil : try File.read(scene.vault)
    func reset() throws {
      for name in try File.names(in: folder) { try File.remove(folder + "/" + name) }
      if let old { try File.write(old, to: scene.vault) }
      for name in try File.names(in: scene.stateFolder) {
        try File.remove(scene.stateFolder + "/" + name)
      }
    }
    let line = try #require(try restore(scene, backup).lines().first)
    let calls = try #require(Int(line.dropFirst("done ".count)))
    var (olds, news) = (0, 0)
    let step = Sanitizer.isActive ? 17 : 3
    for call in stride(from: 1, through: calls, by: step) {
      try reset()
      let driver = try restore(scene, backup, ["switch": "kill", "call": "\(call)"])
      #expect(driver.lines() == [])
      #expect(driver.wait() == .killed(signal: SIGKILL))
      let names = try File.names(in: folder).filter { $0 != "v" && $0 != "v-journal" }
      #expect(
        names.allSatisfy {
          $0.hasPrefix(".v.") && $0.contains(".new") || $0.hasPrefix("v.replaced-")
        },
        "\(call): \(names)")
      guard let now = try outcome(scene, target, old: old) else {
        olds += 1
        // What the killed one left stands in nobody's way.
        #expect(try restore(scene, backup).lines().count == 2)
        #expect(try scene.contents().count == 40)
        continue
      }
      if now == before { olds += 1 } else { news += 1 }
      #expect(now == before || now.count == 40 && Set(now.values) == ["first"])
      #expect(try scene.problems() == [])
      try scene.withStore { (store) throws(VaultError) in
        _ = try store.add(Workload.item("after", "after"))
      }
    }
    #expect(olds > 0 && (news > 0 || target != .whole))
  }

  /// What the vault holds; nil where it is as unusable as before.
  private func outcome(_ scene: Scene, _ target: Target, old: [UInt8]?) throws -> [String: String]?
  {
    switch target {
    case .whole: return try scene.contents()
    case .missing: return File.exists(scene.vault) ? try scene.contents() : nil
    case .unreadable: return try File.read(scene.vault) == old ? nil : try scene.contents()
    }
  }

  @Test func `A backup that is killed leaves a whole copy or none`() throws {
    let (scene, _) = try Self.scene()
    let folder = scene.folder("backups")
    try File.makeFolder(folder)
    func backUp(_ arguments: [String: String]) throws -> Driver {
      try scene.driver("backup", arguments.merging(["backup": folder + "/b"]) { $1 })
    }
    let line = try #require(try backUp(["switch": "none"]).lines().first)
    let calls = try #require(Int(line.dropFirst("done ".count)))
    for call in stride(from: 1, through: calls, by: Sanitizer.isActive ? 11 : 2) {
      for name in try File.names(in: folder) { try File.remove(folder + "/" + name) }
      let driver = try backUp(["switch": "kill", "call": "\(call)"])
      #expect(driver.wait() == .killed(signal: SIGKILL))
      let names = try File.names(in: folder)
      #expect(names.allSatisfy { $0 == "b" || $0.hasPrefix(".b.") })
      if names.contains("b") {
        #expect(try Specimen.read(folder + "/b", key: scene.key).count == 41)
      } else {
        #expect(try backUp(["switch": "none"]).wait() == .exited(0))
      }
    }
    #expect(try scene.problems() == [])
  }

  /// Leaves the vault as a writer does that is killed right before its commit: with a hot journal.
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
    // Opened once as a vault it is whole.
    #expect(try Specimen.read(copy, key: scene.key).count == 41)
    #expect(try restore(scene, copy).lines().count == 2)
  }

  @Test func `A dead writer's journal is applied before a vault is replaced, and never after`()
    throws
  {
    let (scene, backup) = try Self.scene()
    let before = try scene.contents()
    try killWriter(scene)
    #expect(try restore(scene, backup).lines().count == 2)
    #expect(try Set(scene.contents().values) == ["first"])
    let kept = try scene.leftovers()
    #expect(kept.count == 1 && kept[0].hasPrefix("v.replaced-"))
    let items = try Specimen.read(scene.folder("vault/" + kept[0]), key: scene.key)
    #expect(Set(items.map(\.account)) == Set(before.keys))
    #expect(items.allSatisfy { $0.secret?.text == "second" })
  }

  @Test func `A journal that cannot be applied to an unreadable vault is not applied to the new one`()
    throws
  {
    let (scene, backup) = try Self.scene()
    try killWriter(scene)
    var journal = try File.read(scene.vault + "-journal")
    // Its pages are good, but it says that it is of a file with larger ones.
    journal[24] = 0xFF
    try File.write(journal, to: scene.vault + "-journal")
    try Self.damageFirstPage(of: scene.vault)
    let bytes = try File.read(scene.vault)
    #expect(try restore(scene, backup).lines().count == 2)
    #expect(try scene.contents().count == 40 && scene.problems() == [])
    let kept = try scene.leftovers()
    #expect(kept.count == 2)
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
    let driver = try restore(scene, medium + "/backup", ["switch": "none", "user": "65534"])
    #expect(driver.lines().count == 2)
    #expect(driver.wait() == .exited(0))
    #expect(try File.names(in: medium) == ["backup"])
  }
}
