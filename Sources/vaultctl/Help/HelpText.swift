/// The help texts, generated from the command table.
enum HelpText {
  private static let width = 80

  /// The list of all commands, a line each.
  static var overview: String {
    var text = "usage: vaultctl COMMAND [OPTIONS] [REF]\n\n"
    text += "A vault of credentials in one encrypted file.\n\n"
    text += table(CommandTable.commands.map { ($0.name, $0.summary) })
    text += "\n"
    text += wrapped(
      "REF is a URL or the first six or more characters of an id. Secrets are read from the"
        + " terminal, standard input, a descriptor or a file, never from arguments.", indent: 0)
    text += "\nvaultctl help COMMAND shows the options of a command.\n"
    return text
  }

  /// Returns the help of one command with its options.
  static func page(_ command: Command) -> String {
    var text = "usage: \(command.usage)\n\n"
    text += wrapped(command.summary, indent: 0)
    for paragraph in command.details { text += "\n" + wrapped(paragraph, indent: 0) }
    for group in command.groups {
      text += "\n\(group.heading):\n"
      text += table(group.options.map { ($0.synopsis, $0.summary) })
    }
    return text
  }

  /// Returns two columns, the second one wrapped.
  private static func table(_ rows: [(String, String)]) -> String {
    let column = min(28, (rows.map(\.0.count).max() ?? 0) + 4)
    var text = ""
    for (name, summary) in rows {
      let start = "  " + name
      let fits = start.count + 2 <= column
      text += fits ? start + blanks(column - start.count) : start + "\n" + blanks(column)
      text += wrapped(summary, indent: column).drop { $0 == " " }
    }
    return text
  }

  private static func wrapped(_ text: String, indent: Int) -> String {
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

  private static func blanks(_ count: Int) -> String {
    String(repeating: " ", count: max(0, count))
  }
}
