import VaultAdministration
import CredentialVault
import Interchange
import OneTimePasswords
import VaultModel
import VaultTerminal

/// `vaultctl help`: shows the help of the program or of one command, or the manual page.
enum HelpCommand {
  static let command = Command(
    id: .help, operands: Command.Operands(synopsis: "[COMMAND|options]", count: 0...1),
    summary: "show help for a command, or its manual page", example: "vaultctl help add",
    details: [],
    groups: [
      OptionGroup(
        heading: "Form",
        options: [
          Option(.manual, nil, .none, "write vaultctl(1), or the command's page, for man(1)"),
          Invocation.noPager,
        ]),
      .plain,
    ], hints: { _ in [.invalidArgument: "vaultctl help"] }, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let text: String
    let help = HelpText(columns: invocation.output.columns)
    if invocation.arguments.has(.manual) {
      if let name = invocation.arguments.operands.first {
        text = CommandPage.text(for: try command(named: name))
      } else {
        text = ManualPage.text
      }
    } else if invocation.arguments.operands.first == "options" {
      text = help.options
    } else if let name = invocation.arguments.operands.first {
      text = help.page(try command(named: name))
    } else {
      text = help.overview
    }
    try invocation.paged(text.utf8.count { $0 == UInt8(ascii: "\n") }) { () throws(VaultError) in
      try invocation.write(text: text)
    }
    return .success
  }

  private static func command(named name: String) throws(VaultError) -> Command {
    guard let command = CommandTable.command(named: name) else {
      throw CommandTable.unknown(name) ?? VaultError(.invalidArgument, "unknown command")
    }
    return command
  }
}

extension Invocation {
  /// Writes a text as it is, or as the one member of a document.
  func write(text: String) throws(VaultError) {
    guard isJSON else { return try output.write(text) }
    try output.document { (json) throws(VaultError) in try json.field("text", text) }
  }
}

/// `vaultctl version`: shows the program's version, and in JSON those of the libraries in it.
enum VersionCommand {
  static let command = Command(
    id: .version, operands: .none, summary: "show the program's version",
    example: "vaultctl version",
    details: ["With --json, also the versions of the libraries in it, or that it runs with."],
    groups: [.plain], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard invocation.isJSON else {
      try invocation.output.line("\(invocation.program) \(ProductVersion.current)")
      return .success
    }
    try invocation.output.document { (json) throws(VaultError) in
      try json.field("version", ProductVersion.current)
      try json.objects(
        "libraries",
        LinkedLibrary.ofVault + LinkedLibrary.ofInterchange + [.oath] + LinkedLibrary.ofToolchain
      ) { (library, json) throws(VaultError) in
        try json.field("name", library.name)
        try json.field("version", library.version)
      }
    }
    return .success
  }
}

/// `vaultctl completion`: writes a completion script for a shell.
enum CompletionCommand {
  static let command = Command(
    id: .completion,
    operands: Command.Operands(synopsis: "bash|zsh|fish", count: 1...1, words: Completion.shells),
    summary: "write a completion script for a shell", example: "vaultctl completion fish",
    details: [
      "In bash: source <(vaultctl completion bash)",
      "It also offers the items, slots and rules of the vault, if a key file opens it without"
        + " prompting.",
    ], groups: [.plain], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard let shell = invocation.arguments.operands.first,
      let script = Completion.script(for: shell)
    else { throw command.needsChoice }
    try invocation.write(text: script)
    return .success
  }
}
