import VaultModel

/// A command as the parser, the help, the manual page and the completions read it.
package struct Command: Sendable {
  /// The operands as help shows them, and how many there may be.
  struct Operands: Sendable {
    let synopsis: String
    let count: ClosedRange<Int>
    /// The possible first operands, if only a few words are possible.
    var words: [String] = []
    var isFile = false
    /// The first operands after which files follow, if they do only after some.
    var fileWords: [String] = []
    /// Whether everything after the first operand is another program's.
    var isCommandLine = false
    /// The names in the vault that an operand can be; after a word, if there are any.
    var subjects: [CompletionSubject] = []

    /// The possible first operands as a sentence has them: `set, clear or show`.
    var choice: String {
      words.dropLast().joined(separator: ", ") + (words.last.map { " or \($0)" } ?? "")
    }

    /// The action of the command alone: `list`, or `show`; nil if it has neither.
    var actionAlone: String? { ["list", "show"].first { words.contains($0) } }

    static let none = Operands(synopsis: "", count: 0...0)
    static let reference = Operands(
      synopsis: "[REF]", count: 0...1, subjects: [.items])
  }

  /// Runs a command.
  typealias Run = @Sendable (Invocation) throws(VaultError) -> ExitCode

  let id: CommandName
  let operands: Operands
  let summary: String
  /// One use of the command, for its help and the manual page.
  let example: String
  /// Paragraphs of help, one line each.
  let details: [String]
  let groups: [OptionGroup]
  /// Other words that call the command, as other tools name it.
  var aliases: [String] = []
  /// Whether the command looks in several vaults.
  var takesSeveralVaults = false
  /// Whether only vaultctl and its completion scripts call it, so that help leaves it out.
  var isHidden = false
  /// Whether programs call it that have a protocol of their own for an unknown word.
  var hasProtocol = false
  /// Whether the session that processes share counts: what is exported, and what a machine could
  /// read, is what the file has, also if the session hides it.
  var sharesSession = true
  /// Whether the program that calls the command lets it prompt.
  var mayPrompt: @Sendable () -> Bool = { true }
  /// The next step to try after an error, where the command knows a better one than ``Hint``.
  var hints: @Sendable (Failure) -> [VaultError.Code: String] = { _ in [:] }
  let run: Run

  var name: String { id.rawValue }

  var options: [Option] { groups.flatMap(\.options) }

  /// The error that the first operand is none of the possible words.
  var needsChoice: VaultError {
    VaultError(.invalidArgument, "\(name) needs \(operands.choice)")
  }

  /// Requires that the first operand, if there is one, is a possible word.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` with the word that was probably meant.
  func requireChoice(_ arguments: Arguments) throws(VaultError) {
    let words = operands.words
    guard let word = arguments.operands.first, !words.isEmpty, !words.contains(word),
      !hasProtocol
    else { return }
    throw VaultError(
      .invalidArgument, needsChoice.context + Suggestion.question(word, among: words))
  }

  /// The usage line: `vaultctl find [OPTIONS] [REF]`.
  var usage: String {
    "vaultctl \(name) [OPTIONS]" + (operands.synopsis.isEmpty ? "" : " \(operands.synopsis)")
  }
}
