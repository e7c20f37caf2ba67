import VaultModel

/// A command as the parser, the help, the manual page and the completions read it.
struct Command: Sendable {
  /// The operands as help shows them, and how many there may be.
  struct Operands: Sendable {
    let synopsis: String
    let count: ClosedRange<Int>
    /// The possible first operands, if only a few words are possible.
    var words: [String] = []
    var isFile = false

    static let none = Operands(synopsis: "", count: 0...0)
    static let reference = Operands(synopsis: "[REF]", count: 0...1)
  }

  let id: CommandName
  let operands: Operands
  let summary: String
  /// Paragraphs of help, one line each.
  let details: [String]
  let groups: [OptionGroup]
  let run: @Sendable (Invocation) throws(VaultError) -> ExitCode

  var name: String { id.rawValue }

  var options: [Option] { groups.flatMap(\.options) }

  /// The usage line: `vaultctl find [OPTIONS] [REF]`.
  var usage: String {
    "vaultctl \(name) [OPTIONS]" + (operands.synopsis.isEmpty ? "" : " \(operands.synopsis)")
  }
}

/// One run of one command: its arguments, and the output that it writes to.
struct Invocation {
  let command: Command
  let arguments: Arguments
  let output: Output

  var isJSON: Bool { arguments.has(.json) }
  var isQuiet: Bool { arguments.has(.quiet) }
}
