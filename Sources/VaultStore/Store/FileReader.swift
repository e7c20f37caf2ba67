import SealedTree
import SecureMemory
package import VaultModel

/// A source of answers about a vault's file: the store, each from a moment of its own; one moment
/// of the file; or a write transaction.
package protocol FileReading: StoreReader {
  /// Returns the items that answer a space, the best first, and its default user, from one moment.
  ///
  /// - Throws: As ``find(_:withSecrets:)``.
  func items(
    of space: ProtectionSpace, withSecrets: Bool
  ) throws(VaultError) -> (items: [Item], defaultUser: String?)

  /// Returns the number of previous secrets that each item keeps.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  var historyLimit: Int { get throws(VaultError) }

  /// Returns the removed items that match and can be restored, the last one removed first.
  ///
  /// A query that names the server reads one bucket; any other query reads the whole file.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  func trash(_ query: ItemQuery) throws(VaultError) -> [RemovedItem]

  /// Returns the number of days for which a removed item is kept.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  var trashDays: Int { get throws(VaultError) }

  /// Whether what programs remove and replace can be restored.
  var keepsForPrograms: Bool { get throws(VaultError) }
}

/// The file at one moment; valid only within ``FileStore/read(isHeld:_:)``.
package struct FileReader: FileReading {
  let file: VaultFile
  let tree: TreeReader

  package func find(
    _ query: ItemQuery, withSecrets: Bool
  ) throws(VaultError) -> [Item] {
    try tree.items(matching: query) { (record) throws(VaultError) in
      try tree.item(of: record, withSecrets: withSecrets)
    }
  }

  /// Returns the record of an item.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  func record(_ id: ItemID, hint: Item.Key) throws(VaultError) -> ItemRecord {
    guard let record = try tree.item(id, hint: hint) else {
      throw VaultError(.itemNotFound, "no item has the id \(id)")
    }
    return record
  }

  package func history(
    of id: ItemID, hint: Item.Key, withSecrets: Bool
  ) throws(VaultError) -> [PreviousSecret] {
    try tree.history(of: record(id, hint: hint).item, withSecrets: withSecrets)
  }

  package func previousSecret(
    _ id: PreviousSecret.ID, hint: Item.Key
  ) throws(VaultError) -> PreviousSecret {
    try tree.previousSecret(id, of: record(id.item, hint: hint).item)
  }

  package var historyLimit: Int {
    get throws(VaultError) {
      try Int(file.requireUnlocked().head.historyLimit)
    }
  }

  package func trash(_ query: ItemQuery) throws(VaultError) -> [RemovedItem] {
    try tree.trash(query, days: trashDays, at: tree.clock.now())
  }

  package var trashDays: Int {
    get throws(VaultError) {
      try Int(file.requireUnlocked().head.trashDays)
    }
  }

  package var keepsForPrograms: Bool {
    get throws(VaultError) {
      try file.requireUnlocked().head.keepsForPrograms
    }
  }

  /// Returns an item of the trash with its secrets, and those that it had before.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is not there any more;
  ///   ``VaultError/Code/damaged`` if a secret does not open.
  package func opened(
    _ removed: RemovedItem
  ) throws(VaultError) -> (item: Item, previous: [PreviousSecret]) {
    let query = ItemQuery(key: removed.item.key)
    guard let record = try tree.removedItems(matching: query, where: { $0.id == removed.id }).first
    else { throw VaultError(.itemNotFound, "the item is not in the trash") }
    let opened = try MergedItem(record, from: tree)
    return (opened.item, opened.previous.map { $0.record.value(secret: $0.secret) })
  }

  package func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    try defaultUsers(for: [space], of: space.host)[0]
  }

  /// Returns the default users of spaces of one host, in their order; nil for those without one.
  func defaultUsers(
    for spaces: [ProtectionSpace], of host: HostName
  ) throws(VaultError) -> [String?] {
    let records = try tree.defaults(host: host)
    return spaces.map { space in records.first { $0.space == space }?.user }
  }

  package func defaults() throws(VaultError) -> [ProtectionSpace: String] {
    try tree.defaults(host: nil).bySpace
  }
}

extension FileReading {
  /// Returns the matching items without their secrets, in the query's order.
  package func find(_ query: ItemQuery) throws(VaultError) -> [Item] {
    try find(query, withSecrets: false)
  }

  package func items(
    of space: ProtectionSpace, withSecrets: Bool
  ) throws(VaultError) -> (items: [Item], defaultUser: String?) {
    (try find(ItemQuery(space), withSecrets: withSecrets), try defaultUser(for: space))
  }
}

extension FileTransaction: FileReading {}

extension FileStore: FileReading {
  /// Runs `body` with the file at one moment.
  ///
  /// `body` runs again if the path has another file meanwhile, or if another process commits.
  ///
  /// - Parameters:
  ///   - isHeld: Whether no process commits until `body` has returned; it costs a read transaction
  ///     even if everything that `body` asks for is in memory.
  ///   - body: It must not call the store.
  /// - Returns: The result of `body`.
  /// - Throws: Any error of `body`; ``VaultError/Code/locked``, ``VaultError/Code/damaged``,
  ///   ``VaultError/Code/busy``.
  package func read<R>(
    isHeld: Bool = false, _ body: (FileReader) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    try locked { (file) throws(VaultError) in
      try file.read { (tree) throws(VaultError) in
        if isHeld { try file.requireTransaction() }
        return try body(FileReader(file: file, tree: tree))
      }
    }
  }

  /// Runs `body` with the file at one moment, if that takes no wait: nobody uses the file, what
  /// `body` asks for is in memory, and nobody has committed since.
  ///
  /// - Throws: ``VaultError/Code/busy`` if it would; ``VaultError/Code/locked``; any error of
  ///   `body`.
  func readAtOnce<R>(
    _ body: (FileReader) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    try lockedAtOnce { (file) throws(VaultError) in
      try file.readAtOnce { (tree) throws(VaultError) in
        try body(FileReader(file: file, tree: tree))
      }
    }
  }

  package func find(
    _ query: ItemQuery, withSecrets: Bool
  ) throws(VaultError) -> [Item] {
    try read { (reader) throws(VaultError) in try reader.find(query, withSecrets: withSecrets) }
  }

  package func items(
    of space: ProtectionSpace, withSecrets: Bool
  ) throws(VaultError) -> (items: [Item], defaultUser: String?) {
    try read { (reader) throws(VaultError) in try reader.items(of: space, withSecrets: withSecrets)
    }
  }

  package func history(
    of id: ItemID, hint: Item.Key, withSecrets: Bool
  ) throws(VaultError) -> [PreviousSecret] {
    try read { (reader) throws(VaultError) in
      try reader.history(of: id, hint: hint, withSecrets: withSecrets)
    }
  }

  package func previousSecret(
    _ id: PreviousSecret.ID, hint: Item.Key
  ) throws(VaultError) -> PreviousSecret {
    try read { (reader) throws(VaultError) in try reader.previousSecret(id, hint: hint) }
  }

  package var historyLimit: Int {
    get throws(VaultError) {
      try read { (reader) throws(VaultError) in try reader.historyLimit }
    }
  }

  package func trash(_ query: ItemQuery) throws(VaultError) -> [RemovedItem] {
    try read { (reader) throws(VaultError) in try reader.trash(query) }
  }

  package var trashDays: Int {
    get throws(VaultError) {
      try read { (reader) throws(VaultError) in try reader.trashDays }
    }
  }

  package var keepsForPrograms: Bool {
    get throws(VaultError) {
      try read { (reader) throws(VaultError) in try reader.keepsForPrograms }
    }
  }

  package func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    try read { (reader) throws(VaultError) in try reader.defaultUser(for: space) }
  }

  package func defaults() throws(VaultError) -> [ProtectionSpace: String] {
    try read { (reader) throws(VaultError) in try reader.defaults() }
  }
}
