import SealedTree
package import SecureMemory
package import VaultModel

/// Questions that only the file answers, and its changes.
extension FileStore {
  /// Returns the default users of spaces of one host, in their order, with one read of the file;
  /// nil for those without one.
  package func defaultUsers(
    for spaces: [ProtectionSpace], of host: HostName
  ) throws(VaultError) -> [String?] {
    try read { (reader) throws(VaultError) in try reader.defaultUsers(for: spaces, of: host) }
  }

  /// Returns the matches of queries, with secrets, and the default users of spaces of one host,
  /// with one read of the file.
  ///
  /// - Throws: As ``find(_:withSecrets:)``; ``VaultError/Code/busy`` if it is to be at once, and
  ///   would take a wait.
  package func find(
    _ queries: [ItemQuery], defaultsOf spaces: [ProtectionSpace], at host: HostName, atOnce: Bool
  ) throws(VaultError) -> (items: [[Item]], defaultUsers: [String?]) {
    func found(
      _ reader: FileReader
    ) throws(VaultError) -> (items: [[Item]], defaultUsers: [String?]) {
      let items = try queries.map { (query) throws(VaultError) in
        try reader.find(query, withSecrets: true)
      }
      return (items, try reader.defaultUsers(for: spaces, of: host))
    }
    return atOnce ? try readAtOnce(found) : try read(found)
  }

  /// Returns an item with its secrets if only its own time has passed, and without them if a
  /// policy's has.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; else as ``find(_:withSecrets:)``.
  package func itemToCopy(
    _ id: ItemID, hint: Item.Key
  ) throws(VaultError) -> Item {
    try read { (reader) throws(VaultError) in
      let record = try reader.record(id, hint: hint)
      let isOver = record.item.keptUntil.map { $0 <= reader.tree.clock.now() } ?? false
      return isOver ? record.item : try reader.tree.opened(record)
    }
  }

  /// Checks whether anyone else has changed the file, and tells observers; cheap if nobody has.
  ///
  /// - Returns: The generation of the file now.
  /// - Throws: As ``find(_:withSecrets:)``.
  @discardableResult
  package func look() throws(VaultError) -> UInt64 {
    try read { (reader) throws(VaultError) in try reader.file.requireUnlocked().head.generation }
  }

  /// Returns the defaults of a host's spaces.
  ///
  /// - Throws: As ``find(_:withSecrets:)``.
  package func defaults(of host: HostName) throws(VaultError) -> [ProtectionSpace: String] {
    try read { (reader) throws(VaultError) in try reader.tree.defaults(host: host).bySpace }
  }

  /// Returns the refresh token of an item, unless its policy's time is over; nil if it has none.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; else as ``find(_:withSecrets:)``.
  package func refreshToken(
    of id: ItemID, hint: Item.Key
  ) throws(VaultError) -> Secret? {
    try read { (reader) throws(VaultError) in
      try reader.tree.refreshToken(of: reader.record(id, hint: hint))
    }
  }

  /// Runs `body` in one write transaction, which takes effect completely or not at all.
  ///
  /// - Throws: The errors of `body`; ``VaultError/Code/locked``, ``VaultError/Code/readOnly``,
  ///   ``VaultError/Code/busy``, ``VaultError/Code/inputOutput``,
  ///   ``VaultError/Code/outcomeUnknown``.
  package func write<R>(
    _ body: (FileTransaction) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    try writing { (file) throws(VaultError) in try file.write(body) }
  }

  /// Sets the number of previous secrets that each item keeps, as
  /// ``FileTransaction/setHistoryLimit(_:)`` says.
  package func setHistoryLimit(_ limit: Int) throws(VaultError) {
    try write { (transaction) throws(VaultError) in try transaction.setHistoryLimit(limit) }
  }
}
