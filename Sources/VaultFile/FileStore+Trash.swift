import SealedTree
package import VaultModel

/// The file's deleted items.
extension FileStore {
  /// Returns the deleted items that match and can be restored, the last one deleted first.
  ///
  /// A query that names the server reads one bucket; any other query reads the whole file.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func trash(_ query: ItemQuery) throws(VaultError) -> [RemovedItem] {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        let days = try Int(file.requireUnlocked().head.trashDays)
        return try reader.trash(query, days: days, at: reader.clock.now())
      }
    }
  }

  /// Returns the number of days for which a deleted item is kept.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func trashDays() throws(VaultError) -> Int {
    try locked { (file) throws(VaultError) in
      try file.read { (_) throws(VaultError) in try Int(file.requireUnlocked().head.trashDays) }
    }
  }
}
