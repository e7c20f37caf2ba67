/// The manual page vaultctl(1), generated from the command table.
enum ManualPage {
  static var text: String {
    var page = """
      .TH VAULTCTL 1 "" "vaultctl \(VersionCommand.version)" "User Commands"
      .SH NAME
      vaultctl \\- keep credentials in one encrypted file
      .SH SYNOPSIS
      .B vaultctl
      .I COMMAND
      [\\fIOPTIONS\\fR] [\\fIREF\\fR]
      .SH DESCRIPTION
      A vault is one file that holds credentials: servers, realms, users and their secrets.
      .I REF
      is a URL, or the first six or more characters of an item's id.
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
      .SH BACKWARDS COMPATIBILITY
      Exit statuses, and the names in JSON documents, never change their meaning.
      Names may be added; ignore unknown ones.

      """
    return page
  }

  private static func section(_ command: Command) -> String {
    var text = ".SS \(escaped(command.usage))\n\(escaped(command.summary))\n"
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

  private static func flags(_ option: Option) -> String {
    let letter = option.letter.map { "\\fB\\-\($0)\\fR, " } ?? ""
    let value = option.placeholder.map { " \\fI\(escaped($0))\\fR" } ?? ""
    return "\(letter)\\fB\(escaped("--" + option.name.text))\\fR\(value)"
  }

  /// Returns text for roff: a hyphen can be copied and typed, and no line begins with a request.
  private static func escaped(_ text: String) -> String {
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
