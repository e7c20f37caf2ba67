import VaultModel

/// `vaultctl version`: shows the program's version.
enum VersionCommand {
  static let version = "0.1.0"

  static let command = Command(
    id: .version, operands: .none, summary: "show the program's version", details: [],
    groups: [.plain], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard invocation.isJSON else {
      try invocation.output.line("vaultctl \(version)")
      return .success
    }
    var json = JSONWriter(invocation.output)
    try json.beginObject()
    try json.field("ok", true)
    try json.field("version", version)
    try json.endObject()
    try json.finish()
    return .success
  }
}
