import VaultFile
public import VaultModel
import VaultSession

/// The previous secrets of items: `vault.history`.
///
/// A replaced secret is kept, sealed as it was, until ``limit()`` newer ones have replaced it in
/// turn. It stays with an item that is renamed or removed, and in copies of the vault. An item that
/// moves to or from the session leaves it behind. Refresh tokens have no history.
public struct VaultHistory: Sendable {
  let vault: Vault

  /// The secrets that an item had before, the newest first; none is there twice.
  ///
  /// - Parameters:
  ///   - item: As it was found; only its id, its key and where it is kept are looked at.
  ///   - secrets: Whether they are opened too; one that has expired never is.
  /// - Returns: None if the secret was never changed.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func entries(
    of item: InternetPassword, secrets: Bool = false
  ) throws(VaultError) -> [PreviousSecret] {
    try vault.requireUnlocked()
    return try vault.store(item.persistence).history(of: item.id, hint: item.key, secrets: secrets)
  }

  /// One secret that an item had before, opened; no other one is.
  ///
  /// - Parameters:
  ///   - previous: One of the item's ``entries(of:secrets:)``, with or without its secret.
  ///   - item: As it was found; only its id, its key and where it is kept are looked at.
  /// - Returns: The previous secret with its ``PreviousSecret/secret``, unless it has expired.
  /// - Throws: ``VaultError/Code/itemNotFound`` if the item has no such previous secret, or is gone;
  ///   ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func open(
    _ previous: PreviousSecret, of item: InternetPassword
  ) throws(VaultError) -> PreviousSecret {
    try vault.requireUnlocked()
    return try vault.store(item.persistence).previousSecret(previous.id(of: item), hint: item.key)
  }

  /// Brings a secret back that an item had before, with its kind and its expiry; the one that it has now goes to the history.
  ///
  /// The secret is as old as it was: the policy counts from when it had been set, and what it would not have kept until now has
  /// expired.
  ///
  /// - Parameters:
  ///   - item: As it was found; only its id, its key and where it is kept are looked at.
  ///   - previous: One of the item's ``entries(of:secrets:)``, with or without its secret; nil for the newest.
  ///   - revision: The ``InternetPassword/revision`` that the item must have; nil for any.
  ///   - isAccepted: Whether a server has accepted the secret now.
  /// - Returns: As ``Vault/modify(_:_:ifRevision:isAccepted:)``.
  /// - Throws: ``VaultError/Code/itemNotFound`` if the item has no such previous secret, or is gone; ``VaultError/Code/expired``
  ///   if that has expired; else as ``Vault/modify(_:_:ifRevision:isAccepted:)``.
  @discardableResult
  public func revert(
    _ item: InternetPassword, to previous: PreviousSecret? = nil,
    ifRevision revision: UInt64? = nil,
    isAccepted: Bool = false
  ) throws(VaultError) -> StoreResult {
    try vault.storing(item.persistence) { (gate) throws(VaultError) in
      try gate.revert(item, to: previous?.id, revision: revision, isAccepted: isAccepted)
    }
  }

  /// How many previous secrets each item of the file keeps: ten, unless another number was set.
  ///
  /// An item of the session keeps ten.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func limit() throws(VaultError) -> Int {
    try vault.requireUnlocked()
    return try vault.file?.historyLimit() ?? PreviousSecret.defaultLimit
  }

  /// Lets each item of the file keep so many previous secrets; those that are too many go at once, the oldest first.
  ///
  /// - Parameter limit: 0 to 100; 0 keeps none.
  /// - Throws: ``VaultError/Code/invalidArgument`` for another number; ``VaultError/Code/unsupported`` for a vault without a
  ///   file; what writing the file throws.
  public func setLimit(_ limit: Int) throws(VaultError) {
    try vault.requireUnlocked()
    try vault.requireFile().setHistoryLimit(limit)
  }
}

extension PreviousSecret {
  /// Its id, if it is one of that item's.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  func id(of item: InternetPassword) throws(VaultError) -> ID {
    guard id.item == item.id else {
      throw VaultError(.itemNotFound, "the item \(item.id) has no such previous secret")
    }
    return id
  }
}
