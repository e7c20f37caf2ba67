import Glibc
import SealedTree
package import VaultCrypto
package import VaultModel

/// Information about a vault for an administrator.
package struct FileInformation: Sendable {
  package let ident: Ident
  package let formatVersion: FormatVersion
  package let generation: UInt64
  package let committed: Timestamp
  package let itemCount: Int
  package let bucketCount: Int
  package let byteCount: Int
  package let slots: [Slot]
  /// Records of the vault in the state folder that do not verify.
  package let unverifiedRecords: [String]
}

extension FileStore {
  /// Returns information about the vault.
  ///
  /// - Throws: ``VaultError/Code/locked``: even the amount of data in a vault is secret.
  package func information() throws(VaultError) -> FileInformation {
    try locked { (file) throws(VaultError) in try file.information() }
  }

  /// Migrates an older vault to the current format.
  ///
  /// - Returns: The format before and after; the same if there was nothing to do.
  package func migrate() throws(VaultError) -> (before: FormatVersion, after: FormatVersion) {
    try locked { (file) throws(VaultError) in try file.migrate() }
  }

  /// Releases the space of removed data.
  ///
  /// - Returns: The file's size in bytes before and after.
  package func compact() throws(VaultError) -> (before: Int, after: Int) {
    try locked { (file) throws(VaultError) in try file.compact() }
  }
}

extension VaultFile {
  /// Returns information about the file.
  package func information() throws(VaultError) -> FileInformation {
    try read { (_) throws(VaultError) in
      let unlocked = try requireUnlocked()
      let size = try Posix.information(path.path)?.byteCount ?? 0
      return FileInformation(
        ident: unlocked.keys.ident, formatVersion: try formatVersion(),
        generation: unlocked.head.generation,
        committed: unlocked.head.committed, itemCount: Int(unlocked.head.itemCount),
        bucketCount: Int(unlocked.head.directory.bucketCount), byteCount: size,
        slots: try slots(), unverifiedRecords: try unverifiedRecords())
    }
  }
}
