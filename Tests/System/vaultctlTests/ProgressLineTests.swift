import Testing

@testable import VaultCommands

@Suite("the line of a progress bar")
struct ProgressLineTests {
  @Test("a line has the share that is done, and the time that the rest takes at the same speed")
  func lines() {
    #expect(
      Progress.line("comparing", share: 0.2, after: .seconds(3))
        == "comparing [######........................] 20 %, 12s left")
    #expect(
      Progress.line("restoring", share: 0.01, after: .seconds(60))
        == "restoring [..............................] 1 %, 1h39m left")
  }

  @Test("no time is told before anything is done, nor at the end")
  func ends() {
    #expect(!Progress.line("x", share: 0, after: .seconds(1)).contains("left"))
    #expect(Progress.line("x", share: 1, after: .seconds(1)).hasSuffix(" 100 %"))
    #expect(Progress.line("x", share: 0.99, after: .seconds(1)).hasSuffix(", 1s left"))
  }
}
