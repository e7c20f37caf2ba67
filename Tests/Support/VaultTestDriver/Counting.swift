import CFaultVFS
import CredentialVault
import Glibc
import VaultModel

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
