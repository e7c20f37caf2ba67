import AttackSupport
import Glibc
import Testing
import VaultModel

/// Files and folders that others could use, or that are not files at all.
@Suite struct FileSafetyTests {
  /// Returns the code of opening the vault, or nil if it can be read and written.
  private func outcome(_ fixture: VaultFixture) -> VaultError.Code? {
    do throws(VaultError) {
      _ = try fixture.contents()
      return nil
    } catch {
      return error.code
    }
  }

  private func makeOpen(_ path: String, of fixture: VaultFixture) -> VaultError.Code? {
    do throws(VaultError) {
      _ = try GoldenVault.withStore(path, key: fixture.key) { (_) throws(VaultError) in }
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
    let fixture = try VaultFixture(holding: Workload.add.base)
    try File.setMode(mode, of: fixture.vault)
    #expect(outcome(fixture) == code)
  }

  @Test(
    arguments: [
      (0o700, nil), (0o755, nil), (0o500, nil), (0o777, VaultError.Code.unsafePermissions),
      (0o770, .unsafePermissions), (0o1777, .unsafePermissions), (0o702, .unsafePermissions),
    ] as [(UInt32, VaultError.Code?)])
  func `A folder that others can write is refused`(mode: UInt32, code: VaultError.Code?) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    try File.setMode(mode, of: fixture.folder("vault"))
    #expect(outcome(fixture) == code)
  }

  @Test func `A symbolic or hard link is refused; a folder may be reached by one`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    try File.makeSymbolicLink(fixture.folder("link"), to: fixture.vault)
    #expect(makeOpen(fixture.folder("link"), of: fixture) == .unsafePermissions)
    try File.makeSymbolicLink(fixture.folder("dangling"), to: fixture.folder("nothing"))
    #expect(makeOpen(fixture.folder("dangling"), of: fixture) == .unsafePermissions)
    try File.makeSymbolicLink(fixture.folder("parent"), to: fixture.folder("vault"))
    #expect(makeOpen(fixture.folder("parent/v"), of: fixture) == nil)
    try File.makeHardLink(fixture.folder("vault/second"), to: fixture.vault)
    #expect(outcome(fixture) == .unsafePermissions)
    #expect(makeOpen(fixture.folder("vault/second"), of: fixture) == .unsafePermissions)
  }

  @Test func `What is no file, or is not there, is said to be that, and nothing hangs`() throws {
    let fixture = try VaultFixture()
    try File.makePipe(fixture.folder("pipe"))
    try File.makeFolder(fixture.folder("folder"))
    let expected: [String: VaultError.Code] = [
      fixture.folder("pipe"): .notAVault, fixture.folder("folder"): .notAVault,
      "/dev/null": .notAVault,
      "/dev/zero": .notAVault, fixture.folder("missing"): .vaultNotFound,
      fixture.folder("missing/v"): .vaultNotFound, fixture.vault + "/v": .vaultNotFound,
      "": .invalidArgument, "/": .invalidArgument, fixture.folder(".."): .invalidArgument,
      String(repeating: "x", count: 5000): .inputOutput,
    ]
    for (path, code) in expected {
      #expect(makeOpen(path, of: fixture) == code, "\(path.prefix(200))")
    }
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root can give a file to another user, or become one"),
    arguments: [false, true])
  func `A file or folder of another owner is refused`(isFolder: Bool) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    try File.setOwner(65534, of: isFolder ? fixture.folder("vault") : fixture.vault)
    #expect(outcome(fixture) == .unsafePermissions)
  }

  /// Runs the probe as a user whom permissions bind: this one, or for root another.
  static func probe(_ fixture: VaultFixture) throws -> [String] {
    guard geteuid() == 0 else { return try fixture.driver("probe").lines() }
    for name in ["", "key", "vault", "vault/v", "state", "state/vaultctl"] {
      try File.setOwner(65534, of: fixture.folder(name))
    }
    for name in try fixture.folder.contents(of: "state/vaultctl") {
      try File.setOwner(65534, of: fixture.stateFolder + "/" + name)
    }
    return try fixture.driver("probe", ["user": "65534"]).lines()
  }

  @Test func `A vault that is all its user's own can be read and written`() throws {
    #expect(try Self.probe(VaultFixture(holding: Workload.add.base)) == ["open", "done", "done"])
  }

  @Test func `A read-only file or folder can be read, and a writer is told`() throws {
    let file = try VaultFixture(holding: Workload.add.base)
    try File.setMode(0o400, of: file.vault)
    #expect(try Self.probe(file) == ["open", "done", "read-only"])
    let folder = try VaultFixture(holding: Workload.add.base)
    try File.setMode(0o500, of: folder.folder("vault"))
    #expect(try Self.probe(folder) == ["open", "done", "read-only"])
    try File.setMode(0o700, of: folder.folder("vault"))
  }

  @Test func `A file that its user may not read is no damage`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    try File.setMode(0o000, of: fixture.vault)
    #expect(try Self.probe(fixture) == ["input-output"])
  }

  @Test func `A state folder that cannot be written changes nothing`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    try File.setMode(0o500, of: fixture.stateFolder)
    for name in try fixture.folder.contents(of: "state/vaultctl") {
      try File.setMode(0o400, of: fixture.stateFolder + "/" + name)
    }
    #expect(try Self.probe(fixture) == ["open", "done", "done"])
  }

  @Test func `Without descriptors to be had there is an error, never damage`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    for files in 3..<14 {
      let lines = try fixture.driver("probe", ["files": "\(files)"]).lines()
      #expect(
        Set(lines).isSubset(of: ["open", "done", "duplicate-item", "input-output"]), "\(lines)")
    }
    #expect(try fixture.problems() == [])
  }

  @Test func `Without a home folder a vault by its path works, and nothing is remembered`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let driver = try DriverProcess("probe", ["vault": fixture.vault, "key": fixture.folder("key")])
    #expect(driver.lines() == ["open", "done", "done"])
  }
}
