public import VaultModel
import VaultStorage

/// What a transaction finds and changes is the file's.
extension Vault.Transaction {
  // MARK: Finding

  /// The item that matches best, as ``Vault/find(_:secrets:)`` says.
  public func find(
    _ query: ItemQuery, secrets: Bool = false
  ) throws(VaultError) -> InternetPassword {
    try query.best(at: transaction.now) { (query) throws(VaultError) in
      try findAll(query, secrets: secrets)
    }
  }

  /// The one item that matches best, as ``Vault/findUnique(_:secrets:)`` says.
  public func findUnique(
    _ query: ItemQuery, secrets: Bool = false
  ) throws(VaultError) -> InternetPassword {
    try query.unique(among: findAll(query.withoutLimit, secrets: secrets), at: transaction.now)
  }

  /// The items that match, as they are within the transaction.
  public func findAll(
    _ query: ItemQuery, secrets: Bool = false
  ) throws(VaultError) -> [InternetPassword] {
    try transaction.find(query, secrets: secrets)
  }

  /// How many items match.
  public func count(_ query: ItemQuery) throws(VaultError) -> Int {
    try findAll(query).count
  }

  /// The item with an id, as ``Vault/item(_:hint:secrets:)`` says.
  public func item(
    _ id: ItemID, hint: InternetPassword.Key? = nil, secrets: Bool = false
  ) throws(VaultError) -> InternetPassword {
    try ItemQuery.item(id, hint: hint) { (query) throws(VaultError) in
      try findAll(query, secrets: secrets)
    }
  }

  // MARK: Changing

  /// Adds an item that is asked to be permanent, as ``Vault/add(_:persistence:isAccepted:)`` says.
  ///
  /// One that is granted less is in the session at once, and leaves it if the transaction fails.
  @discardableResult
  public func add(
    _ item: InternetPassword, isAccepted: Bool = false
  ) throws(VaultError) -> StoreResult {
    try gate.add(item, requested: .permanent, isAccepted: isAccepted)
  }

  /// Changes the item of the same key or adds it, as ``Vault/upsert(_:persistence:isAccepted:)`` says.
  @discardableResult
  public func upsert(
    _ item: InternetPassword, isAccepted: Bool = false
  ) throws(VaultError) -> StoreResult {
    try gate.upsert(item, requested: .permanent, isAccepted: isAccepted)
  }

  /// Changes what is named of an item, as ``Vault/modify(_:_:ifRevision:isAccepted:)`` says.
  @discardableResult
  public func modify(
    _ item: InternetPassword, _ changes: [ItemChange], ifRevision revision: UInt64? = nil,
    isAccepted: Bool = false
  ) throws(VaultError) -> StoreResult {
    try gate.modify(item, changes, revision: revision, isAccepted: isAccepted)
  }

  /// Removes an item, as ``Vault/remove(_:ifRevision:isForGood:)`` says.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/conflict``.
  public func remove(
    _ item: InternetPassword, ifRevision revision: UInt64? = nil, isForGood: Bool = false
  ) throws(VaultError) {
    try transaction.remove(
      item.id, hint: item.key, revision: revision, isForGood: isForGood)
  }

  /// Removes the one item that matches best, as ``Vault/removeOne(_:isForGood:)`` says.
  ///
  /// - Returns: The item as it was, without its secret.
  /// - Throws: As ``findUnique(_:secrets:)``.
  @discardableResult
  public func removeOne(
    _ query: ItemQuery, isForGood: Bool = false
  ) throws(VaultError) -> InternetPassword {
    let item = try findUnique(query, secrets: false)
    try remove(item, isForGood: isForGood)
    return item
  }

  /// Removes every item that matches, as ``Vault/remove(_:ifRevision:isForGood:)`` says; a query with a limit takes the best.
  ///
  /// - Returns: How many they were.
  @discardableResult
  public func removeAll(_ query: ItemQuery, isForGood: Bool = false) throws(VaultError) -> Int {
    let items = try transaction.find(query)
    for item in items { try remove(item, isForGood: isForGood) }
    return items.count
  }

  // MARK: The trash

  /// The deleted items that match and can be brought back, as ``VaultTrash/items(_:)`` says.
  public func trash(_ query: ItemQuery = ItemQuery()) throws(VaultError) -> [RemovedItem] {
    try transaction.trash(query)
  }

  /// Brings a deleted item back, as ``VaultTrash/restore(_:)`` says.
  @discardableResult
  public func restore(_ removed: RemovedItem) throws(VaultError) -> StoreResult {
    try gate.restore(removed)
  }

  /// Removes deleted items for good, as ``VaultTrash/empty(_:)`` says.
  @discardableResult
  public func emptyTrash(_ query: ItemQuery = ItemQuery()) throws(VaultError) -> Int {
    try transaction.emptyTrash(query)
  }

  /// Removes one deleted item for good, with the secrets that it had before.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is not in the trash any more.
  public func remove(_ removed: RemovedItem) throws(VaultError) {
    try transaction.remove(removed)
  }

  /// For how many days a deleted item is kept.
  public func trashDays() throws(VaultError) -> Int {
    transaction.trashDays()
  }

  /// Keeps deleted items for so many days, as ``VaultTrash/setDays(_:)`` says.
  public func setTrashDays(_ days: Int) throws(VaultError) {
    try transaction.setTrashDays(days)
  }

  // MARK: Previous secrets

  /// The secrets that an item had before, as ``VaultHistory/entries(of:secrets:)`` says.
  public func history(
    of item: InternetPassword, secrets: Bool = false
  ) throws(VaultError) -> [PreviousSecret] {
    try transaction.history(of: item.id, hint: item.key, secrets: secrets)
  }

  /// One secret that an item had before, opened, as ``VaultHistory/open(_:of:)`` says.
  public func previousSecret(
    _ previous: PreviousSecret, of item: InternetPassword
  ) throws(VaultError) -> PreviousSecret {
    try transaction.previousSecret(previous.id(of: item), hint: item.key)
  }

  /// Brings a secret back, as ``VaultHistory/revert(_:to:ifRevision:isAccepted:)`` says.
  @discardableResult
  public func revert(
    _ item: InternetPassword, to previous: PreviousSecret? = nil,
    ifRevision revision: UInt64? = nil, isAccepted: Bool = false
  ) throws(VaultError) -> StoreResult {
    try gate.revert(item, to: previous?.id, revision: revision, isAccepted: isAccepted)
  }

  /// How many previous secrets each item keeps.
  public func historyLimit() throws(VaultError) -> Int {
    transaction.historyLimit()
  }

  /// Lets each item keep so many previous secrets, as ``VaultHistory/setLimit(_:)`` says.
  public func setHistoryLimit(_ limit: Int) throws(VaultError) {
    try transaction.setHistoryLimit(limit)
  }
}
