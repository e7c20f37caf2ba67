import AttackSupport
import Glibc
import TestTraits
import Testing

/// A vault on a real disk that is full.
@Suite(.waiting) struct FullDiskTests {
  @Test
  func `A full disk refuses what has no room, spoils nothing, and goes on when there is room`()
    throws
  {
    let fixture = try VaultFixture()
    try File.makeFolder(fixture.folder("disk"))
    let driver = try fixture.driver("fill", ["folder": fixture.folder("disk")])
    let lines = driver.lines()
    #expect(driver.wait() == .exited(0))
    let answer = """
      user and mount namespaces are needed: sysctl kernel.unprivileged_userns_clone=1 and, where there is AppArmor, \
      kernel.apparmor_restrict_unprivileged_userns=0; in a container the right to mount
      """
    try #require(lines.first?.hasPrefix("no-disk") == false, "\(lines.first ?? ""): \(answer)")
    #expect(
      lines == [
        "fill whole input-output full", "modify whole input-output full",
        "merge whole input-output full", "delete whole done",
        "merge whole done", "add whole done", "v",
      ])
  }
}
