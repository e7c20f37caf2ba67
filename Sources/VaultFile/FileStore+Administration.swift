import Glibc
import SealedTree
package import VaultCrypto
package import VaultModel

/// What an administrator sees of a vault.
package struct FileInformation: Sendable {
  package let ident: Ident
  package let formatVersion: FormatVersion
  package let generation: UInt64
  package let committed: Timestamp
  package let itemCount: Int
  package let bucketCount: Int
  package let byteCount: Int
  package let slots: [Slot]
  /// Files of the state folder that speak of the vault and do not verify.
  package let unverifiedRecords: [String]
}

extension FileStore {
  /// - Throws: ``VaultError/Code/locked``: how much is in a vault is a secret of its own.
  package func information() throws(VaultError) -> FileInformation {
    try locked { (file) throws(VaultError) in try file.information() }
  }

  /// Brings an older vault to the present format.
  ///
  /// - Returns: The format before and after; the same if nothing was to be done.
  package func migrate() throws(VaultError) -> (before: FormatVersion, after: FormatVersion) {
    try locked { (file) throws(VaultError) in try file.migrate() }
  }

  /// Gives back the space of what was removed.
  ///
  /// - Returns: The file's size in bytes before and after.
  package func compact() throws(VaultError) -> (before: Int, after: Int) {
    try locked { (file) throws(VaultError) in try file.compact() }
  }
}

extension VaultFile {
  /// What there is to know of the file.
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
