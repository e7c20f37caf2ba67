import AttackSupport
import Glibc
import TestTraits
import Testing
import VaultStore
import VaultModel

/// A file system that keeps no permissions, as FAT on a stick: whatever is asked for, a file has
/// its own mode.
@Suite(.waiting) struct ModelessDiskTests {
  private func operate(_ operation: Operation, _ fixture: VaultFixture) throws -> [String] {
    let driver = try fixture.driver(
      "operate",
      [
        "operation": operation.rawValue, "target": fixture.target, "backup": fixture.backup,
        "call": "0", "switch": "no-modes",
      ])
    let lines = driver.lines()
    _ = driver.wait()
    return lines
  }

  @Test func `A backup is made there, leaves nothing beside it, and can be restored`() throws {
    let fixture = try Operation.backup.fixture()
    let lines = try operate(.backup, fixture)
    #expect(lines.count == 1 && lines[0].hasPrefix("done"), "\(lines)")
    #expect(try fixture.leftovers().filter { $0 != "v-journal" } == ["t"])
    #expect(FileStatus(at: fixture.target)?.mode == S_IFREG | 0o755)
    let restored = fixture.folder("restored/v")
    _ = try FileStore.restore(
      from: fixture.target, to: restored, key: fixture.key, stateFolder: nil, lockTimeout: .zero)
    let items = try GoldenVault.read(restored, key: fixture.key)
    #expect(items.count == (try fixture.contents().count))
  }

  @Test(arguments: [Operation.create, .clone, .restoreMissing])
  func `A vault is not made where others could use it, and nothing of it is left`(
    operation: Operation
  ) throws {
    let fixture = try operation.fixture()
    let before = try fixture.folder.contents(of: "vault")
    #expect(try operate(operation, fixture) == ["error unsafe-permissions"])
    #expect(try Set(fixture.folder.contents(of: "vault")) == Set(before))
  }
}
