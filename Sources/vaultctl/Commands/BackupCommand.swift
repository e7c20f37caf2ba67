import CredentialVault
import VaultModel

/// `vaultctl backup`: makes a verified copy of the vault while it is in use.
enum BackupCommand {
  static let command = Command(
    id: .backup, operands: Command.Operands(synopsis: "FILE", count: 1...1, isFile: true),
    summary: "write a verified copy of the vault to a new file",
    details: ["The copy is one file with mode 0600, and opens with the same keys."],
    groups: [.common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard let path = invocation.arguments.operands.first, !path.isEmpty else {
      throw VaultError(.invalidArgument, "backup needs FILE")
    }
    let vault = try invocation.openVault()
    let count = try vault.backup(to: path)
    if invocation.isJSON {
      var json = JSONWriter(invocation.output)
      try json.beginObject()
      try json.field("ok", true)
      try json.field("path", path)
      try json.field("items", count)
      try json.endObject()
      try json.finish()
    } else if !invocation.isQuiet {
      try invocation.output.line("wrote \(path) (\(count) items, verified)")
    }
    return .success
  }
}
