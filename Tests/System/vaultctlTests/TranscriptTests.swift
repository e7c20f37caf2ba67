import Foundation
import TestTraits
import Testing

@Suite("Transcripts", .waiting)
struct TranscriptTests {
  @Test("there are transcripts, and each has commands")
  func corpus() throws {
    let all = try Transcript.all()
    #expect(all.count >= 10)
    #expect(all.allSatisfy { !$0.steps.isEmpty })
  }

  @Test("a wildcard matches any text and nothing else is forgiven")
  func wildcards() {
    #expect(Transcript.matches("added 7k  x", "added …  x"))
    #expect(!Transcript.matches("added 7k  y", "added …  x"))
    #expect(Transcript.matches("x", "x"))
    #expect(!Transcript.matches("x ", "x"))
  }

  @Test("the program answers as the transcript says", arguments: try Transcript.all())
  func program(_ transcript: Transcript) throws { try play(transcript) }

  @Test(
    "the program answers so where the kernel keeps keys", .needsKeyrings,
    arguments: try Transcript.all(in: "Transcripts/Keyring"))
  func keyrings(_ transcript: Transcript) throws { try play(transcript) }

  private func play(_ transcript: Transcript) throws {
    let workplace = try ProgramFixture()
    for step in transcript.steps {
      try play(step, workplace, transcript.name)
    }
  }

  private func play(_ step: Transcript.Step, _ workplace: ProgramFixture, _ name: String) throws {
    let place: Comment = "\(name).txt:\(step.line): \(step.command)"
    func expand(_ line: String) -> String {
      line.replacingOccurrences(of: "$WORK", with: workplace.folder.path)
    }
    // The last text that does not vary is waited for.
    let dialogue = step.terminal.map { line in
      let parts = expand(line.shown).components(separatedBy: "…")
      return (shown: parts.last { !$0.isEmpty } ?? "", typed: line.typed)
    }
    let outcome = try workplace.run(
      step.command, terminal: step.hasTerminal ? dialogue : nil)

    #expect(outcome.status == step.status, place)
    expect(outcome.output, step.output.map(expand), place)
    expect(outcome.messages, step.messages.map(expand), place)
    guard step.hasTerminal else { return }
    #expect(outcome.echoesAtEnd, place)
    // A prompt ends with a blank that a line of a transcript cannot show; the line feed after it is
    // the only character that the terminal echoes.
    let shown = outcome.shown.replacingOccurrences(of: "\r\n", with: "\n")
      .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    expect(lines: shown, step.shown.map(expand), place)
  }

  private func expect(_ data: Data, _ expected: [String], _ place: Comment) {
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.isEmpty || text.hasSuffix("\n"), place)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    expect(lines: lines.map(String.init), expected, place)
  }

  private func expect(lines: [String], _ expected: [String], _ place: Comment) {
    let isSame =
      lines.count == expected.count
      && zip(lines, expected).allSatisfy { Transcript.matches($0, $1) }
    #expect(
      isSame,
      "\(place)\nexpected:\n\(expected.joined(separator: "\n"))\ngot:\n\(lines.joined(separator: "\n"))"
    )
  }
}
