import Testing

@testable import VaultCommands

@Suite("the line of a progress bar")
struct ProgressLineTests {
  @Test("a line has the share that is done, and the time that the rest takes at the same speed")
  func lines() {
    #expect(
      Progress.line("comparing", share: 0.2, of: 0.2, in: .seconds(3), columns: 80)
        == "comparing [######........................] 20 %, 12s left")
    #expect(
      Progress.line("restoring", share: 0.01, of: 0.01, in: .seconds(60), columns: 80)
        == "restoring [..............................] 1 %, 1h39m left")
  }

  @Test("the speed is that of the share which was done in the time")
  func speed() {
    let line = Progress.line("x", share: 0.6, of: 0.2, in: .seconds(10), columns: 80)
    #expect(line.hasSuffix(" 60 %, 20s left"))
  }

  @Test("no time is told before anything is done, nor at the end")
  func ends() {
    func line(_ share: Double, _ part: Double) -> String {
      Progress.line("x", share: share, of: part, in: .seconds(1), columns: 80)
    }
    #expect(!line(0, 0).contains("left") && !line(0.3, 0).contains("left"))
    #expect(line(1, 1).hasSuffix(" 100 %"))
    #expect(line(0.99, 0.99).hasSuffix(", 1s left"))
  }

  @Test(
    "it never fills a terminal's line, and so never scrolls it",
    arguments: ["backing up", "re-encrypting", "x"], [0, 1, 7, 20, 34, 40, 41, 60, 80, 300])
  func narrow(_ title: String, _ columns: Int) {
    for share in [0, 0.1, 0.5, 0.999, 1] {
      let line = Progress.line(title, share: share, of: share, in: .seconds(3599), columns: columns)
      #expect(line.count < max(2, columns), "\(line)")
    }
    let line = Progress.line(title, share: 0.5, of: 0.5, in: .seconds(5), columns: 40)
    #expect(line.hasPrefix("\(title) [##") && line.hasSuffix(".] 50 %, 5s left"))
  }
}
