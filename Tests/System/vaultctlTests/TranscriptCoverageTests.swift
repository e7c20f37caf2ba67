import TestTraits
import Testing

@testable import VaultCommands

/// No command, option or exit status without a transcript.
@Suite("what the transcripts cover", .waiting)
struct TranscriptCoverageTests {
  /// The words behind each command in the transcripts.
  private static let uses: [CommandName: Set<String>] = {
    var uses: [CommandName: Set<String>] = [:]
    for command in transcripts.flatMap(\.steps).flatMap({ unrolled($0.command) }) {
      for call in command.split(whereSeparator: { ";|&()`\n".contains($0) }) {
        let words = call.split(separator: " ").map { $0.filter { !"'\"".contains($0) } }
        guard let (command, rest) = use(words) else { continue }
        uses[command, default: []].formUnion(rest)
      }
    }
    return uses
  }()

  /// Returns a script with each of the values of its loops, `for NAME in ONE 'ONE MORE'; do`.
  private static func unrolled(_ script: String) -> [String] {
    let form = #/for ([a-z]+) in ((?:'[^']*'|"[^"]*"|[^;'"])*); do /#
    guard let loop = script.firstMatch(of: form) else { return [script] }
    let before = script[..<loop.range.lowerBound]
    let after = script[loop.range.upperBound...]
    let values = loop.2.matches(of: #/'[^']*'|"[^"]*"|[^ ]+/#)
      .map { $0.0.filter { !"'\"".contains($0) } }
    return values.flatMap { value in
      unrolled(String(before) + String(after.replacing("$\(loop.1)", with: value)))
    }
  }

  private static let transcripts: [Transcript] = {
    do {
      return try Transcript.all() + Transcript.all(in: "Transcripts/Keyring")
    } catch {
      return []
    }
  }()

  /// Scripts of transcripts that call the program by another name.
  private static let callers: Set<String> = ["vaultctl", "v", "./there"]

  /// Returns the command that words call, and those behind it; nil if they call none.
  private static func use(_ words: [String]) -> (CommandName, ArraySlice<String>)? {
    for (index, word) in words.enumerated() {
      if let helper = CommandName.helper(word) { return (helper, words[(index + 1)...]) }
      guard callers.contains(word) else { continue }
      // Options may come before it.
      let command = words[(index + 1)...].firstIndex { CommandTable.command(named: $0) != nil }
      guard let command, let called = CommandTable.command(named: words[command]) else { continue }
      return (called.id, words[(index + 1)...])
    }
    return nil
  }

  private static func has(_ option: Option, _ words: Set<String>) -> Bool {
    words.contains { word in
      if word == "--\(option.name.text)" || word.hasPrefix("--\(option.name.text)=") { return true }
      guard let letter = option.letter, word.hasPrefix("-"), !word.hasPrefix("--") else {
        return false
      }
      return word.contains(letter)
    }
  }

  @Test("every command, and each of its options and actions", arguments: CommandTable.commands)
  func command(_ command: Command) throws {
    let words = try #require(Self.uses[command.id])
    for option in command.options {
      #expect(Self.has(option, words), "\(command.name) --\(option.name.text)")
    }
    for action in command.operands.words {
      #expect(words.contains(action), "\(command.name) \(action)")
    }
  }

  @Test("every exit status", arguments: ExitCode.allCases)
  func status(_ code: ExitCode) {
    #expect(Self.transcripts.flatMap(\.steps).contains { $0.status == code.rawValue })
  }

  @Test("every example of the help is one that the program understands")
  func examples() throws {
    let workplace = try ProgramFixture()
    let made = try workplace.run(
      """
      vaultctl init -q; printf x | vaultctl add -q https://ann@git.example.com --password-stdin
      printf y | vaultctl add -q https://ann@ci.example.com --password-stdin
      """)
    try #require(made.status == 0)
    // A key file alone needs an answer for a rekey, and there is no folder for backups.
    let others: [CommandName] = [.rekey, .backup]
    for name in CommandName.allCases
    where name.command.example.hasPrefix("vaultctl ") && !others.contains(name) {
      let run = try workplace.run(name.command.example)
      #expect(run.status != ExitCode.usage.rawValue && !run.wasSignalled, "\(name.command.example)")
    }
  }
}
