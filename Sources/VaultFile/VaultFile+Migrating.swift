import SealedTree
import VaultCrypto
import VaultModel

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
    try inTransaction { (now, connection) throws(VaultError) in
      var head = now.head
      try head.succeed(now.headTag, at: clock.now())
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
