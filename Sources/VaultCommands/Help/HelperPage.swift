import VaultTerminal

/// The manual pages of the helpers, such as git-credential-vaultctl(1), generated from the command
/// table.
enum HelperPage {
  private struct Words {
    /// Commands, each with what it does.
    let examples: [(command: String, meaning: String)]
    let status: String
    let seeAlso: String
  }

  /// Returns the page of a helper; nil if the command is none.
  static func text(for name: CommandName) -> String? {
    guard let program = name.helper, let words = words(of: name) else { return nil }
    let command = name.command
    let escaped = ManualPage.escaped
    var page = """
      .TH \(escaped(program.uppercased())) 1 "" "vaultctl \(ProductVersion.current)" "User Commands"
      .SH NAME
      \(escaped(program)) \\- \(escaped(command.summary))
      .SH SYNOPSIS
      .B \(escaped(program))
      [\\fIOPTIONS\\fR] \(escaped(command.operands.synopsis))
      .SH DESCRIPTION
      The same program as \\fBvaultctl \(escaped(name.rawValue))\\fR.

      """
    for paragraph in command.details { page += ".PP\n\(escaped(paragraph))\n" }
    page += ".SH OPTIONS\n"
    for option in command.options {
      page += ".TP\n\(ManualPage.flags(option))\n\(escaped(option.summary))\n"
    }
    page += ".SH EXIT STATUS\n\(escaped(words.status))\n.SH EXAMPLES\n"
    for (command, meaning) in words.examples {
      page += ".TP\n.B \(escaped(command))\n\(escaped(meaning))\n"
    }
    page += """
      .SH FILES
      .I ~/.local/share/vaultctl/default.vault
      and
      .I ~/.config/vaultctl/default.key
      are the default vault and its key; vaultctl(1) has the others.
      .SH ENVIRONMENT
      \\fBVAULTCTL_VAULT\\fR and \\fBVAULTCTL_KEY_FILE\\fR name others; vaultctl(1) has the rest.
      .SH SEE ALSO
      \(words.seeAlso)

      """
    return page
  }

  private static func words(of name: CommandName) -> Words? {
    switch name {
    case .gitCredential:
      Words(
        examples: [
          ("git config --global credential.helper vaultctl", "Git uses the vault everywhere."),
          (
            "git config --global credential.https://git.example.com.useHttpPath true",
            "Each repository of this host has its own credential."
          ),
        ],
        status: "0 if there was an answer or none; those of vaultctl(1) for errors.",
        seeAlso: "vaultctl(1), gitcredentials(7), git-credential(1)")
    case .dockerCredential:
      Words(
        examples: [
          ("docker login registry.example.com", "With the helper as credsStore, stores the login."),
          (
            "vaultctl add https://ci@registry.example.com --origin docker -w",
            "Adds a login without Docker."
          ),
        ],
        status: "0, or 1 for every error, whose text is on standard output.",
        seeAlso: "vaultctl(1), docker-login(1)")
    case .askpass:
      Words(
        examples: [
          ("GIT_ASKPASS=vaultctl-askpass git fetch", "Git asks it for users and passwords."),
          ("SSH_ASKPASS_REQUIRE=force SSH_ASKPASS=vaultctl-askpass ssh-add", "So does ssh."),
        ],
        status: "0 if there was an answer; 44, without a message, if there is none.",
        seeAlso: "vaultctl(1), gitcredentials(7), ssh(1)")
    default: nil
    }
  }
}
