import SealedTree
package import VaultModel

/// The previous secrets of the file's items.
extension FileStore {
  package func history(
    of id: ItemID, hint: InternetPassword.Key, secrets: Bool
  ) throws(VaultError) -> [PreviousSecret] {
    try reading(id, hint: hint) { (reader, item) throws(VaultError) in
      try reader.history(of: item, secrets: secrets)
    }
  }

  package func previousSecret(
    _ id: PreviousSecret.ID, hint: InternetPassword.Key
  ) throws(VaultError) -> PreviousSecret {
    try reading(id.item, hint: hint) { (reader, item) throws(VaultError) in
      try reader.previousSecret(id, of: item)
    }
  }

  private func reading<R: Sendable>(
    _ id: ItemID, hint: InternetPassword.Key,
    _ body: (TreeReader, InternetPassword) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        guard let item = try reader.item(id, hint: hint)?.item else {
          throw VaultError(.itemNotFound, "no item has the id \(id)")
        }
        return try body(reader, item)
      }
    }
  }

  /// Returns the number of previous secrets that each item keeps.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func historyLimit() throws(VaultError) -> Int {
    try locked { (file) throws(VaultError) in
      try file.read { (_) throws(VaultError) in
        try Int(file.requireUnlocked().head.historyLimit)
      }
    }
  }

  /// Sets the number of previous secrets that each item keeps, as
  /// ``FileTransaction/setHistoryLimit(_:)`` says.
  package func setHistoryLimit(_ limit: Int) throws(VaultError) {
    try write { (transaction) throws(VaultError) in try transaction.setHistoryLimit(limit) }
  }
}

/// The file's removed items.
extension FileStore {
  /// Returns the removed items that match and can be restored, the last one removed first.
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

  /// Returns the number of days for which a removed item is kept.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func trashDays() throws(VaultError) -> Int {
    try locked { (file) throws(VaultError) in
      try file.read { (_) throws(VaultError) in try Int(file.requireUnlocked().head.trashDays) }
    }
  }
}
