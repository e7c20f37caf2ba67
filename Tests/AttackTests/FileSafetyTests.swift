import AttackSupport
import Glibc
import Testing
import VaultModel

/// Files and folders that others could use, or that are no files at all.
@Suite struct FileSafetyTests {
  /// The code that opening the vault gives, or nil if it can be read and written.
  private func outcome(_ scene: Scene) -> VaultError.Code? {
    do throws(VaultError) {
      _ = try scene.contents()
      return nil
    } catch {
      return error.code
    }
  }

  private func makeOpen(_ path: String, of scene: Scene) -> VaultError.Code? {
    do throws(VaultError) {
      _ = try Specimen.withStore(path, key: scene.key) { (_) throws(VaultError) in }
      return nil
    } catch {
      return error.code
    }
  }

  @Test(
    arguments: [
      (0o600, nil), (0o400, nil), (0o604, VaultError.Code.unsafePermissions),
      (0o620, .unsafePermissions), (0o640, .unsafePermissions), (0o644, .unsafePermissions),
      (0o660, .unsafePermissions), (0o666, .unsafePermissions), (0o601, .unsafePermissions),
    ] as [(UInt32, VaultError.Code?)])
  func `A file that others can use is refused`(mode: UInt32, code: VaultError.Code?) throws {
    let scene = try Scene(holding: Workload.add.base)
    try File.setMode(mode, of: scene.vault)
    #expect(outcome(scene) == code)
  }

  @Test(
    arguments: [
      (0o700, nil), (0o755, nil), (0o500, nil), (0o777, VaultError.Code.unsafePermissions),
      (0o770, .unsafePermissions), (0o1777, .unsafePermissions), (0o702, .unsafePermissions),
    ] as [(UInt32, VaultError.Code?)])
  func `A folder that others can write is refused`(mode: UInt32, code: VaultError.Code?) throws {
    let scene = try Scene(holding: Workload.add.base)
    try File.setMode(mode, of: scene.folder("vault"))
    #expect(outcome(scene) == code)
  }

  @Test func `A symbolic or hard link is refused; a folder may be reached by one`() throws {
    let scene = try Scene(holding: Workload.add.base)
    try File.makeSymbolicLink(scene.folder("link"), to: scene.vault)
    #expect(makeOpen(scene.folder("link"), of: scene) == .unsafePermissions)
    try File.makeSymbolicLink(scene.folder("dangling"), to: scene.folder("nothing"))
    #expect(makeOpen(scene.folder("dangling"), of: scene) == .unsafePermissions)
    try File.makeSymbolicLink(scene.folder("parent"), to: scene.folder("vault"))
    #expect(makeOpen(scene.folder("parent/v"), of: scene) == nil)
    try File.makeHardLink(scene.folder("vault/second"), to: scene.vault)
    #expect(outcome(scene) == .unsafePermissions)
    #expect(makeOpen(scene.folder("vault/second"), of: scene) == .unsafePermissions)
  }

  @Test func `What is no file, or is not there, is said to be that, and nothing hangs`() throws {
    let scene = try Scene()
    try File.makePipe(scene.folder("pipe"))
    try File.makeFolder(scene.folder("folder"))
    let expected: [String: VaultError.Code] = [
      scene.folder("pipe"): .notAVault, scene.folder("folder"): .notAVault, "/dev/null": .notAVault,
      "/dev/zero": .notAVault, scene.folder("missing"): .vaultNotFound,
      scene.folder("missing/v"): .vaultNotFound, scene.vault + "/v": .vaultNotFound,
      "": .invalidArgument, "/": .invalidArgument, scene.folder(".."): .invalidArgument,
      String(repeating: "x", count: 5000): .inputOutput,
    ]
    for (path, code) in expected {
      #expect(makeOpen(path, of: scene) == code, "\(path.prefix(200))")
    }
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root can give a file to another user, or become one"),
    arguments: [false, true])
  func `A file or folder of another owner is refused`(isFolder: Bool) throws {
    let scene = try Scene(holding: Workload.add.base)
    try File.setOwner(65534, of: isFolder ? scene.folder("vault") : scene.vault)
    #expect(outcome(scene) == .unsafePermissions)
  }

  /// As a user whom permissions bind: this one, or for root another.
  static func probe(_ scene: Scene) throws -> [String] {
    guard geteuid() == 0 else { return try scene.driver("probe").lines() }
    for name in ["", "key", "vault", "vault/v", "state", "state/vaultctl"] {
      try File.setOwner(65534, of: scene.folder(name))
    }
    for name in try scene.folder.contents(of: "state/vaultctl") {
      try File.setOwner(65534, of: scene.stateFolder + "/" + name)
    }
    return try scene.driver("probe", ["user": "65534"]).lines()
  }

  @Test func `A vault that is all its user's own can be read and written`() throws {
    #expect(try Self.probe(Scene(holding: Workload.add.base)) == ["open", "done", "done"])
  }

  @Test func `A read-only file or folder can be read, and a writer is told`() throws {
    let file = try Scene(holding: Workload.add.base)
    try File.setMode(0o400, of: file.vault)
    #expect(try Self.probe(file) == ["open", "done", "read-only"])
    let folder = try Scene(holding: Workload.add.base)
    try File.setMode(0o500, of: folder.folder("vault"))
    #expect(try Self.probe(folder) == ["open", "done", "read-only"])
    try File.setMode(0o700, of: folder.folder("vault"))
  }

  @Test func `A file that its user may not read is no damage`() throws {
    let scene = try Scene(holding: Workload.add.base)
    try File.setMode(0o000, of: scene.vault)
    #expect(try Self.probe(scene) == ["io"])
  }

  @Test func `A state folder that cannot be written changes nothing`() throws {
    let scene = try Scene(holding: Workload.add.base)
    try File.setMode(0o500, of: scene.stateFolder)
    for name in try scene.folder.contents(of: "state/vaultctl") {
      try File.setMode(0o400, of: scene.stateFolder + "/" + name)
    }
    #expect(try Self.probe(scene) == ["open", "done", "done"])
  }

  @Test func `Without descriptors to be had there is an error, never damage`() throws {
    let scene = try Scene(holding: Workload.add.base)
    for files in 3..<14 {
      let lines = try scene.driver("probe", ["files": "\(files)"]).lines()
      #expect(Set(lines).isSubset(of: ["open", "done", "item-exists", "io"]), "\(lines)")
    }
    #expect(try scene.problems() == [])
  }

  @Test func `Without a home folder a vault by its path works, and nothing is remembered`() throws {
    let scene = try Scene(holding: Workload.add.base)
    let driver = try Driver("probe", ["vault": scene.vault, "key": scene.folder("key")])
    #expect(driver.lines() == ["open", "done", "done"])
  }
}
