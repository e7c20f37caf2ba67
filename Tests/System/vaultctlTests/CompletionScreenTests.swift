import Testing
import TestTraits

@testable import VaultCommands

/// What Tab shows on a small terminal, in each shell.
@Suite("completions on a screen", .waiting)
struct CompletionScreenTests {
  private static let shells = [
    ("bash --norc", "source <(vaultctl completion bash)", ["Tab", "Tab"]),
    ("zsh -f", "autoload -Uz compinit; compinit -uD; source <(vaultctl completion zsh)", ["Tab"]),
    ("fish -N", "vaultctl completion fish | source", ["Tab"]),
  ]

  /// Returns the lines that a shell shows below a line, when it was completed.
  private func lines(
    below line: String, _ shell: (start: String, loading: String, keys: [String]), until end: String
  ) throws -> [Substring] {
    let terminal = try RealTerminal(80, 24, preparing: "vaultctl init -q")
    try terminal.type(shell.start, "Enter", "\(shell.loading); echo load''ed", "Enter")
    try terminal.wait(for: "loaded")
    try terminal.type("clear; echo clea''red", "Enter")
    try terminal.wait(for: "cleared")
    try terminal.type("\(line) ")
    for key in shell.keys { try terminal.type(key) }
    let shown = try terminal.wait(for: end).split(separator: "\n")
    // Below what was typed, and without bash's prompt, which it writes again.
    let start = try #require(shown.lastIndex { $0.hasPrefix("cleared") }) + 2
    return shown[start...].filter { !$0.hasSuffix("$ \(line)") }
  }

  @Test("the first Tab shows every command once, and fits a screen", arguments: shells.indices)
  func commands(_ index: Int) throws {
    let shell = Self.shells[index]
    let isFish = shell.0.hasPrefix("fish")
    let lines = try lines(below: "vaultctl", shell, until: isFish ? "more rows" : "version")
    #expect(lines.count < 24)
    // The last line says how many more there are.
    let words = words(of: isFish ? lines.dropLast() : lines)
    #expect(Set(words).count == words.count, "\(words)")
    let names = CommandName.allCases.filter { !$0.command.isHidden }.map(\.rawValue)
    if isFish {
      #expect(words.allSatisfy(names.contains) && words.count > 5, "\(words)")
    } else {
      #expect(words.sorted() == names.sorted())
    }
  }

  @Test("an action of a command is offered once", arguments: shells.indices)
  func actions(_ index: Int) throws {
    let lines = try lines(below: "vaultctl slot", Self.shells[index], until: "remove")
    let words = words(of: lines)
    for action in CommandName.slot.command.operands.words {
      #expect(words.filter { $0 == action }.count == 1, "\(action): \(words)")
    }
  }

  /// Returns what is offered: fish writes one on a line, with a description, if they are many.
  private func words(of lines: [Substring]) -> [String] {
    lines.flatMap { $0.prefix { $0 != "(" }.split(separator: " ") }.map(String.init)
  }
}
