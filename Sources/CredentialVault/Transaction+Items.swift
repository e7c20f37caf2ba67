public import VaultModel
import VaultStorage

/// What a transaction finds and changes is the file's.
extension Vault.Transaction {
  // MARK: Finding

  /// The item that matches best, as ``Vault/find(_:secrets:)`` says.
  public func find(
    _ query: ItemQuery, secrets: Bool = true
  ) throws(VaultError) -> InternetPassword {
    try query.best(at: transaction.now) { (query) throws(VaultError) in
      try findAll(query, secrets: secrets)
    }
  }

  /// The one item that matches best, as ``Vault/findUnique(_:secrets:)`` says.
  public func findUnique(
    _ query: ItemQuery, secrets: Bool = true
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
    _ id: ItemID, hint: InternetPassword.Key? = nil, secrets: Bool = true
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
  ) throws(VaultError) -> Stored {
    try enforcer.add(item, requested: .permanent, isAccepted: isAccepted)
  }

  /// Changes the item of the same key or adds it, as ``Vault/upsert(_:persistence:isAccepted:)`` says.
  @discardableResult
  public func upsert(
    _ item: InternetPassword, isAccepted: Bool = false
  ) throws(VaultError) -> Stored {
    try enforcer.upsert(item, requested: .permanent, isAccepted: isAccepted)
  }

  /// Changes what is named of an item, as ``Vault/modify(_:_:ifRevision:isAccepted:)`` says.
  @discardableResult
  public func modify(
    _ item: InternetPassword, _ changes: [ItemChange], ifRevision revision: UInt64? = nil,
    isAccepted: Bool = false
  ) throws(VaultError) -> Stored {
    try enforcer.modify(item, changes, revision: revision, isAccepted: isAccepted)
  }

  /// Deletes an item, as ``Vault/delete(_:ifRevision:)`` says.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/conflict``.
  public func delete(
    _ item: InternetPassword, ifRevision revision: UInt64? = nil
  ) throws(VaultError) {
    try transaction.delete(item.id, hint: item.key, revision: revision)
  }

  /// Deletes the one item that matches best.
  ///
  /// - Returns: The item as it was, without its secret.
  /// - Throws: As ``findUnique(_:secrets:)``.
  @discardableResult
  public func deleteOne(_ query: ItemQuery) throws(VaultError) -> InternetPassword {
    let item = try findUnique(query, secrets: false)
    try transaction.delete(item.id, hint: item.key)
    return item
  }

  /// Deletes every item that matches; a query with a limit takes the best.
  ///
  /// - Returns: How many they were.
  @discardableResult
  public func deleteAll(_ query: ItemQuery) throws(VaultError) -> Int {
    let items = try transaction.find(query)
    for item in items { try transaction.delete(item.id, hint: item.key) }
    return items.count
  }

  // MARK: Previous secrets

  /// The secrets that an item had before, as ``Vault/history(of:secrets:)`` says.
  public func history(
    of item: InternetPassword, secrets: Bool = false
  ) throws(VaultError) -> [PreviousSecret] {
    try transaction.history(of: item.id, hint: item.key, secrets: secrets)
  }

  /// One secret that an item had before, opened, as ``Vault/previousSecret(_:of:)`` says.
  public func previousSecret(
    _ previous: PreviousSecret, of item: InternetPassword
  ) throws(VaultError) -> PreviousSecret {
    try transaction.previousSecret(previous.id(of: item), hint: item.key)
  }

  /// Brings a secret back, as ``Vault/revert(_:to:ifRevision:isAccepted:)`` says.
  @discardableResult
  public func revert(
    _ item: InternetPassword, to previous: PreviousSecret? = nil,
    ifRevision revision: UInt64? = nil, isAccepted: Bool = false
  ) throws(VaultError) -> Stored {
    try enforcer.revert(item, to: previous?.id, revision: revision, isAccepted: isAccepted)
  }

  /// How many previous secrets each item keeps.
  public func historyLimit() throws(VaultError) -> Int {
    transaction.historyLimit()
  }

  /// Lets each item keep so many previous secrets, as ``Vault/setHistoryLimit(_:)`` says.
  public func setHistoryLimit(_ limit: Int) throws(VaultError) {
    try transaction.setHistoryLimit(limit)
  }
}
