import Foundation
import ProgramTesting
import TestTraits
import Testing

/// The table of deliberate faults; `make mutants` puts them in.
@Suite(.waiting) struct MutantsTests {
  private func run(_ option: String) throws -> Sandbox.Result {
    let script = Project.root.appending(path: "Tests/Attack/Mutants/mutants.py").path
    // Otherwise Python would leave compiled files in the repository.
    return try Sandbox().run(
      "python3", script, option, environment: ["PYTHONDONTWRITEBYTECODE": "1"])
  }

  @Test func `The text of each fault stands in the sources exactly once, and its suites exist`()
    throws
  {
    let result = try run("--check")
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  @Test func `There are faults of every area, and many`() throws {
    let lines = try run("--list").output.split(separator: "\n")
    let areas = Set(lines.compactMap { $0.split(separator: " ").first.map(String.init) })
    #expect(
      areas == [
        "crypto", "memory", "tree", "file", "journal", "policy", "model", "HTTP", "C", "CLI",
      ])
    #expect(lines.count >= 30)
  }
}
