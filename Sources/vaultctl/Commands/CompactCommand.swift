import CredentialVault
import VaultModel

/// `vaultctl compact`: returns the space of removed items to the file system.
enum CompactCommand {
  static let command = Command(
    id: .compact, operands: .none, summary: "release the space of removed items",
    details: [
      "Other programs wait meanwhile. A file with a damaged structure is left unchanged."
    ],
    groups: [.common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let vault = try invocation.openVault()
    let (before, after) = try vault.maintenance.compact()
    if invocation.isJSON {
      var json = JSONWriter(invocation.output)
      try json.beginObject()
      try json.field("ok", true)
      try json.field("bytes_before", before)
      try json.field("bytes_after", after)
      try json.endObject()
      try json.finish()
    } else if !invocation.isQuiet {
      try invocation.output.line("\(before) bytes before, \(after) now")
    }
    return .success
  }
}
