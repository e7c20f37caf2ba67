import VaultStore
public import VaultModel

/// Removed items that can be brought back: `vault.trash`.
///
/// An item removed from the file stays sealed in it for ``days``, together with its previous
/// secrets. No lookup, list or count finds it, and it is kept no longer than the item itself would
/// have been. The trash holds the last ten items of each key. Items that have been there too long
/// are removed by the next write to the same part of the file, and by `vault.maintenance.purge()`.
/// The session has no trash, and an item that the policy keeps out of the file leaves nothing here.
public struct VaultTrash: Sendable {
  let vault: Vault

  /// Returns the removed items that match and can be brought back, the most recently removed first.
  ///
  /// A query that names the server is cheap. Any other query reads the whole file, and holds no
  /// more items in memory than about twice the query's limit.
  ///
  /// - Returns: None if there are none, also for a vault without a file.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func items(_ query: ItemQuery = ItemQuery()) throws(VaultError) -> [RemovedItem] {
    try vault.reader().trash(query)
  }

  /// Brings a removed item back as it was, with its id, its times and its previous secrets, under a
  /// new revision.
  ///
  /// The policy decides as it does when an item is stored. An item that is granted less than
  /// `permanent` is kept as granted, and also stays in the trash. A default that names the user
  /// applies again, unless it was cleared or changed since.
  ///
  /// - Parameter removed: One of ``items(_:)``.
  /// - Returns: The item as it is now, without its secret, and what the policy granted.
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is not in the trash any more;
  ///   ``VaultError/Code/duplicateItem`` with the item that has its key, or its id;
  ///   ``VaultError/Code/policyRefused``; ``VaultError/Code/expired`` if the policy would not have
  ///   kept it until now; ``VaultError/Code/unsupported`` for a vault without a file; any error of
  ///   writing the file.
  @discardableResult
  public func restore(_ removed: RemovedItem) throws(VaultError) -> StoreResult {
    _ = try vault.requireFile()
    return try vault.storing(.permanent) { (gate) throws(VaultError) in
      try gate.restore(removed)
    }
  }

  /// Removes matching removed items permanently, with their previous secrets.
  ///
  /// - Returns: The number of items removed; 0 is not an error.
  /// - Throws: ``VaultError/Code/unsupported`` for a vault without a file; any error of writing the
  ///   file.
  @discardableResult
  public func empty(_ query: ItemQuery = ItemQuery()) throws(VaultError) -> Int {
    try vault.requireUnlocked()
    return try vault.requireFile().write { (transaction) throws(VaultError) in
      try transaction.emptyTrash(query)
    }
  }

  /// The number of days for which a removed item is kept: thirty, unless another number was
  /// set.
  ///
  /// It is 0 for a vault without a file.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public var days: Int {
    get throws(VaultError) {
      try vault.reader().trashDays
    }
  }

  /// Sets the number of days for which removed items are kept; items that are older are removed at
  /// once.
  ///
  /// - Parameter days: 0 to 365; 0 keeps none.
  /// - Throws: ``VaultError/Code/invalidArgument`` for another number;
  ///   ``VaultError/Code/unsupported`` for a vault without a file; any error of writing the file.
  public func setDays(_ days: Int) throws(VaultError) {
    try vault.requireUnlocked()
    try vault.requireFile().write { (transaction) throws(VaultError) in
      try transaction.setTrashDays(days)
    }
  }
}

extension VaultTrash {
  /// Whether what programs remove and replace (``Removal/ofProgram``) can be restored; not unless
  /// it was set.
  ///
  /// It is false for a vault without a file.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public var keepsForPrograms: Bool {
    get throws(VaultError) {
      try vault.reader().keepsForPrograms
    }
  }

  /// Sets whether what programs remove and replace can be restored.
  ///
  /// - Parameter keeps: Whether removed items go to the trash, and replaced secrets to the history.
  ///   What is there already stays.
  /// - Throws: ``VaultError/Code/unsupported`` for a vault without a file; any error of writing the
  ///   file.
  public func setKeepsForPrograms(_ keeps: Bool) throws(VaultError) {
    try vault.requireUnlocked()
    try vault.requireFile().write { (transaction) throws(VaultError) in
      transaction.keepsForPrograms = keeps
    }
  }
}

extension PolicyGate {
  /// Restores a removed item to the place where the policy allows it.
  func restore(_ removed: RemovedItem) throws(VaultError) -> StoreResult {
    let transaction = try file()
    let policy = try policy()
    let was = try transaction.item(removed)
    // It was kept before, so a server had accepted it if a rule required that.
    let decision = try decide(was.key, requested: .permanent, since: was.secretChanged)
    guard decision.expires.map({ $0 > now }) ?? true else {
      throw VaultError(.expired, "the policy would not have kept the item until now")
    }
    guard decision.granted == .permanent else {
      return try withPortVariant(
        settle(
          Modified(item: transaction.item(removed, withSecrets: true), isHere: false), decision))
    }
    let item = try transaction.restore(removed, until: decision.expires)
    // The present policy also limits the item's previous secrets.
    try transaction.limitHistory(of: item) { set in
      policy.decide(item.key, requested: .permanent, now: set).expires
    }
    return try withPortVariant(StoreResult(item, decision))
  }
}
