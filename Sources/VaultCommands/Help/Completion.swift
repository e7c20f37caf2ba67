/// Completion scripts, generated from the command table.
///
/// They ask `vaultctl complete` for the names in the vault, which opens it only with a key file.
enum Completion {
  static let shells = ["bash", "zsh", "fish"]

  static func script(for shell: String) -> String? {
    switch shell {
    case "bash": bash
    case "zsh": zsh
    case "fish": fish
    default: nil
    }
  }

  /// Returns the words that can follow a command: its first operands and its long options.
  static func words(_ command: Command) -> String {
    (operandWords(command) + optionWords(command.options)).joined(separator: " ")
  }

  /// Returns the long options as they are typed.
  static func optionWords(_ options: [Option]) -> [String] { options.map { "--\($0.name.text)" } }

  static func operandWords(_ command: Command) -> [String] {
    command.id == .help ? CommandTable.words : command.operands.words
  }

  /// Returns the words that call a command, with a separator between them; only its name is
  /// offered, so that no command is offered twice.
  static func names(_ command: Command, _ separator: String) -> String {
    ([command.name] + command.aliases).joined(separator: separator)
  }
}
