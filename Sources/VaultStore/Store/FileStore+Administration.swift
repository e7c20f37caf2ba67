import Glibc
import SealedTree
package import VaultCrypto
package import VaultModel
package import VaultReports

/// Information about a vault for an administrator.
package struct FileInformation: Sendable {
  package let ident: Ident
  package let formatVersion: FormatVersion
  package let generation: UInt64
  /// A hash of the sealed head: 16 bytes, the same in every replica of this generation.
  package let headHash: [UInt8]
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
        headHash: Hash.hash(unlocked.headRow, count: 16), committed: unlocked.head.committed,
        itemCount: Int(unlocked.head.itemCount),
        bucketCount: Int(unlocked.head.directory.bucketCount), byteCount: size,
        slots: try slots(), unverifiedRecords: try unverifiedRecords())
    }
  }
}

/// Migrating an older vault to the current format: at its first write or on request, never by
/// reading.
extension VaultFile {
  /// Returns the current format of the file.
  func formatVersion() throws(VaultError) -> FormatVersion {
    let ident = try requireUnlocked().keys.ident
    return FormatVersion(
      major: ident.major, minor: ident.minor, schema: try connection.header().userVersion)
  }

  /// Runs the missing steps in one transaction; if a step fails, the vault stays unchanged.
  ///
  /// - Returns: The format before and after; the same if there was nothing to do.
  /// - Throws: As ``write(_:)``; the errors of a step.
  func migrate() throws(VaultError) -> (before: FormatVersion, after: FormatVersion) {
    let before = try read { (_) throws(VaultError) in try formatVersion() }
    guard before.schema < chain.version else { return (before, before) }
    // A fleet's vault is not migrated, so nobody signs.
    try inTransaction { (now, connection) throws(VaultError) in
      var head = now.head
      try head.succeed(now.headTag, at: clock.now(), sealing: now.keys, to: connection)
      let sealed = now.keys.seal(head.encoded, as: .head, id: 0)
      try connection.run(.updateHead, .blob(sealed))
      return (now, head, sealed)
    }
    return (before, try read { (_) throws(VaultError) in try formatVersion() })
  }

  /// Returns the unlocked state after the missing steps, in a write transaction; the head is not
  /// written yet.
  func migrated(_ old: Unlocked) throws(VaultError) -> Unlocked {
    let version = try connection.header().userVersion
    guard version < chain.version else { return old }
    guard !old.keys.ident.isArbitrated else {
      // Its rows reach replicas whose tables have not changed.
      throw VaultError(.unsupported, "a fleet's vault cannot be migrated: make a new one")
    }
    var head = old.head
    let ident = try chain.run(after: version, on: connection, old.keys, &head)
    var new = newlyUnlocked(EpochKeys(old.keys, ident: ident), old.keyFile)
    new.head = head
    new.headTag = old.headTag
    new.recordKey = old.recordKey
    new.reader.root = head.directory
    try connection.run(.updateIdent, .blob(head.ident), .blob(old.headRow))
    return new
  }
}

/// Releasing the space of removed data.
extension VaultFile {
  /// Rewrites the file without its free pages, in place, in one journaled transaction of SQLite.
  ///
  /// No row changes, so the generation stays: other processes see a new schema cookie and read on.
  ///
  /// - Returns: The file's size in bytes before and after.
  /// - Throws: ``VaultError/Code/locked``; ``VaultError/Code/readOnly``; ``VaultError/Code/busy``;
  ///   ``VaultError/Code/damaged`` if SQLite finds a fault in the file, which then stays unchanged;
  ///   ``VaultError/Code/inputOutput``.
  func compact() throws(VaultError) -> (before: Int, after: Int) {
    // An old copy put back must not be rewritten.
    try read { (_) throws(VaultError) in }
    try requireWritable()
    try checkName()
    // Data on unreachable pages, which a salvage could still find, would be lost for good.
    try connection.requireStructure()
    let before = try byteCount()
    forgetLabel()
    try connection.vacuum()
    return (before, try byteCount())
  }

  private func byteCount() throws(VaultError) -> Int {
    try Posix.information(path.path)?.byteCount ?? 0
  }
}
