import ProgramTesting
import Testing

@testable import vaultctl

/// Commands that nobody watches.
@Suite("without a terminal")
struct WithoutTerminalTests {
  @Test(
    "every command ends by itself in a session of its own with a closed input",
    arguments: CommandName.allCases, ["", " x", " https://a@b.example.com x"])
  func ends(_ command: CommandName, _ operands: String) throws {
    let workplace = try Workplace()
    let run = try workplace.run(
      "unset VAULTCTL_KEY_FILE; timeout 60 setsid -w vaultctl \(command.rawValue)\(operands) <&-")
    // 124 is timeout's, for a command that it had to end.
    #expect(run.status != 124 && !run.wasSignalled)
    #expect(ExitCode(rawValue: run.status) != nil)
  }
}
