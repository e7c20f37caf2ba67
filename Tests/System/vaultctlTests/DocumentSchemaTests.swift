import TestTraits
import Foundation
import ProgramTesting
import VaultStore
import Testing

@testable import VaultCommands

/// The schemas of `--json` against what the commands really write.
@Suite("The schemas of JSON documents", .waiting)
struct DocumentSchemaTests {
  /// A command for the shell, whose last `vaultctl` writes a document; `! ` marks one that fails.
  private struct Step {
    let line: String
    let name: String
    let fails: Bool

    init(_ line: Substring) throws {
      fails = line.hasPrefix("! ")
      self.line = String(fails ? line.dropFirst(2) : line)
      let words = self.line.components(separatedBy: "vaultctl ").last?.split(separator: " ")
      name = String(try #require(words?.first))
    }

    /// The definition of the document: a failure has one of its own, unless the command reports
    /// what it did nevertheless.
    var definition: String { fails && !["import", "salvage"].contains(name) ? "error" : name }
  }

  private static func steps() throws -> [Step] {
    let file = Transcript.folder().appending(path: "documents.commands")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(Step.init)
  }

  @Test("every document is as its schema says, without a member that is not described")
  func documents() throws {
    let schema = try JSONSchema("commands")
    let workplace = try ProgramFixture()
    let hasKeyrings = if case .works = KeyringState.current() { true } else { false }
    for step in try Self.steps() where hasKeyrings || step.name != "unlock" {
      let outcome = try workplace.run(step.line)
      let document = try JSONSerialization.jsonObject(with: outcome.output)
      #expect(
        (document as? [String: Any])?["ok"] as? Bool == !step.fails,
        "\(step.line): \(String(decoding: outcome.output, as: UTF8.self))")
      #expect(try schema.problems(document, as: step.definition) == [], "\(step.line)")
      #expect(try schema.problems(document) == [], "\(step.line)")
    }
  }

  @Test("each command that takes --json has a schema, and its document is checked")
  func complete() throws {
    let commands = CommandTable.commands.filter { command in
      command.options.contains { $0.name == .general(.json) }
    }
    let names = Set(commands.map(\.name))
    let checked = Set(try Self.steps().filter { !$0.fails }.map(\.name))
    #expect(names.subtracting(checked).isEmpty)
    #expect(names.isSubset(of: try JSONSchema("commands").definitions.keys))
  }

  @Test(
    "a document that is not as its schema says is found",
    arguments: [
      (#"{"ok":true}"#, "version"), (#"{"ok":true,"version":1}"#, "version"),
      (#"{"ok":false,"version":"1"}"#, "version"), (#"{"ok":true,"version":"1","a":1}"#, "version"),
      (#"{"ok":true,"items":[{"class":"internet"}]}"#, "find"),
      (#"{"ok":true,"relation":"same"}"#, "merge"), (#"{"ok":true}"#, "none"),
    ])
  func refused(_ text: String, _ name: String) throws {
    let document = try JSONSerialization.jsonObject(with: Data(text.utf8))
    #expect(try !JSONSchema("commands").problems(document, as: name).isEmpty)
  }
}
