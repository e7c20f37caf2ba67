import SealedTree
import VaultCrypto
import VaultModel

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
