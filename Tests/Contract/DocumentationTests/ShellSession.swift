import Foundation
import ProgramTesting
import Testing

/// The `sh` blocks of a page as one session, each with the `text` block after it as its expected
/// output.
struct ShellSession {
  private let steps: [(script: String, expected: String)]

  init(_ page: Markdown) throws {
    let blocks = page.blocks.filter { ["sh", "text"].contains($0.language) }
    steps = blocks.indices.filter { blocks[$0].language == "sh" }.map { index in
      let next = index + 1 < blocks.count ? blocks[index + 1] : nil
      return (blocks[index].text, next?.language == "text" ? next?.text ?? "" : "")
    }
    try #require(!steps.isEmpty)
  }

  /// Runs the blocks in one shell, and compares the output of each.
  func run(
    in sandbox: Sandbox, environment: [String: String?]
  ) throws -> Sandbox.Result {
    let separator = "--- \(UUID().uuidString)"
    let script = steps.map { "\($0.script)echo '\(separator)'\n" }.joined()
    let result = try sandbox.run(
      "bash", "-euo", "pipefail", "-c", script, environment: environment)
    let outputs = result.output.components(separatedBy: "\(separator)\n")
    try #require(outputs.count == steps.count + 1, "\(result.output)\(result.errors)")
    for (step, printed) in zip(steps, outputs) {
      #expect(Self.matches(printed, step.expected), "\(step.script)\nprinted:\n\(printed)")
    }
    return result
  }

  /// Returns whether lines match: they are equal, or an "…" stands for anything within a line.
  private static func matches(_ output: String, _ expected: String) -> Bool {
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
    let patterns = expected.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.count == patterns.count
      && zip(lines, patterns).allSatisfy { line, pattern in
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return line == pattern }
        var rest = line.dropFirst(parts[0].count)
        guard line.hasPrefix(parts[0]) else { return false }
        for part in parts.dropFirst().dropLast() {
          guard let found = rest.firstRange(of: part) else { return false }
          rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(parts[parts.count - 1])
      }
  }
}
