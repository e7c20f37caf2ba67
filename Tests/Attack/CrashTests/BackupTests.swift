import AttackSupport
import Glibc
import TestTraits
import Testing
import VaultModel
import VaultStore

/// A backup that is killed, at each of its moments.
@Suite("records and state files: a backup that is killed", .waiting)
struct BackupTests {
  @Test func `What a killed backup leaves is removed by the next one, and nothing else is`()
    throws
  {
    let prepared = try Operation.backup.fixture()
    var call = 0
    var leftovers = 0
    while true {
      call += 1
      let fixture = try VaultFixture(copying: prepared)
      let driver = try fixture.driver(
        "operate",
        [
          "operation": Operation.backup.rawValue, "target": fixture.target,
          "backup": fixture.backup,
          "call": "\(call)",
        ])
      let isDone = driver.lines().first?.hasPrefix("done") == true
      guard driver.wait() == .killed(signal: SIGKILL) else {
        #expect(isDone)
        break
      }
      let left = try fixture.leftovers().filter { $0.contains(".backup-") }
      leftovers += left.isEmpty ? 0 : 1
      // Beside the target, under any other name.
      let other = fixture.folder("vault/other")
      try fixture.withStore { (store) throws(VaultError) in _ = try store.backUp(to: other) }
      let now = try fixture.leftovers().filter { $0 != "v-journal" }
      #expect(Set(now).isSubset(of: ["other", "t"]), "\(call): \(now)")
      #expect(try fixture.problems() == [])
    }
    #expect(call > 10 && leftovers > 5)
  }

  @Test func `A backup is on the disk before it has its name`() throws {
    let fixture = try Operation.backup.fixture()
    let driver = try fixture.driver(
      "operate",
      [
        "operation": Operation.backup.rawValue, "target": fixture.target, "backup": fixture.backup,
        "call": "\(Int32.max)",
      ])
    let lines = driver.lines()
    #expect(lines.count == 1 && lines[0].hasPrefix("done"), "\(lines)")
    #expect(driver.wait() == .exited(0))
  }

  @Test func `A backup that the disk does not take is none`() throws {
    let fixture = try Operation.backup.fixture()
    let driver = try fixture.driver(
      "operate",
      [
        "operation": Operation.backup.rawValue, "target": fixture.target, "backup": fixture.backup,
        "switch": "fsync", "errno": "\(EIO)", "call": "0",
      ])
    #expect(driver.lines().first == "error input-output")
    _ = driver.wait()
    #expect(try fixture.leftovers().filter { $0 != "v-journal" } == [])
  }

  @Test(arguments: [2, 3, 5])
  func `A backup in the making is not taken from its maker`(call: Int) throws {
    let fixture = try Operation.backup.fixture()
    let driver = try fixture.driver(
      "operate",
      [
        "operation": Operation.backup.rawValue, "target": fixture.target, "backup": fixture.backup,
        "call": "\(call)", "switch": "stop",
      ])
    #expect(driver.wait() == .stopped)
    let drafts = try fixture.leftovers().filter { $0.contains(".backup-") }
    #expect(!drafts.isEmpty)
    let other = fixture.folder("vault/other")
    try fixture.withStore { (store) throws(VaultError) in _ = try store.backUp(to: other) }
    #expect(try Set(fixture.leftovers()).isSuperset(of: drafts))
    driver.signal(SIGCONT)
    #expect(driver.lines().first?.hasPrefix("done") == true)
    #expect(driver.wait() == .exited(0))
    #expect(try fixture.leftovers().filter { $0.contains(".backup-") } == [])
    #expect(try fixture.look().target?.problems == [])
  }
}
