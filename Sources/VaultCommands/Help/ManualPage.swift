import CredentialVault
import VaultTerminal

/// The manual page vaultctl(1), the index of the commands' pages, generated from the command table.
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
      Each command has a page of its own.
      .SH COMMANDS

      """
    for topic in CommandTopic.all {
      page += ".SS \(escaped(topic.heading))\n"
      for command in topic.commands {
        page += ".TP\n.B \(reference(command))\n"
        page += "\(escaped(command.summary + HelpText.aliases(command)))\n"
      }
    }
    page += ".SH OPTIONS\nThose of every command that opens a vault, before it or after it.\n"
    page += options(.beforeCommand)
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
      .SH BACKWARDS COMPATIBILITY
      Exit statuses, and the names in JSON documents, never change their meaning.
      Names may be added; ignore unknown ones.
      .SH SEE ALSO
      vaultctl\\-secret\\-service(1), gitcredentials(7), curl(1)

      """
    return page
  }

  /// Returns the name of a command's page with its section: `vaultctl\-find(1)`.
  static func reference(_ command: Command) -> String {
    escaped(command.id.helper ?? "vaultctl-\(command.name)") + "(1)"
  }

  static func options(_ group: OptionGroup) -> String {
    group.options.map { ".TP\n\(flags($0))\n\(escaped($0.summary))\n" }.joined()
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
