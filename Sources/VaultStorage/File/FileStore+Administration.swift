import Glibc
package import VaultCrypto
package import VaultModel

/// What an administrator sees of a vault.
package struct FileInformation: Sendable {
  package let ident: Ident
  package let generation: UInt64
  package let committed: Timestamp
  package let itemCount: Int
  package let bucketCount: Int
  package let byteCount: Int
  package let slots: [Slot]
}

extension FileStore {
  /// - Throws: ``VaultError/Code/locked``: how much is in a vault is a secret of its own.
  package func information() throws(VaultError) -> FileInformation {
    try locked { (file) throws(VaultError) in try file.information() }
  }

  /// Opens everything and runs SQLite's integrity check.
  ///
  /// - Throws: ``VaultError/Code/locked``, or ``VaultError/Code/damaged`` if not even the head opens.
  package func verify() throws(VaultError) -> Verification {
    try locked { (file) throws(VaultError) in try file.verify() }
  }
}

extension VaultFile {
  /// What there is to know of the file.
  func information() throws(VaultError) -> FileInformation {
    try read { (_) throws(VaultError) in
      let unlocked = try requireUnlocked()
      let size = try Posix.information(path.path)?.st_size ?? 0
      return FileInformation(
        ident: unlocked.keys.ident, generation: unlocked.head.generation,
        committed: unlocked.head.committed, itemCount: Int(unlocked.head.itemCount),
        bucketCount: Int(unlocked.head.directory.bucketCount), byteCount: Int(size),
        slots: try slots())
    }
  }
}
