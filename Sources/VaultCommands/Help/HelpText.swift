import CredentialVault
import VaultTerminal

/// The help texts, generated from the command table.
enum HelpText {
  private static let width = 80

  /// The list of all commands, a line each.
  static var overview: String {
    var text = "usage: vaultctl COMMAND [OPTIONS] [REF]\n\n"
    text += "A vault of credentials in one encrypted file.\n\n"
    text += table(CommandTable.commands.map { ($0.name, $0.summary + aliases($0)) })
    text += "\n"
    text += wrapped(
      "REF is \(Reference.explanation). Secrets are read from the terminal, standard input, a"
        + " descriptor or a file, never from arguments.", indent: 0)
    text += "\n"
    text += wrapped(
      "vaultctl help COMMAND describes a command, and vaultctl help options the options that"
        + " commands share.", indent: 0)
    return text
  }

  /// Returns the help of one command with its options.
  static func page(_ command: Command) -> String {
    var text = "usage: \(command.usage)\n\n"
    text += wrapped(command.summary + aliases(command), indent: 0)
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
      text += "\nvaultctl help options describes the options of every command.\n"
    }
    return text
  }

  /// The options that most commands share.
  static var options: String {
    "usage: vaultctl COMMAND [OPTIONS]\n\n"
      + wrapped(
        "The options of every command that opens a vault, before it or after it.", indent: 0)
      + section(.beforeCommand)
  }

  private static func section(_ group: OptionGroup) -> String {
    "\n\(group.heading):\n" + table(group.options.map { ($0.synopsis, $0.summary) })
  }

  /// Returns the other words that call a command: ` (also: ls)`, or nothing.
  static func aliases(_ command: Command) -> String {
    let words = command.aliases
    return words.isEmpty ? "" : " (also: \(words.joined(separator: ", ")))"
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

/// The manual page vaultctl(1), generated from the command table.
enum ManualPage {
  static var text: String {
    var page = """
      .TH VAULTCTL 1 "" "vaultctl \(ProductVersion.current)" "User Commands"
      .SH NAME
      vaultctl \\- keep credentials in one encrypted file
      .SH SYNOPSIS
      .B vaultctl
      .I COMMAND
      [\\fIOPTIONS\\fR] [\\fIREF\\fR]
      .SH DESCRIPTION
      A vault is one file that holds credentials: servers, realms, users and their secrets.
      .I REF
      is \(Reference.explanation).
      A URL or host finds what networking code would get there; \\-\\-exact takes it literally.
      Data goes to standard output, messages to standard error, and prompts only to the
      terminal.
      Without a terminal, vaultctl never waits for input.
      Secrets are never read from arguments.
      .SH COMMANDS

      """
    for command in CommandTable.commands { page += section(command) }
    page += ".SH EXIT STATUS\n"
    for status in ExitCode.allCases {
      page += ".TP\n.B \(status.rawValue)\n\(escaped(status.meaning))\n"
    }
    page += ".SH ENVIRONMENT\n"
    for variable in CommandTable.environment {
      page += ".TP\n.B \(variable.name)\n\(escaped(variable.meaning))\n"
    }
    page += """
      .SH FILES
      .TP
      .I ~/.config/vaultctl/config
      The configuration: lines of name = value, empty lines, and comments that begin with #.
      Only its owner and root may be able to write it.
      Paths begin with / or ~/.

      """
    for line in CommandTable.configuration {
      page += ".TP\n.B \(line.name.rawValue)\n\(escaped(line.meaning))\n"
    }
    page += """
      .TP
      .I ~/.config/vaultctl/default.key
      The default key file, as init makes it.
      It opens every vault that has a slot for it, unless a key is named.
      .TP
      .I ~/.local/share/vaultctl/default.vault
      The default vault.
      .TP
      .I ~/.local/share/vaultctl/default.vault.fleet
      Where the server of its fleet is, if it is a replica: one line, server = ADDRESS.
      .TP
      .I ~/.local/state/vaultctl
      What was seen of vaults, by which a replaced or older one is noticed.
      .TP
      .I $XDG_RUNTIME_DIR/vaultctl
      The session that programs share.
      .TP
      .I share/doc/credential\\-vault/index.md
      The list of the guides and references, below the folder of the installation.
      In Debian's package it is /usr/share/doc/vaultctl/index.md.
      .SH EXAMPLES

      """
    for command in CommandTable.commands {
      page += ".TP\n.B \(escaped(command.example))\n\(escaped(command.summary))\n"
    }
    page += """
      .SH BACKWARDS COMPATIBILITY
      Exit statuses, and the names in JSON documents, never change their meaning.
      Names may be added; ignore unknown ones.
      .SH SEE ALSO
      git\\-credential\\-vaultctl(1), docker\\-credential\\-vaultctl(1), vaultctl\\-askpass(1),
      vaultctl\\-secret\\-service(1), gitcredentials(7), curl(1)

      """
    return page
  }

  private static func section(_ command: Command) -> String {
    var text =
      ".SS \(escaped(command.usage))\n\(escaped(command.summary + HelpText.aliases(command)))\n"
    for paragraph in command.details { text += ".PP\n\(escaped(paragraph))\n" }
    for group in command.groups {
      // The common options are the same for every command, so they are listed once.
      if group.heading == OptionGroup.common.heading, command.id != .initialize { continue }
      text += ".PP\n\(escaped(group.heading)):\n"
      for option in group.options {
        text += ".TP\n\(flags(option))\n\(escaped(option.summary))\n"
      }
    }
    return text
  }

  static func flags(_ option: Option) -> String {
    let letter = option.letter.map { "\\fB\\-\($0)\\fR, " } ?? ""
    let name = "\(letter)\\fB\(escaped("--" + option.name.text))\\fR"
    guard let placeholder = option.placeholder else { return name }
    let value = "\\fI\(escaped(placeholder))\\fR"
    return option.mayTakeValue ? "\(name)[=\(value)]" : "\(name) \(value)"
  }

  /// Returns text for roff: a hyphen can be copied and typed, and no line begins with a request.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      default: result.append(character)
      }
    }
    return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
  }
}
