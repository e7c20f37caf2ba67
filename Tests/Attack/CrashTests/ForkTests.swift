import AttackSupport
import TestTraits
import Testing

/// A process that forks with a vault open.
@Suite(.waiting) struct ForkTests {
  @Test func `To a forked child the vault is locked, and to its parent it is as before`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let driver = try fixture.driver("fork")
    #expect(driver.lines() == ["locked", "child ended", "done true"])
    #expect(driver.wait() == .exited(0))
  }

  @Test(.disabled(if: Sanitizer.isActive, "sanitizers do not survive a fork beside other threads"))
  func `That holds also if another thread was in the vault at the fork`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let driver = try fixture.driver("fork", ["busy": "1", "forks": "30"])
    let expected = (0..<30).flatMap { _ in ["locked", "child ended"] }
    #expect(driver.lines() == expected + ["done true"])
    #expect(driver.wait() == .exited(0))
    #expect(try fixture.problems() == [])
  }
}
