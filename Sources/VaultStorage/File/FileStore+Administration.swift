import Glibc
package import VaultCrypto
package import VaultModel

/// Information about a vault for an administrator.
package struct FileInformation: Sendable {
  package let ident: Ident
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

  /// Opens everything and runs SQLite's integrity check.
  ///
  /// - Parameter backup: A copy of the same epoch, which names the items of lost buckets.
  /// - Returns: The result.
  /// - Throws: ``VaultError/Code/locked``; ``VaultError/Code/damaged`` if not even the head opens,
  ///   or the backup does not; ``VaultError/Code/invalidArgument`` if that is not a backup of this
  ///   vault.
  package func verify(backup: VaultPath? = nil) throws(VaultError) -> Verification {
    try locked { (file) throws(VaultError) in
      guard let backup else { return try file.verify() }
      return try file.verify(against: BackupNames(of: file, in: backup))
    }
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
  func information() throws(VaultError) -> FileInformation {
    try read { (_) throws(VaultError) in
      let unlocked = try requireUnlocked()
      let size = try Posix.information(path.path)?.st_size ?? 0
      return FileInformation(
        ident: unlocked.keys.ident, generation: unlocked.head.generation,
        committed: unlocked.head.committed, itemCount: Int(unlocked.head.itemCount),
        bucketCount: Int(unlocked.head.directory.bucketCount), byteCount: Int(size),
        slots: try slots(), unverifiedRecords: try unverifiedRecords())
    }
  }
}
