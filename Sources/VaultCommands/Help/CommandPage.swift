import VaultTerminal

/// The manual page of one command, such as vaultctl-find(1), generated from the command table.
enum CommandPage {
  /// Returns the page that man(1) shows; a helper's is that of its program.
  static func text(for command: Command) -> String {
    if let page = HelperPage.text(for: command.id) { return page }
    let escaped = ManualPage.escaped
    let program = escaped("vaultctl-\(command.name)")
    var page = """
      .TH \(program.uppercased()) 1 "" "vaultctl \(ProductVersion.current)" "User Commands"
      .SH NAME
      \(program) \\- \(escaped(command.summary))
      .SH SYNOPSIS
      .B vaultctl \(escaped(command.name))
      [\\fIOPTIONS\\fR] \(escaped(command.operands.synopsis))
      .SH DESCRIPTION

      """
    page += "\(escaped(sentence(command)))\n"
    for paragraph in command.details { page += ".PP\n\(escaped(paragraph))\n" }
    page += ".SH OPTIONS\n"
    let own = command.groups.filter { $0.heading != OptionGroup.common.heading }
    for group in own {
      if command.groups.count > 1 { page += ".SS \(escaped(group.heading))\n" }
      page += ManualPage.options(group)
    }
    if own.count < command.groups.count {
      page += own.isEmpty ? "" : ".PP\n"
      page += "vaultctl(1) has the options of every command, such as \\-\\-vault and \\-\\-json.\n"
    }
    page += """
      .SH EXIT STATUS
      0 if it succeeded; vaultctl(1) has the other statuses.
      .SH EXAMPLES
      .TP
      .B \(escaped(command.example))
      \(escaped(command.summary))
      .SH SEE ALSO

      """
    let related = CommandTopic.related(to: command).map(ManualPage.reference)
    return page + (["vaultctl(1)"] + related).joined(separator: ", ") + "\n"
  }

  /// Returns what a command does, as a sentence.
  private static func sentence(_ command: Command) -> String {
    let summary = command.summary + HelpText.aliases(command)
    return summary.prefix(1).uppercased() + summary.dropFirst() + "."
  }
}
