public import VaultModel
import VaultStorage

extension Vault {
  /// Adds an item to the session or to the file, as the policy grants; one that was found in a vault is a copy, and gets an id of its own.
  ///
  /// - Parameters:
  ///   - item: Its label defaults to the server, else the account; its dates become now.
  ///   - persistence: `session` or `permanent`; `none` stores nothing.
  ///   - isAccepted: Whether a server has accepted it: where a rule asks for that, it is pending otherwise.
  /// - Returns: The item as stored, and what the policy granted.
  /// - Throws: ``VaultError/Code/policyRefused``, naming the rule; ``VaultError/Code/duplicateItem`` with the item of the same key;
  ///   ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge`` for attributes out of
  ///   bounds; ``VaultError/Code/unsupported`` for a permanent item in a vault without a file;
  ///   ``VaultError/Code/locked``, and what writing the file throws.
  @discardableResult
  public func add(
    _ item: InternetPassword, persistence: Persistence = .permanent, isAccepted: Bool = false
  ) throws(VaultError) -> StoreResult {
    try storing(persistence) { (gate) throws(VaultError) in
      try gate.add(item, requested: persistence, isAccepted: isAccepted)
    }
  }

  /// Changes the item of the same key to what the given one has, or adds that, in one step.
  ///
  /// An item *has* the attributes that are set, the custom attributes that it names, and its secret unless that is nil. What
  /// it does not have stays as it was, the label too. Where the secret of an item that has expired is replaced, its
  /// expiry is the given one's, or none.
  ///
  /// - Parameters:
  ///   - item: What is to be stored; its key says what it changes.
  ///   - persistence: Where it is to be stored, and the item of the same key looked for.
  ///   - isAccepted: Whether a server has accepted a new secret.
  /// - Returns: The item as it is now, and what the policy granted.
  /// - Throws: As ``add(_:persistence:isAccepted:)`` and ``modify(_:_:ifRevision:isAccepted:)``, but neither
  ///   ``VaultError/Code/duplicateItem`` nor ``VaultError/Code/itemNotFound``, whoever else stores the same item.
  @discardableResult
  public func upsert(
    _ item: InternetPassword, persistence: Persistence = .permanent, isAccepted: Bool = false
  ) throws(VaultError) -> StoreResult {
    try storing(persistence) { (gate) throws(VaultError) in
      try gate.upsert(item, requested: persistence, isAccepted: isAccepted)
    }
  }

  /// Changes what is named of an item; what is not named is kept, and equal values change nothing.
  ///
  /// If the policy does not let the changed item be kept as strongly, it is stored as it may be, and hides the one that stays;
  /// a new secret that has to be accepted first is pending. A secret that is replaced goes to the item's
  /// ``history``.
  ///
  /// - Parameters:
  ///   - item: As it was found; only its id, its key and where it is kept are looked at.
  ///   - changes: Applied in order; the last of two to one attribute wins.
  ///   - revision: The ``InternetPassword/revision`` that the item must have; nil for any.
  ///   - isAccepted: Whether a server has accepted a new secret.
  /// - Returns: The item as it is now, without its secret, and what the policy granted.
  /// - Throws: ``VaultError/Code/policyRefused``; ``VaultError/Code/itemNotFound``; ``VaultError/Code/conflict`` with the item as
  ///   it is if it has another revision; ``VaultError/Code/duplicateItem`` with the other item and this one if another has
  ///   the new key. Then nothing was changed.
  @discardableResult
  public func modify(
    _ item: InternetPassword, _ changes: [ItemChange], ifRevision revision: UInt64? = nil,
    isAccepted: Bool = false
  ) throws(VaultError) -> StoreResult {
    try storing(item.persistence) { (gate) throws(VaultError) in
      try gate.modify(item, changes, revision: revision, isAccepted: isAccepted)
    }
  }

  /// Changes an item as ``modify(_:_:ifRevision:isAccepted:)`` does; a new secret ends an expiry that has passed.
  ///
  /// That is the item's own expiry, as it is in the step that changes the item; changes that name one have it their way.
  @discardableResult
  package func renew(
    _ item: InternetPassword, _ changes: [ItemChange], isAccepted: Bool
  ) throws(VaultError) -> StoreResult {
    try storing(item.persistence) { (gate) throws(VaultError) in
      try gate.renew(item, changes, isAccepted: isAccepted)
    }
  }

  /// Removes an item where it is kept, and the secrets that it had before.
  ///
  /// The file's goes to the ``trash``, from which ``VaultTrash/restore(_:)`` brings it back; the session's is gone.
  ///
  /// - Parameters:
  ///   - item: As it was found; only its id, its key and where it is kept are looked at.
  ///   - revision: The ``InternetPassword/revision`` that the item must have; nil for any.
  ///   - isForGood: Whether it does not go to the trash.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/conflict`` with the item as it is if it has another
  ///   revision; what writing the file throws.
  public func remove(
    _ item: InternetPassword, ifRevision revision: UInt64? = nil, isForGood: Bool = false
  ) throws(VaultError) {
    try requireUnlocked()
    guard item.persistence == .permanent else {
      return try session.remove(item.id, hint: item.key, revision: revision)
    }
    try requireFile().write { (transaction) throws(VaultError) in
      try transaction.remove(
        item.id, hint: item.key, revision: revision, isForGood: isForGood)
    }
  }

  /// Removes the one item that matches best, which ``findUnique(_:secrets:)`` would give, as
  /// ``remove(_:ifRevision:isForGood:)`` does.
  ///
  /// One of the session that hides the file's goes alone, and the file's is found again.
  ///
  /// - Returns: The item as it was, without its secret.
  /// - Throws: As ``findUnique(_:secrets:)``, and what writing the file throws.
  @discardableResult
  public func removeOne(
    _ query: ItemQuery, isForGood: Bool = false
  ) throws(VaultError) -> InternetPassword {
    let found = try findUnique(query, secrets: false)
    guard found.persistence == .permanent else {
      try session.remove(found.id, hint: found.key)
      return found
    }
    return try storing(.permanent) { (gate) throws(VaultError) in
      try gate.removeOne(query, isForGood: isForGood)
    }
  }

  /// Removes every item that matches, of the session and of the file, hidden ones, pending ones and expired ones too.
  ///
  /// The file's go in one transaction, as ``remove(_:ifRevision:isForGood:)`` says. A query with a limit takes the best.
  ///
  /// - Returns: How many they were; 0 is no error.
  /// - Throws: ``VaultError/Code/locked``, and what writing the file throws; then nothing was deleted.
  @discardableResult
  public func removeAll(_ query: ItemQuery, isForGood: Bool = false) throws(VaultError) -> Int {
    try requireUnlocked()
    // A file that has none need not be written.
    let isPermanent = try file?.find(query, secrets: false).isEmpty == false
    return try storing(isPermanent ? .permanent : .session) { (gate) throws(VaultError) in
      try gate.removeAll(query, isForGood: isForGood)
    }
  }

  func store(_ persistence: Persistence) throws(VaultError) -> any CredentialStore {
    guard persistence == .permanent else { return session }
    return try requireFile()
  }

  func requireFile() throws(VaultError) -> FileStore {
    guard let file else {
      throw VaultError(.unsupported, "a vault without a file keeps nothing permanently")
    }
    return file
  }
}
