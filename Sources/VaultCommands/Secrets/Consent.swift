import SecureMemory
import VaultModel
import VaultTerminal

/// The question before something is lost that a person may want to keep.
extension Invocation {
  /// Asks on the terminal whether to go on.
  ///
  /// Nobody is asked with `--yes`, if prompts are forbidden, or without a terminal: scripts say
  /// what they mean.
  ///
  /// - Parameters:
  ///   - question: The action to agree to: `Restore it`.
  ///   - facts: Returns the lines that are shown before it; nil if nothing would be lost.
  /// - Throws: ``VaultError/Code/interrupted`` if the answer is not yes; any error of `facts` and
  ///   of the terminal.
  func requireConsent(
    to question: String, _ facts: () throws(VaultError) -> [String]?
  ) throws(VaultError) {
    guard mayPrompt, !arguments.has(.yes), let terminal = Terminal(), let lines = try facts() else {
      return
    }
    try Self.requireConsent(to: question, lines, on: terminal)
  }

  /// Asks on a terminal whether to go on.
  ///
  /// - Throws: ``VaultError/Code/interrupted`` if the answer is not yes; any error of the terminal.
  static func requireConsent(
    to question: String, _ facts: [String], on terminal: borrowing Terminal
  ) throws(VaultError) {
    for line in facts { try terminal.show(line) }
    let answer = try terminal.line(prompt: "\(question) (yes or no)? ")
    guard ["yes", "y"].contains(where: { answer.isEqual(to: Secret($0)) }) else {
      throw VaultError(.interrupted, "the answer was no, and nothing was changed")
    }
  }
}
