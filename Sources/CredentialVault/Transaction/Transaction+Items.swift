import VaultFile
public import VaultModel
import VaultSession

/// Lookups and changes within a transaction, which see and change the file.
extension Vault.Transaction {
  // MARK: Finding

  /// Returns the item that matches best, as ``Vault/find(_:secrets:)`` does.
  public func find(
    _ query: ItemQuery, secrets: Bool = false
  ) throws(VaultError) -> InternetPassword {
    try query.best(at: transaction.now) { (query) throws(VaultError) in
      try findAll(query, secrets: secrets)
    }
  }

  /// Returns the one item that matches best, as ``Vault/findUnique(_:secrets:)`` does.
  public func findUnique(
    _ query: ItemQuery, secrets: Bool = false
  ) throws(VaultError) -> InternetPassword {
    try query.unique(among: findAll(query.withoutLimit, secrets: secrets), at: transaction.now)
  }

  /// Returns the items that match, as they are within the transaction.
  public func findAll(
    _ query: ItemQuery, secrets: Bool = false
  ) throws(VaultError) -> [InternetPassword] {
    try transaction.find(query, secrets: secrets)
  }

  /// Returns the number of items that match.
  public func count(_ query: ItemQuery) throws(VaultError) -> Int {
    try findAll(query).count
  }

  /// Returns the item with an id, as ``Vault/item(_:hint:secrets:)`` does.
  public func item(
    _ id: ItemID, hint: InternetPassword.Key? = nil, secrets: Bool = false
  ) throws(VaultError) -> InternetPassword {
    let itemClass = hint?.itemClass ?? .internetPassword
    return try ItemQuery.item(id, hint: hint, of: itemClass) { (query) throws(VaultError) in
      try findAll(query, secrets: secrets)
    }
  }

  // MARK: Changing

  /// Adds an item, as ``Vault/add(_:persistence:isAccepted:)`` does.
  ///
  /// An item that is granted less than `permanent` is in the session at once, and is removed from
  /// it if the transaction fails.
  @discardableResult
  public func add(
    _ item: InternetPassword, persistence: Persistence = .permanent, isAccepted: Bool = false
  ) throws(VaultError) -> StoreResult {
    try gate.add(item, requested: persistence, isAccepted: isAccepted)
  }

  /// Changes the item of the same key or adds it, as ``Vault/upsert(_:persistence:isAccepted:)``
  /// does.
  @discardableResult
  public func upsert(
    _ item: InternetPassword, persistence: Persistence = .permanent, isAccepted: Bool = false
  ) throws(VaultError) -> StoreResult {
    try gate.upsert(item, requested: persistence, isAccepted: isAccepted)
  }

  /// Applies changes to an item, as ``Vault/modify(_:_:ifRevision:isAccepted:)`` does.
  @discardableResult
  public func modify(
    _ item: InternetPassword, _ changes: [ItemChange], ifRevision revision: UInt64? = nil,
    isAccepted: Bool = false
  ) throws(VaultError) -> StoreResult {
    try gate.modify(item, changes, revision: revision, isAccepted: isAccepted)
  }

  /// Removes an item, as ``Vault/remove(_:ifRevision:isForGood:)`` does.
  ///
  /// An item of the session is back in it if the transaction fails.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/conflict``.
  public func remove(
    _ item: InternetPassword, ifRevision revision: UInt64? = nil, isForGood: Bool = false
  ) throws(VaultError) {
    guard item.persistence != .permanent else {
      return try transaction.remove(
        item.id, hint: item.key, revision: revision, isForGood: isForGood)
    }
    try gate.session.item(item.id, hint: item.key).require(revision: revision)
    try gate.removeFromSession(item)
  }

  /// Removes the one item that matches best, as ``Vault/removeUnique(_:isForGood:)`` does.
  ///
  /// - Returns: The item as it was, without its secret.
  /// - Throws: As ``findUnique(_:secrets:)``.
  @discardableResult
  public func removeUnique(
    _ query: ItemQuery, isForGood: Bool = false
  ) throws(VaultError) -> InternetPassword {
    let item = try findUnique(query, secrets: false)
    try remove(item, isForGood: isForGood)
    return item
  }

  /// Removes every item that matches, as ``Vault/remove(_:ifRevision:isForGood:)`` does; a query
  /// with a limit removes the best matches.
  ///
  /// - Returns: The number of items removed.
  @discardableResult
  public func removeAll(_ query: ItemQuery, isForGood: Bool = false) throws(VaultError) -> Int {
    let items = try transaction.find(query)
    for item in items { try remove(item, isForGood: isForGood) }
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

  /// Returns the number of days for which a removed item is kept.
  public func trashDays() throws(VaultError) -> Int {
    transaction.trashDays()
  }

  /// Sets the number of days for which removed items are kept, as ``VaultTrash/setDays(_:)`` does.
  public func setTrashDays(_ days: Int) throws(VaultError) {
    try transaction.setTrashDays(days)
  }

  // MARK: Previous secrets

  /// Returns the secrets that an item had before, as ``VaultHistory/entries(of:secrets:)`` does.
  public func history(
    of item: InternetPassword, secrets: Bool = false
  ) throws(VaultError) -> [PreviousSecret] {
    try transaction.history(of: item.id, hint: item.key, secrets: secrets)
  }

  /// Opens one secret that an item had before, as ``VaultHistory/open(_:of:)`` does.
  public func previousSecret(
    _ previous: PreviousSecret, of item: InternetPassword
  ) throws(VaultError) -> PreviousSecret {
    try transaction.previousSecret(previous.id(of: item), hint: item.key)
  }

  /// Restores a previous secret, as ``VaultHistory/revert(_:to:ifRevision:isAccepted:)`` does.
  @discardableResult
  public func revert(
    _ item: InternetPassword, to previous: PreviousSecret? = nil,
    ifRevision revision: UInt64? = nil, isAccepted: Bool = false
  ) throws(VaultError) -> StoreResult {
    try gate.revert(item, to: previous?.id, revision: revision, isAccepted: isAccepted)
  }

  /// Returns how many previous secrets each item keeps.
  public func historyLimit() throws(VaultError) -> Int {
    transaction.historyLimit()
  }

  /// Sets how many previous secrets each item keeps, as ``VaultHistory/setLimit(_:)`` does.
  public func setHistoryLimit(_ limit: Int) throws(VaultError) {
    try transaction.setHistoryLimit(limit)
  }
}
