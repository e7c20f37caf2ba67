import VaultCrypto
package import VaultModel

/// The container around the sealed rows, before the first statement.
///
/// Source: `Documentation/format.md` §§2 and 9.
extension Connection {
  /// Checks a file before its first use.
  ///
  /// A power failure may tear the first page, and the journal beside it then has the whole page. So
  /// only if there is a journal may SQLite open a file that does not look like a vault, and only if
  /// it looks like no other database.
  ///
  /// - Throws: ``VaultError/Code/notAVault`` for a file that never was a vault, and
  ///   ``VaultError/Code/damaged`` for one that was; as ``PageOneJudge`` says.
  package func checkContainer(hasJournal: Bool) throws(VaultError) {
    var header = try header()
    if hasJournal {
      guard !header.hasMagic || header.isOurs else {
        throw VaultError(.notAVault, "\(path) is another program's, and so is its journal")
      }
      // SQLite would take the journal of an empty file for that of a database being created, and
      // delete it.
      if !(header.hasMagic && header.hasRollbackJournal), try byteCount() > 0 {
        try replayJournal()
        header = try self.header()
      }
    }
    guard !header.isEmpty else { throw VaultError(.notAVault, "\(path) is empty") }
    guard header.hasMagic else {
      guard header.isOurs else { throw VaultError(.notAVault, "\(path) is not a vault") }
      throw VaultError(.damaged, "the file's first bytes are damaged")
    }
    guard header.hasRollbackJournal, header.hasPageSize else {
      // Before any SQL: SQLite would continue in another journal mode, or with other pages.
      guard header.isOurs else { throw VaultError(.notAVault, "\(path) is not a vault") }
      throw VaultError(
        .damaged,
        header.hasPageSize
          ? "the file's journal mode was changed" : "the file's page size is not a vault's")
    }
    // The first setting that needs the schema makes SQLite apply a dead writer's journal and read
    // the first page, which the VFS returns only if it is a vault's.
    try configure()
  }

  /// Makes SQLite apply a dead writer's journal, whatever the file looks like.
  func replayJournal() throws(VaultError) {
    do throws(VaultError) {
      // This takes the lock, before which SQLite replays a hot journal, and needs no schema.
      try run(.userVersion)
    } catch {
      // The following checks report faults of the file itself.
      guard [.damaged, .notAVault].contains(error.code) else { throw error }
    }
  }
}
