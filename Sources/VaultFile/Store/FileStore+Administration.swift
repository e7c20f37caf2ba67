import Glibc
import SealedTree
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
        ident: unlocked.keys.ident, generation: unlocked.head.generation,
        committed: unlocked.head.committed, itemCount: Int(unlocked.head.itemCount),
        bucketCount: Int(unlocked.head.directory.bucketCount), byteCount: size,
        slots: try slots(), unverifiedRecords: try unverifiedRecords())
    }
  }
}

/// Bringing an older vault to the present format: at its first write or when asked, never by reading.
extension VaultFile {
  /// The format of the file as it is.
  func formatVersion() throws(VaultError) -> FormatVersion {
    let ident = try requireUnlocked().keys.ident
    return FormatVersion(
      major: ident.major, minor: ident.minor, schema: try connection.header().userVersion)
  }

  /// Runs the steps that are missing, all in one transaction; a step that fails leaves the vault as it was.
  ///
  /// - Returns: The format before and after; the same if nothing was to be done.
  /// - Throws: As ``write(_:)``, and what a step throws.
  func migrate() throws(VaultError) -> (before: FormatVersion, after: FormatVersion) {
    let before = try read { (_) throws(VaultError) in try formatVersion() }
    guard before.schema < chain.version else { return (before, before) }
    try inTransaction { (now, connection) throws(VaultError) in
      var head = now.head
      try head.succeed(now.headTag, at: clock.now())
      let sealed = now.keys.seal(head.encoded, as: .head, id: 0)
      try connection.run(.updateHead, .blob(sealed))
      return (now, head, sealed)
    }
    return (before, try read { (_) throws(VaultError) in try formatVersion() })
  }

  /// What is unlocked after the missing steps, within a write transaction; the head is yet to be written.
  func migrated(_ old: Unlocked) throws(VaultError) -> Unlocked {
    let version = try connection.header().userVersion
    guard version < chain.version else { return old }
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

/// Giving back the space of what was removed.
extension VaultFile {
  /// Writes the file anew without its free pages, in place, in one journaled transaction of SQLite.
  ///
  /// No row changes, and so no generation: other processes see a new schema cookie and read on.
  ///
  /// - Returns: The file's size in bytes before and after.
  /// - Throws: ``VaultError/Code/locked``; ``VaultError/Code/readOnly``; ``VaultError/Code/busy``;
  ///   ``VaultError/Code/damaged`` if SQLite finds fault with the file, which then stays as it is;
  ///   ``VaultError/Code/inputOutput``.
  func compact() throws(VaultError) -> (before: Int, after: Int) {
    // An old copy put back must not be made more its own.
    try read { (_) throws(VaultError) in }
    guard !connection.isReadOnly else { throw path.cannotBeWritten() }
    try checkName()
    // What a salvage could still find on a page that nothing leads to would be gone for good.
    try connection.run(.integrityCheck) { (row) throws(VaultError) in
      guard row.text(0) == "ok" else {
        throw VaultError(.damaged, "the file's structure is damaged: \(row.text(0))")
      }
    }
    let before = try byteCount()
    forgetLabel()
    try connection.vacuum()
    return (before, try byteCount())
  }

  private func byteCount() throws(VaultError) -> Int {
    try Posix.information(path.path)?.byteCount ?? 0
  }
}
