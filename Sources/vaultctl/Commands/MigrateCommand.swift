import CredentialVault
import VaultModel

/// `vaultctl migrate`: upgrades a vault of an older format to the present one.
enum MigrateCommand {
  static let command = Command(
    id: .migrate, operands: .none, summary: "upgrade an older vault to the current format",
    details: [
      "The first write does the same. Programs that only know the older format may then refuse"
        + " the vault, and no backup is made: vaultctl backup FILE makes one."
    ],
    groups: [.common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let vault = try invocation.openVault()
    let (before, after) = try vault.maintenance.migrate()
    if invocation.isJSON {
      var json = JSONWriter(invocation.output)
      try json.beginObject()
      try json.field("ok", true)
      try json.field("before", before)
      try json.field("after", after)
      try json.endObject()
      try json.finish()
    } else if !invocation.isQuiet {
      try invocation.output.line(
        before == after ? "format \(after): nothing to do" : "format \(before) is now \(after)")
    }
    return .success
  }
}

extension JSONWriter {
  fileprivate mutating func field(
    _ name: String, _ version: FormatVersion
  ) throws(VaultError) {
    try self.name(name)
    try beginObject()
    try field("format", "\(version.major).\(version.minor)")
    try field("schema", version.schema)
    try endObject()
  }
}
