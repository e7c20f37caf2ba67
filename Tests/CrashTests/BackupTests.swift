import AttackSupport
import Glibc
import Testing
import VaultModel
import VaultRecovery

/// A backup that is killed, at each of its moments.
@Suite("records and state files: a backup that is killed")
struct BackupTests {
  @Test func `What a killed backup leaves is removed by the next one, and nothing else is`()
    throws
  {
    let prepared = try Operation.backup.scene()
    var call = 0
    var leftovers = 0
    while true {
      call += 1
      let scene = try Scene(copying: prepared)
      let driver = try scene.driver(
        "operate",
        [
          "operation": Operation.backup.rawValue, "target": scene.target, "backup": scene.backup,
          "call": "\(call)",
        ])
      let isDone = driver.lines().first?.hasPrefix("done") == true
      guard driver.wait() == .killed(signal: SIGKILL) else {
        #expect(isDone)
        break
      }
      let left = try scene.leftovers().filter { $0.contains(".backup-") }
      leftovers += left.isEmpty ? 0 : 1
      // Beside the target, under any other name.
      let other = scene.folder("vault/other")
      try scene.withStore { (store) throws(VaultError) in _ = try store.backUp(to: other) }
      let now = try scene.leftovers().filter { $0 != "v-journal" }
      #expect(Set(now).isSubset(of: ["other", "t"]), "\(call): \(now)")
      #expect(try scene.problems() == [])
    }
    #expect(call > 10 && leftovers > 5)
  }

  @Test(arguments: [2, 3, 5])
  func `A backup in the making is not taken from its maker`(call: Int) throws {
    let scene = try Operation.backup.scene()
    let driver = try scene.driver(
      "operate",
      [
        "operation": Operation.backup.rawValue, "target": scene.target, "backup": scene.backup,
        "call": "\(call)", "switch": "stop",
      ])
    #expect(driver.wait() == .stopped)
    let drafts = try scene.leftovers().filter { $0.contains(".backup-") }
    #expect(!drafts.isEmpty)
    let other = scene.folder("vault/other")
    try scene.withStore { (store) throws(VaultError) in _ = try store.backUp(to: other) }
    #expect(try Set(scene.leftovers()).isSuperset(of: drafts))
    driver.signal(SIGCONT)
    #expect(driver.lines().first?.hasPrefix("done") == true)
    #expect(driver.wait() == .exited(0))
    #expect(try scene.leftovers().filter { $0.contains(".backup-") } == [])
    #expect(try scene.look().target?.problems == [])
  }
}
