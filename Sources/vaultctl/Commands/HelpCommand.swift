import VaultModel

/// `vaultctl help`: shows the help of the program or of one command, or the manual page.
enum HelpCommand {
  static let command = Command(
    id: .help, operands: Command.Operands(synopsis: "[COMMAND]", count: 0...1),
    summary: "show help for a command, or the manual page", details: [],
    groups: [
      OptionGroup(
        heading: "Form", options: [Option(.manual, nil, .none, "write vaultctl(1) for man(1)")]),
      .plain,
    ], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let text: String
    if invocation.arguments.has(.manual) {
      guard invocation.arguments.operands.isEmpty else {
        throw VaultError(.invalidArgument, "unexpected argument")
      }
      text = ManualPage.text
    } else if let name = invocation.arguments.operands.first {
      guard let command = CommandTable.command(named: name) else {
        throw VaultError(.invalidArgument, "unknown command")
      }
      text = HelpText.page(command)
    } else {
      text = HelpText.overview
    }
    try invocation.write(text: text)
    return .success
  }
}

extension Invocation {
  /// Writes a text as it is, or as the one member of a document.
  func write(text: String) throws(VaultError) {
    guard isJSON else { return try output.write(text) }
    var json = JSONWriter(output)
    try json.beginObject()
    try json.field("ok", true)
    try json.field("text", text)
    try json.endObject()
    try json.finish()
  }
}
