import CredentialVault
import VaultTerminal

/// The help texts, generated from the command table.
struct HelpText {
  /// The columns that lines are wrapped to.
  let width: Int

  /// - Parameter columns: Those of the terminal; nil for another output.
  init(columns: Int? = nil) {
    width = min(80, max(32, columns ?? 80))
  }

  /// The list of all commands, a line each.
  var overview: String {
    var text = "usage: vaultctl COMMAND [OPTIONS] [REF]\n\n"
    text += wrapped("A vault of credentials in one encrypted file.", indent: 0) + "\n"
    for topic in CommandTopic.all {
      text += "\(topic.heading):\n"
      text += table(topic.commands.map { ($0.name, $0.summary + Self.aliases($0)) }, column: 22)
      text += "\n"
    }
    text += wrapped(
      "REF is \(Reference.explanation). Secrets are read from the terminal, standard input, a"
        + " descriptor or a file, never from arguments.", indent: 0)
    text += "\n"
    text += wrapped(
      "vaultctl help COMMAND or man vaultctl-COMMAND describes a command, and vaultctl help options"
        + " the options that commands share.", indent: 0)
    return text
  }

  /// Returns the help of one command with its options.
  func page(_ command: Command) -> String {
    var text = "usage: \(command.usage)\n\n"
    text += wrapped(command.summary + Self.aliases(command), indent: 0)
    for paragraph in command.details { text += "\n" + wrapped(paragraph, indent: 0) }
    var hasCommon = false
    for group in command.groups {
      guard group.heading != OptionGroup.common.heading else {
        hasCommon = true
        continue
      }
      text += section(group)
    }
    text += "\nExample:\n  \(command.example)\n"
    if hasCommon {
      text +=
        "\n"
        + wrapped("vaultctl help options describes the options of every command.", indent: 0)
    }
    return text
  }

  /// The options that most commands share.
  var options: String {
    "usage: vaultctl COMMAND [OPTIONS]\n\n"
      + wrapped(
        "The options of every command that opens a vault, before it or after it.", indent: 0)
      + section(.beforeCommand)
  }

  private func section(_ group: OptionGroup) -> String {
    "\n\(group.heading):\n" + table(group.options.map { ($0.synopsis, $0.summary) })
  }

  /// Returns the other words that call a command: ` (also: ls)`, or nothing.
  static func aliases(_ command: Command) -> String {
    let words = command.aliases
    return words.isEmpty ? "" : " (also: \(words.joined(separator: ", ")))"
  }

  /// Returns two columns, the second one wrapped.
  private func table(_ rows: [(String, String)], column fixed: Int? = nil) -> String {
    let widest = fixed ?? min(28, (rows.map(\.0.count).max() ?? 0) + 4)
    // On a narrow terminal, a long name has a line of its own.
    let column = min(widest, width * 7 / 20)
    var text = ""
    for (name, summary) in rows {
      let start = "  " + name
      let fits = start.count + 2 <= column
      text += fits ? start + blanks(column - start.count) : start + "\n" + blanks(column)
      text += wrapped(summary, indent: column).drop { $0 == " " }
    }
    return text
  }

  private func wrapped(_ text: String, indent: Int) -> String {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    lines.append(line)
    return lines.map { blanks(indent) + $0 + "\n" }.joined()
  }

  private func blanks(_ count: Int) -> String {
    String(repeating: " ", count: max(0, count))
  }
}
