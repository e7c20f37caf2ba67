import Foundation
import ProgramTesting
import Testing

/// A `console` block: commands behind `$`, with what the terminal shows between them.
///
/// A line that ends with a colon is a prompt, at which a person types without an echo.
struct ConsoleSession {
  private let commands: [String]
  private let prompts: [String]
  private let printed: [String]

  init(_ block: Markdown.Block) {
    let lines = block.text.split(separator: "\n").map(String.init)
    commands = lines.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
    let shown = lines.filter { !$0.hasPrefix("$ ") }
    prompts = shown.filter { $0.hasSuffix(":") }
    printed = shown.filter { !$0.hasSuffix(":") }
  }

  /// Runs the commands in one shell at a terminal, below another program if words name one.
  ///
  /// Every prompt gets the same answer. The page's user is called ann, and its ids are others.
  func run(
    in sandbox: Sandbox, below words: [String], environment: [String: String?],
    typing answer: String
  ) throws {
    func local(_ text: String) -> String {
      text.replacing("/home/ann", with: sandbox.home.path)
        .replacing(#/\b[0-9a-z]{10}\b(?=  )/#, with: "ID")
    }
    let terminal = try PseudoTerminal()
    let result = try sandbox.run(
      words + ["bash", "-euo", "pipefail", "-c", commands.joined(separator: "\n")],
      environment: environment, at: terminal,
      prompts.map { (shown: local($0), typed: answer) })
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines.map(local) == printed.map(local), "\(result.errors)")
    for prompt in prompts.map(local) { #expect(terminal.shown.contains(prompt)) }
    #expect(!terminal.shown.contains(answer))
  }
}
