import AttackSupport
import Glibc
import TestTraits
import Testing

/// A new replica, which is on the disk before anybody can find it.
@Suite(.waiting) struct NewReplicaTests {
  private func clone(_ fixture: VaultFixture, _ more: [String: String]) throws -> DriverProcess {
    let paths = ["target": fixture.target, "backup": fixture.backup]
    return try fixture.driver(
      "operate", ["operation": Operation.clone.rawValue].merging(paths) { $1 }.merging(more) { $1 })
  }

  @Test func `A replica is on the disk before it has its name`() throws {
    let fixture = try Operation.clone.fixture()
    let driver = try clone(fixture, ["call": "\(Int32.max)"])
    let lines = driver.lines()
    #expect(lines.count == 1 && lines[0].hasPrefix("done"), "\(lines)")
    #expect(driver.wait() == .exited(0))
    #expect(try fixture.leftovers().filter { $0.hasPrefix("t") } == ["t"])
    #expect(try fixture.look().target?.problems == [])
  }

  @Test func `A replica that the disk does not take is none`() throws {
    let fixture = try Operation.clone.fixture()
    let driver = try clone(fixture, ["switch": "fsync", "errno": "\(EIO)", "call": "0"])
    #expect(driver.lines() == ["error input-output"])
    _ = driver.wait()
    #expect(try fixture.leftovers().filter { $0 != "b" } == [])
    let next = try clone(fixture, ["call": "\(Int32.max)"])
    #expect(next.lines().first?.hasPrefix("done") == true)
    #expect(next.wait() == .exited(0))
    #expect(try fixture.look().target?.problems == [])
  }
}
