import Foundation
import Testing

/// A file of commands with their expected output, which reads like the manual.
///
///     # A remark.
///     $ vaultctl find -s none.example.com     a command for sh, in an empty folder
///     its standard output, line by line       … stands for any text, $WORK for the folder
///     ! vaultctl: error: …                    a line of standard error
///     ? 44                                    the exit status, if not 0
///
/// A command that needs a terminal begins with `% `. Its prompt is a line `@ …`, and the typed text
/// is the line `< …` below it (`^C` and `^D` are those keys). All of the terminal's output is
/// compared, so typed text must not be shown, unless its line is `> …`.
struct Transcript: Sendable, CustomTestStringConvertible {
  struct Step: Sendable {
    let command: String
    let hasTerminal: Bool
    let line: Int
    var output: [String] = []
    var messages: [String] = []
    var status: Int32 = 0
    var terminal: [(shown: String, typed: String?)] = []
    /// The prompts whose answers are shown.
    var echoes: Set<Int> = []

    /// The lines that the terminal shows.
    var shown: [String] {
      terminal.enumerated().map { index, line in
        echoes.contains(index) ? "\(line.shown) \(line.typed ?? "")" : line.shown
      }
    }
  }

  let name: String
  let steps: [Step]

  var testDescription: String { name }

  struct Malformed: Error, CustomStringConvertible {
    let description: String
  }

  static func folder(_ name: String = "Transcripts") -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: name)
  }

  static func all(in name: String = "Transcripts") throws -> [Transcript] {
    try FileManager.default.contentsOfDirectory(
      at: folder(name), includingPropertiesForKeys: nil
    )
    .filter { $0.pathExtension == "txt" }
    .sorted { $0.path < $1.path }
    .map { file in
      try Transcript(
        name: file.deletingPathExtension().lastPathComponent,
        text: String(contentsOf: file, encoding: .utf8))
    }
  }

  init(name: String, text: String) throws {
    self.name = name
    var steps: [Step] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let line = String(line)
      if line.hasPrefix("$ ") || line.hasPrefix("% ") {
        steps.append(
          Step(
            command: String(line.dropFirst(2)), hasTerminal: line.hasPrefix("%"), line: index + 1))
        continue
      }
      if line.isEmpty || line.hasPrefix("# ") { continue }
      guard !steps.isEmpty else { throw Malformed(description: "\(name): no command before text") }
      try Self.read(line, into: &steps[steps.count - 1])
    }
    self.steps = steps
  }

  private static func read(_ line: String, into step: inout Step) throws {
    if line.hasPrefix("! ") {
      step.messages.append(String(line.dropFirst(2)))
    } else if line.hasPrefix("? "), let status = Int32(line.dropFirst(2)) {
      step.status = status
    } else if line.hasPrefix("@ ") {
      step.terminal.append((String(line.dropFirst(2)), nil))
    } else if line.hasPrefix("< ") || line == "<" || (line.hasPrefix("> ") && step.hasTerminal) {
      guard let last = step.terminal.indices.last else {
        throw Malformed(description: "'<' without '@' before it")
      }
      step.terminal[last].typed = String(line.dropFirst(2))
      if line.hasPrefix(">") { step.echoes.insert(last) }
    } else {
      step.output.append(line)
    }
  }

  /// Returns whether a line is as expected, `…` standing for any text.
  static func matches(_ line: String, _ expected: String) -> Bool {
    let parts = expected.components(separatedBy: "…")
    guard parts.count > 1 else { return line == expected }
    guard line.hasPrefix(parts[0]) else { return false }
    var rest = line.dropFirst(parts[0].count)
    for part in parts.dropFirst().dropLast() {
      guard let range = rest.range(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.hasSuffix(parts[parts.count - 1])
  }
}
