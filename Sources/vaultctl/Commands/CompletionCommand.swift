import VaultModel

/// `vaultctl completion`: writes a completion script for a shell.
enum CompletionCommand {
  static let command = Command(
    id: .completion,
    operands: Command.Operands(synopsis: "bash|zsh|fish", count: 1...1, words: Completion.shells),
    summary: "write a completion script for a shell",
    details: ["In bash: source <(vaultctl completion bash)"], groups: [.plain], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard let shell = invocation.arguments.operands.first,
      let script = Completion.script(for: shell)
    else { throw VaultError(.invalidArgument, "completion needs bash, zsh or fish") }
    try invocation.write(text: script)
    return .success
  }
}
