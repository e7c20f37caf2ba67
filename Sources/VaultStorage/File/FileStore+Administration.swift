import Glibc
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

  /// Opens everything and runs SQLite's integrity check.
  ///
  /// - Parameter backup: A copy of the same epoch, which names the items that lay in lost buckets.
  /// - Returns: What was found.
  /// - Throws: ``VaultError/Code/locked``; ``VaultError/Code/damaged`` if not even the head opens, or
  ///   not the backup; ``VaultError/Code/invalidArgument`` if that is none of this vault.
  package func verify(backup: VaultPath? = nil) throws(VaultError) -> Verification {
    try locked { (file) throws(VaultError) in
      guard let backup else { return try file.verify() }
      return try file.verify(against: BackupNames(of: file, in: backup))
    }
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
  func information() throws(VaultError) -> FileInformation {
    try read { (_) throws(VaultError) in
      let unlocked = try requireUnlocked()
      let size = try Posix.information(path.path)?.st_size ?? 0
      return FileInformation(
        ident: unlocked.keys.ident, formatVersion: try formatVersion(),
        generation: unlocked.head.generation,
        committed: unlocked.head.committed, itemCount: Int(unlocked.head.itemCount),
        bucketCount: Int(unlocked.head.directory.bucketCount), byteCount: Int(size),
        slots: try slots(), unverifiedRecords: try unverifiedRecords())
    }
  }
}
