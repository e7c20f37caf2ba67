import VaultCrypto
import VaultModel

/// The container around the sealed rows: the file's header and the schema's text.
///
/// Source: `Documentation/format.md` §§2 and 9.
extension Connection {
  /// Checks a file before its first use.
  ///
  /// A power cut may tear the first page, and the journal beside it then has it whole: only where there
  /// is one may SQLite touch a file that does not look like a vault.
  ///
  /// - Throws: ``VaultError/Code/notAVault`` for a file that never was one, and
  ///   ``VaultError/Code/damaged`` for one that was.
  func checkContainer(hasJournal: Bool, _ chain: MigrationChain) throws(VaultError) {
    var header = try header()
    if hasJournal, !(header.hasMagic && header.hasRollbackJournal && header.isOurs) {
      try replayJournal()
      header = try self.header()
    }
    guard !header.isEmpty else { throw VaultError(.notAVault, "the file is empty") }
    guard header.hasMagic else {
      guard header.isOurs else { throw VaultError(.notAVault, "the file is not a vault") }
      throw VaultError(.damaged, "the file's first bytes are damaged")
    }
    guard header.hasRollbackJournal else {
      // Before any SQL: SQLite would go on in another journal mode.
      guard header.isOurs else { throw VaultError(.notAVault, "the file is not a vault") }
      throw VaultError(.damaged, "the file's journal mode was changed")
    }
    try configure()
    if header.isOurs {
      try checkSchema(header, chain)
      return
    }
    // One damaged byte in the application id must not make a vault something else.
    do throws(VaultError) {
      try checkSchema(header, chain)
    } catch {
      throw VaultError(.notAVault, "the file is not a vault", underlying: error.underlying)
    }
    throw VaultError(.damaged, "the file's application id is damaged")
  }

  /// Lets SQLite apply a dead writer's journal, whatever the file looks like.
  func replayJournal() throws(VaultError) {
    do throws(VaultError) {
      // Any reading statement does; SQLite replays a hot journal before it.
      try run(.selectSchema)
    } catch {
      // What is wrong with the file itself is said by the checks that follow.
      guard [.damaged, .notAVault].contains(error.code) else { throw error }
    }
  }

  /// Checks that the schema is the one that as many steps make as the file says, text for text: nothing
  /// foreign can hide in it.
  ///
  /// Whether the file says the truth is what its ident tells, which the head vouches for.
  func checkSchema(_ header: SQLiteHeader, _ chain: MigrationChain) throws(VaultError) {
    let version = min(max(header.userVersion, 1), chain.version)
    var expected = try chain.schema(after: version)[...]
    var isExpected = true
    try run(.selectSchema) { row in
      isExpected =
        isExpected && SchemaEntry(type: row.text(0), sql: row.blob(1)) == expected.popFirst()
    }
    guard isExpected, expected.isEmpty else {
      try refuseNewer(chain)
      throw VaultError(.damaged, "the file's schema is not a vault's")
    }
    guard header.userVersion == version else {
      try refuseNewer(chain)
      throw VaultError(.damaged, "the file's schema version is damaged")
    }
  }

  /// Says of a vault with another schema that it is too new, if its ident says so.
  private func refuseNewer(_ chain: MigrationChain) throws(VaultError) {
    do throws(VaultError) {
      var ident: [UInt8] = []
      try run(.selectVault) { row in ident = row.blob(0) }
      _ = try Ident(decoding: ident, knowing: chain.features)
    } catch {
      guard error.code == .tooNew else { return }
      throw error
    }
  }
}
