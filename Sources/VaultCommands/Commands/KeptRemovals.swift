import CredentialVault
import VaultModel

/// The settings for removed items, as `trash` sets them and `info` shows them.
struct KeptRemovals {
  let days: Int
  let forPrograms: Bool

  func write(to output: Output) throws(VaultError) {
    try output.line("days removed items are kept: \(days)")
    try output.line("what programs remove is kept: \(forPrograms ? "yes" : "no")")
  }

  func write(to json: inout JSONWriter) throws(VaultError) {
    try json.field("trash_days", days)
    try json.field("trash_for_programs", forPrograms)
  }
}
