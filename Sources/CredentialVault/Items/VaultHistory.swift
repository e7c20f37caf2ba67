import VaultStore
public import VaultModel

/// The previous secrets of items: `vault.history`.
///
/// A replaced secret is kept, sealed as it was, until ``limit`` newer ones have replaced it in
/// turn. It stays with an item that is renamed or removed, and in copies of the vault. An item that
/// moves to or from the session loses its history. Refresh tokens have no history.
public struct VaultHistory: Sendable {
  let vault: Vault

  /// Returns the secrets that an item had before, the newest first and each one once.
  ///
  /// - Parameters:
  ///   - item: As it was found; only its id, its key and where it is kept are looked at.
  ///   - withSecrets: Whether they are opened too; one that has expired never is.
  /// - Returns: None if the secret was never changed.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/locked``,
  ///   ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func entries(
    of item: Item, withSecrets: Bool = false
  ) throws(VaultError) -> [PreviousSecret] {
    try vault.reader().history(of: item, withSecrets: withSecrets)
  }

  /// Opens one secret that an item had before, and no other one.
  ///
  /// - Parameters:
  ///   - previous: One of the item's ``entries(of:withSecrets:)``, with or without its secret.
  ///   - item: As it was found; only its id, its key and where it is kept are looked at.
  /// - Returns: The previous secret with its ``PreviousSecret/secret``, unless it has expired.
  /// - Throws: ``VaultError/Code/itemNotFound`` if the item has no such previous secret, or is
  ///   gone; ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func open(
    _ previous: PreviousSecret, of item: Item
  ) throws(VaultError) -> PreviousSecret {
    try vault.reader().previousSecret(previous, of: item)
  }

  /// Restores a previous secret of an item, with its kind and its expiry; the present secret goes
  /// to the history.
  ///
  /// The restored secret keeps its age. The policy counts from the date when it was set, and a
  /// secret that the policy would not have kept until now has expired.
  ///
  /// - Parameters:
  ///   - item: As it was found; only its id, its key and where it is kept are looked at.
  ///   - previous: One of the item's ``entries(of:withSecrets:)``, with or without its secret; nil
  ///     for the newest.
  ///   - revision: The ``Item/revision`` that the item must have; nil for any.
  ///   - afterAcceptance: Whether a server has accepted the secret now.
  /// - Returns: As ``Vault/modify(_:_:ifRevision:afterAcceptance:removal:)``.
  /// - Throws: ``VaultError/Code/itemNotFound`` if the item has no such previous secret, or is
  ///   gone; ``VaultError/Code/expired`` if that has expired; else as
  ///   ``Vault/modify(_:_:ifRevision:afterAcceptance:removal:)``.
  @discardableResult
  public func revert(
    _ item: Item, to previous: PreviousSecret? = nil,
    ifRevision revision: UInt64? = nil,
    afterAcceptance: Bool = false
  ) throws(VaultError) -> StoreResult {
    try vault.storing(item.persistence) { (gate) throws(VaultError) in
      try gate.revert(item, to: previous?.id, revision: revision, afterAcceptance: afterAcceptance)
    }
  }

  /// How many previous secrets each item of the file keeps: ten, unless another number was
  /// set.
  ///
  /// An item of the session keeps ten.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public var limit: Int {
    get throws(VaultError) {
      try vault.reader().historyLimit
    }
  }

  /// Sets how many previous secrets each item of the file keeps; the oldest ones beyond the limit
  /// are removed at once.
  ///
  /// - Parameter limit: 0 to 100; 0 keeps none.
  /// - Throws: ``VaultError/Code/invalidArgument`` for another number;
  ///   ``VaultError/Code/unsupported`` for a vault without a file; any error of writing the file.
  public func setLimit(_ limit: Int) throws(VaultError) {
    try vault.requireUnlocked()
    try vault.requireFile().setHistoryLimit(limit)
  }
}

extension PreviousSecret {
  /// Returns the id of the previous secret if it is one of the item's.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  func id(of item: Item) throws(VaultError) -> ID {
    guard id.item == item.id else {
      throw VaultError(.itemNotFound, "the item \(item.id) has no such previous secret")
    }
    return id
  }
}
