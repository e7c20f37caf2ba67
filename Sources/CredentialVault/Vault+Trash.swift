import VaultFile
public import VaultModel
import VaultSession

/// Deleted items.
///
/// What is deleted from the file stays sealed in it for ``Vault/trashDays()``, with the secrets that it had before: found by
/// no lookup, list or count, and no longer than it would have been kept itself. Of one key the last ten are kept. What has
/// been there for too long is removed by the next write of the same part of the file, and by ``Vault/purge()``. The session
/// has no trash, and what a policy does not let the file keep leaves nothing there.
extension Vault {
  /// The deleted items that match and can be brought back, the one that was deleted last first.
  ///
  /// A query that names the server is cheap; another one reads the whole file, and holds no more items than about twice
  /// the query's limit.
  ///
  /// - Returns: None if there are none, also for a vault without a file.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func trash(_ query: ItemQuery = ItemQuery()) throws(VaultError) -> [RemovedItem] {
    try requireUnlocked()
    return try file?.trash(query) ?? []
  }

  /// Brings a deleted item back as it was, with its id, its times and the secrets that it had before; its revision is new.
  ///
  /// The policy decides as about what is stored: what it grants less is kept so, and stays in the trash, too. A default
  /// that names the user holds again, unless it was cleared or changed since.
  ///
  /// - Parameter removed: One of ``trash(_:)``.
  /// - Returns: The item as it is now, without its secret, and what the policy granted.
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is not in the trash any more; ``VaultError/Code/duplicateItem`` with the item
  ///   that has its key, or its id; ``VaultError/Code/policyRefused``; ``VaultError/Code/expired`` if the policy would not have
  ///   kept it until now; ``VaultError/Code/unsupported`` for a vault without a file; what writing the file throws.
  @discardableResult
  public func restore(_ removed: RemovedItem) throws(VaultError) -> StoreResult {
    _ = try requireFile()
    return try storing(.permanent) { (gate) throws(VaultError) in
      try gate.restore(removed)
    }
  }

  /// Removes deleted items that match for good, with the secrets that they had before.
  ///
  /// - Returns: How many they were; 0 is no error.
  /// - Throws: ``VaultError/Code/unsupported`` for a vault without a file; what writing the file throws.
  @discardableResult
  public func emptyTrash(_ query: ItemQuery = ItemQuery()) throws(VaultError) -> Int {
    try requireUnlocked()
    return try requireFile().write { (transaction) throws(VaultError) in
      try transaction.emptyTrash(query)
    }
  }

  /// For how many days a deleted item is kept: thirty, unless another number was set.
  ///
  /// - Returns: 0 for a vault without a file.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func trashDays() throws(VaultError) -> Int {
    try requireUnlocked()
    return try file?.trashDays() ?? 0
  }

  /// Keeps deleted items for so many days; those that have been kept for longer go at once.
  ///
  /// - Parameter days: 0 to 365; 0 keeps none.
  /// - Throws: ``VaultError/Code/invalidArgument`` for another number; ``VaultError/Code/unsupported`` for a vault without a
  ///   file; what writing the file throws.
  public func setTrashDays(_ days: Int) throws(VaultError) {
    try requireUnlocked()
    try requireFile().write { (transaction) throws(VaultError) in
      try transaction.setTrashDays(days)
    }
  }
}

extension PolicyGate {
  /// Brings a deleted item back to where it may be kept.
  func restore(_ removed: RemovedItem) throws(VaultError) -> StoreResult {
    let transaction = try file()
    let policy = try policy()
    let was = try transaction.item(removed)
    // It was kept before, and so was accepted if that was asked for.
    let decision = try decide(was.key, requested: .permanent, since: was.secretChanged)
    guard decision.expires.map({ $0 > now }) ?? true else {
      throw VaultError(.expired, "the policy would not have kept the item until now")
    }
    guard decision.granted == .permanent else {
      return try withTwin(
        settle(Modified(item: transaction.item(removed, secrets: true), isHere: false), decision))
    }
    let item = try transaction.restore(removed, until: decision.expires)
    // What the policy says now holds for the secrets that the item had before, too.
    try transaction.limitHistory(of: item) { set in
      policy.decide(item.key, requested: .permanent, now: set).expires
    }
    return try withTwin(StoreResult(item, decision))
  }
}
