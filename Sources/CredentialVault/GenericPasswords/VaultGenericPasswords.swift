public import VaultModel

/// The secrets that are kept under a service and an account: `vault.genericPasswords`.
///
/// They are stored like internet passwords, under the same policy, with the same history and trash.
/// The functions are those of the vault for internet passwords; no answer of one class ever has an
/// item of the other.
public struct VaultGenericPasswords: Sendable {
  let vault: Vault

  // MARK: Finding

  /// Returns the item that matches a query best, as ``Vault/find(_:withSecrets:)`` does.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/expired`` with the
  ///   ``VaultError/genericPasswords`` if only expired ones match; ``VaultError/Code/locked``,
  ///   ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func find(
    _ query: GenericPasswordQuery, withSecrets: Bool = false
  ) throws(VaultError) -> GenericPassword {
    GenericPassword(try vault.find(query.query, withSecrets: withSecrets))
  }

  /// Returns the one item that matches a query best, as ``Vault/findUnique(_:withSecrets:)`` does.
  ///
  /// - Throws: As ``find(_:withSecrets:)``, and ``VaultError/Code/ambiguous`` with the
  ///   ``VaultError/genericPasswords`` if two match equally well.
  public func findUnique(
    _ query: GenericPasswordQuery, withSecrets: Bool = false
  ) throws(VaultError) -> GenericPassword {
    GenericPassword(try vault.findUnique(query.query, withSecrets: withSecrets))
  }

  /// Returns the items that match a query, best first, as ``Vault/findAll(_:withSecrets:)`` does.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func findAll(
    _ query: GenericPasswordQuery = GenericPasswordQuery(), withSecrets: Bool = false
  ) throws(VaultError) -> [GenericPassword] {
    try vault.findAll(query.query, withSecrets: withSecrets).map(GenericPassword.init)
  }

  /// Returns the item with an id, as ``Vault/item(_:hint:withSecrets:)`` does.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it was removed, or has another class; else as
  ///   ``findAll(_:withSecrets:)``.
  public func item(
    _ id: ItemID, hint: GenericPassword.Key? = nil, withSecrets: Bool = false
  ) throws(VaultError) -> GenericPassword {
    let hint = hint.map { InternetPassword.Key(service: $0.service, account: $0.account) }
    return GenericPassword(
      try vault.item(id, hint: hint, of: .genericPassword, withSecrets: withSecrets))
  }

  // MARK: Changing

  /// Adds an item to the session or to the file, as ``Vault/add(_:persistence:afterAcceptance:)``
  /// does.
  ///
  /// - Parameters:
  ///   - item: Its label defaults to the service, else the account; its dates become now.
  ///   - persistence: `session` or `permanent`; `none` stores nothing.
  ///   - afterAcceptance: Whether the secret has been used with success.
  /// - Returns: The item as stored, and what the policy granted.
  /// - Throws: ``VaultError/Code/policyRefused``, naming the rule;
  ///   ``VaultError/Code/duplicateItem`` with the item of the same key;
  ///   ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge`` for attributes out of
  ///   bounds; ``VaultError/Code/locked``, and any error of writing the file.
  @discardableResult
  public func add(
    _ item: GenericPassword, persistence: Persistence = .permanent, afterAcceptance: Bool = false
  ) throws(VaultError) -> GenericStoreResult {
    GenericStoreResult(
      try vault.storing(persistence) { (gate) throws(VaultError) in
        try gate.add(item.item, requested: persistence, afterAcceptance: afterAcceptance)
      })
  }

  /// Changes the item of the same key to match the given one, or adds it, in one step, as
  /// ``Vault/upsert(_:persistence:afterAcceptance:)`` does.
  ///
  /// - Throws: As ``add(_:persistence:afterAcceptance:)`` and
  ///   ``modify(_:_:ifRevision:afterAcceptance:)``, but neither ``VaultError/Code/duplicateItem``
  ///   nor ``VaultError/Code/itemNotFound``.
  @discardableResult
  public func upsert(
    _ item: GenericPassword, persistence: Persistence = .permanent, afterAcceptance: Bool = false
  ) throws(VaultError) -> GenericStoreResult {
    GenericStoreResult(
      try vault.storing(persistence) { (gate) throws(VaultError) in
        try gate.upsert(item.item, requested: persistence, afterAcceptance: afterAcceptance)
      })
  }

  /// Applies changes to an item, as ``Vault/modify(_:_:ifRevision:afterAcceptance:)`` does.
  ///
  /// - Throws: As that function, and ``VaultError/Code/invalidArgument`` for an attribute that only
  ///   internet passwords have.
  @discardableResult
  public func modify(
    _ item: GenericPassword, _ changes: [ItemChange], ifRevision revision: UInt64? = nil,
    afterAcceptance: Bool = false
  ) throws(VaultError) -> GenericStoreResult {
    GenericStoreResult(
      try vault.modify(item.item, changes, ifRevision: revision, afterAcceptance: afterAcceptance))
  }

  /// Removes an item and its previous secrets, as ``Vault/remove(_:ifRevision:permanently:)`` does.
  public func remove(
    _ item: GenericPassword, ifRevision revision: UInt64? = nil, permanently: Bool = false
  ) throws(VaultError) {
    try vault.remove(item.item, ifRevision: revision, permanently: permanently)
  }

  /// Removes every item that matches, as `Vault.removeAll(_:permanently:)` does.
  ///
  /// - Returns: The number of items removed; 0 is not an error.
  @discardableResult
  public func removeAll(
    _ query: GenericPasswordQuery, permanently: Bool = false
  ) throws(VaultError) -> Int {
    try vault.removeAll(query.query, permanently: permanently)
  }

  // MARK: The past

  /// Returns the secrets that an item had before, as ``VaultHistory/entries(of:withSecrets:)``
  /// does.
  public func history(
    of item: GenericPassword, withSecrets: Bool = false
  ) throws(VaultError) -> [PreviousSecret] {
    try vault.history.entries(of: item.item, withSecrets: withSecrets)
  }

  /// Restores a previous secret of an item, as
  /// ``VaultHistory/revert(_:to:ifRevision:afterAcceptance:)`` does.
  @discardableResult
  public func revert(
    _ item: GenericPassword, to previous: PreviousSecret? = nil,
    ifRevision revision: UInt64? = nil, afterAcceptance: Bool = false
  ) throws(VaultError) -> GenericStoreResult {
    GenericStoreResult(
      try vault.history.revert(
        item.item, to: previous, ifRevision: revision, afterAcceptance: afterAcceptance))
  }

  /// Returns the removed items that match and can be brought back, as ``VaultTrash/items(_:)``
  /// does.
  public func trash(
    _ query: GenericPasswordQuery = GenericPasswordQuery()
  ) throws(VaultError) -> [RemovedGenericPassword] {
    try vault.trash.items(query.query).map(RemovedGenericPassword.init)
  }

  /// Brings a removed item back, as ``VaultTrash/restore(_:)`` does.
  @discardableResult
  public func restore(_ removed: RemovedGenericPassword) throws(VaultError) -> GenericStoreResult {
    GenericStoreResult(try vault.trash.restore(removed.removedItem))
  }

  /// Removes matching removed items permanently, as ``VaultTrash/empty(_:)`` does.
  ///
  /// - Returns: The number of items removed; 0 is not an error.
  @discardableResult
  public func emptyTrash(
    _ query: GenericPasswordQuery = GenericPasswordQuery()
  ) throws(VaultError) -> Int {
    try vault.trash.empty(query.query)
  }
}
