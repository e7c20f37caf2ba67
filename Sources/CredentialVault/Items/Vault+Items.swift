package import VaultStore
public import VaultModel

extension Vault {
  /// Adds an item to the session or to the file, as the policy grants; an item that was found in a
  /// vault is copied and gets a new id.
  ///
  /// - Parameters:
  ///   - item: Its label defaults to the server or service, else the account; its dates become now.
  ///   - persistence: `session` or `permanent`; `none` stores nothing.
  ///   - afterAcceptance: Whether a server has accepted it. If a rule requires that and it is
  ///     false, the item is pending.
  /// - Returns: The item as stored, and what the policy granted.
  /// - Throws: ``VaultError/Code/policyRefused``, naming the rule;
  ///   ``VaultError/Code/duplicateItem`` with the item of the same key;
  ///   ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge`` for attributes out of
  ///   bounds; ``VaultError/Code/unsupported`` for a permanent item in a vault without a file;
  ///   ``VaultError/Code/locked``, and any error of writing the file.
  @discardableResult
  public func add(
    _ item: Item, persistence: Persistence = .permanent, afterAcceptance: Bool = false
  ) throws(VaultError) -> StoreResult {
    try storing(persistence) { (gate) throws(VaultError) in
      try gate.add(item, requested: persistence, afterAcceptance: afterAcceptance)
    }
  }

  /// Changes the item of the same key to match the given one, or adds it, in one step.
  ///
  /// An item's set attributes, its custom attributes and its secret, unless that is nil, replace
  /// those stored. Everything else stays as it was, including the label. If the secret of an
  /// expired item is replaced, its expiry becomes the given one's, or none. An item whose key only
  /// differs in the form of its port, named or implied by the protocol, is the one that is changed.
  ///
  /// - Parameters:
  ///   - item: The item to store; its key identifies the item that it changes.
  ///   - persistence: The persistence, which also decides where the item of the same key is looked
  ///     for.
  ///   - afterAcceptance: Whether a server has accepted a new secret.
  /// - Returns: The item as it is now, and what the policy granted.
  /// - Throws: As ``add(_:persistence:afterAcceptance:)`` and
  ///   ``modify(_:_:ifRevision:afterAcceptance:removal:)``, but neither
  ///   ``VaultError/Code/duplicateItem`` nor ``VaultError/Code/itemNotFound``, even if others store
  ///   the same item at the same time.
  @discardableResult
  public func upsert(
    _ item: Item, persistence: Persistence = .permanent, afterAcceptance: Bool = false
  ) throws(VaultError) -> StoreResult {
    try storing(persistence) { (gate) throws(VaultError) in
      try gate.upsert(item, requested: persistence, afterAcceptance: afterAcceptance)
    }
  }

  /// Applies changes to an item; attributes that are not named are kept, and equal values change
  /// nothing.
  ///
  /// If the policy does not allow the changed item its present persistence, the changed item is
  /// stored as the policy allows and hides the original, which stays. A new secret that has to be
  /// accepted first is pending. A replaced secret goes to the item's
  /// ``VaultHistory/entries(of:withSecrets:)``.
  ///
  /// - Parameters:
  ///   - item: As it was found; only its id, its key and where it is kept are looked at.
  ///   - changes: Applied in order; the last of two to one attribute wins.
  ///   - revision: The ``Item/revision`` that the item must have; nil for any.
  ///   - afterAcceptance: Whether a server has accepted a new secret.
  ///   - removal: Whether a replaced secret can be restored afterwards; if not, neither can those
  ///     before it.
  /// - Returns: The item as it is now, without its secret, and what the policy granted.
  /// - Throws: ``VaultError/Code/policyRefused``; ``VaultError/Code/itemNotFound``;
  ///   ``VaultError/Code/invalidArgument`` for an attribute that items of another class have;
  ///   ``VaultError/Code/conflict`` with the item as it is if it has another revision;
  ///   ``VaultError/Code/duplicateItem`` with the other item and this one if another has the new
  ///   key. In each case nothing was changed.
  @discardableResult
  public func modify(
    _ item: Item, _ changes: [ItemChange], ifRevision revision: UInt64? = nil,
    afterAcceptance: Bool = false, removal: Removal = .recoverable
  ) throws(VaultError) -> StoreResult {
    try storing(item.persistence) { (gate) throws(VaultError) in
      try gate.modify(
        item, changes, revision: revision, afterAcceptance: afterAcceptance, removal: removal)
    }
  }

  /// Changes an item as ``modify(_:_:ifRevision:afterAcceptance:removal:)`` does; a new secret
  /// clears an expiry that has passed.
  ///
  /// The expiry is the item's own, as it is in the step that changes the item. If the changes name
  /// an expiry, that one is set.
  @discardableResult
  package func renew(
    _ item: Item, _ changes: [ItemChange], afterAcceptance: Bool,
    removal: Removal = .recoverable
  ) throws(VaultError) -> StoreResult {
    try storing(item.persistence) { (gate) throws(VaultError) in
      try gate.renew(item, changes, afterAcceptance: afterAcceptance, removal: removal)
    }
  }

  /// Removes an item and its previous secrets from the place where it is kept.
  ///
  /// An item of the file goes to the trash, from which ``VaultTrash/restore(_:)`` brings it back.
  /// An item of the session is gone.
  ///
  /// - Parameters:
  ///   - item: As it was found; only its id, its key and where it is kept are looked at.
  ///   - revision: The ``Item/revision`` that the item must have; nil for any.
  ///   - removal: Whether it can be restored afterwards.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/conflict`` with the item as it
  ///   is if it has another revision; any error of writing the file.
  public func remove(
    _ item: Item, ifRevision revision: UInt64? = nil, removal: Removal = .recoverable
  ) throws(VaultError) {
    try requireUnlocked()
    guard item.persistence == .permanent else {
      return try session.remove(item.id, hint: item.key, revision: revision)
    }
    try requireFile().write { (transaction) throws(VaultError) in
      try transaction.remove(
        item.id, hint: item.key, revision: revision, removal: removal)
    }
  }

  /// Removes the one item that ``VaultReading/findUnique(_:withSecrets:)`` returns, as
  /// ``remove(_:ifRevision:removal:)`` does.
  ///
  /// If that is an item of the session that hides one of the file, only the session's is removed,
  /// and the file's is found again.
  ///
  /// - Returns: The item as it was, without its secret.
  /// - Throws: As ``VaultReading/findUnique(_:withSecrets:)``, and any error of writing the file.
  @discardableResult
  public func removeUnique(
    _ query: ItemQuery, removal: Removal = .recoverable
  ) throws(VaultError) -> Item {
    let found = try findUnique(query, withSecrets: false)
    guard found.persistence == .permanent else {
      try session.remove(found.id, hint: found.key)
      return found
    }
    return try storing(.permanent) { (gate) throws(VaultError) in
      try gate.removeUnique(query, removal: removal)
    }
  }

  /// Removes every item that matches from the session and the file, including hidden, pending and
  /// expired ones.
  ///
  /// Items of the file are removed in one transaction, as ``remove(_:ifRevision:removal:)``
  /// does. A query with a limit removes the best matches.
  ///
  /// - Returns: The number of items removed; 0 is not an error.
  /// - Throws: ``VaultError/Code/locked``, and any error of writing the file; then nothing was
  ///   removed.
  @discardableResult
  public func removeAll(
    _ query: ItemQuery, removal: Removal = .recoverable
  ) throws(VaultError) -> Int {
    try removeAll(query, removal: removal, where: nil)
  }

  package func requireFile() throws(VaultError) -> FileStore {
    guard let file else { throw .noFile }
    return file
  }
}

extension VaultError {
  static var noFile: VaultError {
    VaultError(.unsupported, "a vault without a file keeps nothing permanently")
  }
}
