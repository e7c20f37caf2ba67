import VaultModel

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
    (operandWords(command) + command.options.map { "--\($0.name.text)" })
      .joined(separator: " ")
  }

  static func operandWords(_ command: Command) -> [String] {
    command.id == .help ? CommandTable.words : command.operands.words
  }

  /// Returns the words that call a command, with a separator between them.
  static func names(_ command: Command, _ separator: String) -> String {
    ([command.name] + command.id.aliases).joined(separator: separator)
  }

  private static var fish: String {
    var text = """
      function __vaultctl_names
        command vaultctl complete $argv (commandline -ct | string replace -r '^--[a-z-]+=' '') 2> /dev/null
      end
      function __vaultctl_bindings
        set -l parts (commandline -ct | string replace -r '^--[a-z]+=' '' | string split -m 1 =)
        set -q parts[2]
        and command vaultctl complete items $parts[2] 2> /dev/null | string replace -r '^' "$parts[1]="
      end
      function __vaultctl_list
        set -l first (commandline -ct | string replace -r '^--[a-z]+=' '' | string replace -r '[^,]*$' '')
        printf '%s\\n' "$first"$argv
      end
      complete -c vaultctl -f

      """
    for command in CommandTable.commands {
      let name = names(command, " ")
      text += "complete -c vaultctl -n __fish_use_subcommand -a '\(name)'"
      text += " -d '\(fishQuoted(command.summary))'\n"
      let start = "complete -c vaultctl -n '__fish_seen_subcommand_from \(name)'"
      let words = operandWords(command)
      if let subject = command.operands.subjects.first {
        text += "\(start) -a '(__vaultctl_names \(subject.rawValue))'\n"
      }
      if !words.isEmpty { text += "\(start) -a '\(words.joined(separator: " "))'\n" }
      if command.operands.isFile { text += "\(start) -F\n" }
      if !command.operands.fileWords.isEmpty {
        let words = command.operands.fileWords.joined(separator: " ")
        text += "\(start.dropLast()); and __fish_seen_subcommand_from \(words)' -F\n"
      }
      for option in command.options {
        text += start + (option.letter.map { " -s \($0)" } ?? "") + " -l \(option.name.text)"
        switch option.value {
        case .none, .optional: break
        case .text: text += " -x"
        case .file, .folder: text += " -r -F"
        case .vault: text += " -r -F -a '(__vaultctl_names vaults)'"
        case .name(_, let subject): text += " -x -a '(__vaultctl_names \(subject.rawValue))'"
        case .binding: text += " -x -a '(__vaultctl_bindings)'"
        case .list(_, let words):
          text += " -x -a '(__vaultctl_list \(words.joined(separator: " ")))'"
        case .words(_, let words): text += " -x -a '\(words.joined(separator: " "))'"
        }
        text += " -d '\(fishQuoted(option.summary))'\n"
      }
    }
    return text
  }

  private static func fishQuoted(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
  }
}
