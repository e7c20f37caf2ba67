import AttackSupport
import CFaultVFS
import CredentialVault
import Glibc
import VaultModel

/// Performs `count` operations of a workload, or all `operations`, and records all of their disk
/// operations.
func trace(_ arguments: Arguments) throws(VaultError) {
  guard fault_vfs_install() else { throw VaultError(.internalError, "SQLite takes no VFS") }
  // Both paths are copied, or used before the call returns.
  let isRecording = unsafe fault_vfs_record(
    arguments["trace"], arguments["vault"], arguments.number("powersafe") == 1,
    Int32(arguments.number("sector")))
  guard isRecording else { throw VaultError(.cannotCreate, "there is no place for a trace") }
  let vault = try arguments.openVault()
  mark(0, arguments["state"])
  for number in 0..<arguments.number("count") {
    try vault.perform(arguments.workload, number)
    mark(number + 1, arguments["state"])
  }
  for (number, operation) in arguments.operations.enumerated() {
    try operation.perform(operation.isOpening ? nil : vault, at: arguments.place(number: number))
    mark(number + 1, arguments["state"])
  }
  try vault.close()
  guard fault_vfs_finish() else { throw VaultError(.inputOutput, "the trace is not whole") }
  say("done")
}

/// Marks the end of an operation, with the state folder's record at that time.
private func mark(_ number: Int, _ stateFolder: String) {
  do {
    let name = try File.names(in: stateFolder).first { $0.hasSuffix(".seen") } ?? ""
    let record = try File.read("\(stateFolder)/\(name)")
    // The bytes are copied into the trace.
    unsafe record.withUnsafeBytes {
      unsafe fault_vfs_mark(Int64(number), $0.baseAddress, Int32($0.count))
    }
  } catch {
    say("error \(error)")
  }
}

/// Opens the vault and looks for an item, and prints the result and the number of SQLite's reads.
func countReads(_ arguments: Arguments) throws(VaultError) {
  guard fault_vfs_install() else { throw VaultError(.internalError, "SQLite takes no VFS") }
  var outcome = "done"
  // No call has that number: they are only counted.
  fault_vfs_fail(fault_vfs_read, .max, fault_vfs_once, 0)
  do throws(VaultError) {
    _ = try arguments.openVault().findAll(ItemQuery())
  } catch {
    outcome = "\(error.code)"
  }
  say("\(outcome) \(fault_vfs_calm())")
}
