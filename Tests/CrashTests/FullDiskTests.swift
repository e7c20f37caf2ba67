import AttackSupport
import Glibc
import Testing

/// A vault on a real disk that is full.
@Suite struct FullDiskTests {
  @Test
  func `A full disk refuses what has no room, spoils nothing, and goes on when there is room`()
    throws
  {
    let scene = try Scene()
    try File.makeFolder(scene.folder("disk"))
    let driver = try scene.driver("fill", ["folder": scene.folder("disk")])
    let lines = driver.lines()
    #expect(driver.wait() == .exited(0))
    let answer = """
      user and mount namespaces are needed: sysctl kernel.unprivileged_userns_clone=1 and, where there is AppArmor, \
      kernel.apparmor_restrict_unprivileged_userns=0; in a container the right to mount
      """
    try #require(lines.first?.hasPrefix("no-disk") == false, "\(lines.first ?? ""): \(answer)")
    #expect(
      lines == [
        "fill whole io full", "modify whole io full", "delete whole done", "add whole done", "v",
      ])
  }
}
