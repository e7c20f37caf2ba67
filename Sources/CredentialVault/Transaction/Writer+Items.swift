import VaultStore
public import VaultModel

/// Lookups and changes within a transaction, which see and change the file.
extension Vault.Writer {
  // MARK: Finding

  /// Returns the items that match, as they are within the transaction; those of the session are not
  /// among them.
  public func findAll(
    _ query: ItemQuery, withSecrets: Bool
  ) throws(VaultError) -> [Item] {
    try transaction.find(query, withSecrets: withSecrets)
  }

  /// Returns the default user of a space, or nil.
  public func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    try transaction.defaultUser(for: space)
  }

  /// Sets the default user of a space, as ``Vault/setDefaultUser(_:for:)`` does; nil clears it.
  @discardableResult
  public func setDefaultUser(
    _ user: String?, for space: ProtectionSpace
  ) throws(VaultError) -> PersistencePolicy.Decision {
    guard let user else {
      try gate.setPermanentDefault(nil, for: space)
      return PersistencePolicy.Decision(requested: .none)
    }
    let query = ItemQuery(space)
    let isPermanent = try transaction.find(query).contains(where: { $0.isOf(user) })
    let temporary = try gate.session.find(query, withSecrets: false)
    guard isPermanent || temporary.contains(where: { $0.isOf(user) }) else {
      throw VaultError(.itemNotFound, "\(space) has no credential of this user")
    }
    return try gate.setDefaultUser(
      user, for: space, requested: isPermanent ? .permanent : .session)
  }

  // MARK: Changing

  /// Adds an item, as ``Vault/add(_:persistence:afterAcceptance:)`` does.
  ///
  /// An item that is granted less than `permanent` is in the session at once, and is removed from
  /// it if the transaction fails.
  @discardableResult
  public func add(
    _ item: Item, persistence: Persistence = .permanent, afterAcceptance: Bool = false
  ) throws(VaultError) -> StoreResult {
    try gate.add(item, requested: persistence, afterAcceptance: afterAcceptance)
  }

  /// Changes the item of the same key or adds it, as
  /// ``Vault/upsert(_:persistence:afterAcceptance:)`` does.
  @discardableResult
  public func upsert(
    _ item: Item, persistence: Persistence = .permanent, afterAcceptance: Bool = false
  ) throws(VaultError) -> StoreResult {
    try gate.upsert(item, requested: persistence, afterAcceptance: afterAcceptance)
  }

  /// Applies changes to an item, as ``Vault/modify(_:_:ifRevision:afterAcceptance:removal:)`` does.
  @discardableResult
  public func modify(
    _ item: Item, _ changes: [ItemChange], ifRevision revision: UInt64? = nil,
    afterAcceptance: Bool = false, removal: Removal = .recoverable
  ) throws(VaultError) -> StoreResult {
    try gate.modify(
      item, changes, revision: revision, afterAcceptance: afterAcceptance, removal: removal)
  }

  /// Removes an item, as ``Vault/remove(_:ifRevision:removal:)`` does.
  ///
  /// An item of the session is back in it if the transaction fails.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/conflict``.
  public func remove(
    _ item: Item, ifRevision revision: UInt64? = nil, removal: Removal = .recoverable
  ) throws(VaultError) {
    guard item.persistence != .permanent else {
      return try transaction.remove(
        item.id, hint: item.key, revision: revision, removal: removal)
    }
    try gate.session.item(item.id, hint: item.key).require(revision: revision)
    try gate.removeFromSession(item)
  }

  /// Removes the one item that matches best, as ``Vault/removeUnique(_:removal:)`` does.
  ///
  /// - Returns: The item as it was, without its secret.
  /// - Throws: As ``VaultReading/findUnique(_:withSecrets:)``.
  @discardableResult
  public func removeUnique(
    _ query: ItemQuery, removal: Removal = .recoverable
  ) throws(VaultError) -> Item {
    let item = try findUnique(query, withSecrets: false)
    try remove(item, removal: removal)
    return item
  }

  /// Removes every item that matches, as ``Vault/remove(_:ifRevision:removal:)`` does; a query
  /// with a limit removes the best matches.
  ///
  /// - Returns: The number of items removed.
  @discardableResult
  public func removeAll(
    _ query: ItemQuery, removal: Removal = .recoverable
  ) throws(VaultError) -> Int {
    let items = try transaction.find(query)
    for item in items { try remove(item, removal: removal) }
    return items.count
  }

  // MARK: The trash

  /// Returns the removed items that match and can be brought back, as ``VaultTrash/items(_:)``
  /// does.
  public func trash(_ query: ItemQuery = ItemQuery()) throws(VaultError) -> [RemovedItem] {
    try transaction.trash(query)
  }

  /// Brings a removed item back, as ``VaultTrash/restore(_:)`` does.
  @discardableResult
  public func restore(_ removed: RemovedItem) throws(VaultError) -> StoreResult {
    try gate.restore(removed)
  }

  /// Removes removed items permanently, as ``VaultTrash/empty(_:)`` does.
  @discardableResult
  public func emptyTrash(_ query: ItemQuery = ItemQuery()) throws(VaultError) -> Int {
    try transaction.emptyTrash(query)
  }

  /// Removes one removed item permanently, with its previous secrets.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is not in the trash any more.
  public func remove(_ removed: RemovedItem) throws(VaultError) {
    try transaction.remove(removed)
  }

  /// The number of days for which a removed item is kept.
  package var trashDays: Int {
    get throws(VaultError) {
      transaction.trashDays
    }
  }

  /// Sets the number of days for which removed items are kept, as ``VaultTrash/setDays(_:)`` does.
  package func setTrashDays(_ days: Int) throws(VaultError) {
    try transaction.setTrashDays(days)
  }

  /// Whether what programs remove and replace can be restored.
  package var keepsForPrograms: Bool {
    get throws(VaultError) {
      transaction.keepsForPrograms
    }
  }

  /// Sets whether what programs remove and replace can be restored, as
  /// ``VaultTrash/setKeepsForPrograms(_:)`` does.
  package func setKeepsForPrograms(_ keeps: Bool) throws(VaultError) {
    transaction.keepsForPrograms = keeps
  }

  // MARK: Previous secrets

  /// Returns the secrets that an item had before, as ``VaultHistory/entries(of:withSecrets:)``
  /// does.
  public func history(
    of item: Item, withSecrets: Bool = false
  ) throws(VaultError) -> [PreviousSecret] {
    try transaction.history(of: item.id, hint: item.key, withSecrets: withSecrets)
  }

  /// Opens one secret that an item had before, as ``VaultHistory/open(_:of:)`` does.
  public func previousSecret(
    _ previous: PreviousSecret, of item: Item
  ) throws(VaultError) -> PreviousSecret {
    try transaction.previousSecret(previous.id(of: item), hint: item.key)
  }

  /// Restores a previous secret, as ``VaultHistory/revert(_:to:ifRevision:afterAcceptance:)`` does.
  @discardableResult
  public func revert(
    _ item: Item, to previous: PreviousSecret? = nil,
    ifRevision revision: UInt64? = nil, afterAcceptance: Bool = false
  ) throws(VaultError) -> StoreResult {
    try gate.revert(item, to: previous?.id, revision: revision, afterAcceptance: afterAcceptance)
  }

  /// How many previous secrets each item keeps.
  package var historyLimit: Int {
    get throws(VaultError) {
      transaction.historyLimit
    }
  }

  /// Sets how many previous secrets each item keeps, as ``VaultHistory/setLimit(_:)`` does.
  package func setHistoryLimit(_ limit: Int) throws(VaultError) {
    try transaction.setHistoryLimit(limit)
  }
}
