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
  ) throws(VaultError) -> Stored {
    try storing(persistence) { (enforcer) throws(VaultError) in
      try enforcer.add(item, requested: persistence, isAccepted: isAccepted)
    }
  }

  /// The items that match a query, best first, in the order that ``ItemQuery`` defines.
  ///
  /// An item of the session stands before, and instead of, one of the file with the same key.
  ///
  /// - Parameters:
  ///   - query: What is asked for.
  ///   - secrets: Whether secrets are opened too.
  /// - Returns: None if nothing matches.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func find(
    _ query: ItemQuery, secrets: Bool = false
  ) throws(VaultError) -> [InternetPassword] {
    try requireUnlocked()
    let temporary = try session.find(query, secrets: secrets)
    guard let file else { return temporary }
    let permanent = try file.find(query, secrets: secrets)
    guard !temporary.isEmpty else { return permanent }
    let now = time.now()
    let shadowing = Set(temporary.lazy.filter { !$0.isExpired(at: now) }.map(\.key))
    var all = temporary + permanent.filter { !shadowing.contains($0.key) }
    ItemQuery.sort(&all, ranks: all.map { query.rank(of: $0, at: now) ?? 0 })
    query.applyLimit(to: &all)
    return all
  }

  /// The one item that matches a query best.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/ambiguous`` with the candidates
  ///   if two match equally well; ``VaultError/Code/expired`` if only expired ones match.
  public func findUnique(
    _ query: ItemQuery, secrets: Bool = true
  ) throws(VaultError) -> InternetPassword {
    try query.unique(among: find(query, secrets: secrets), at: time.now())
  }

  /// Changes what is named of an item; what is not named is kept, and equal values change nothing.
  ///
  /// If the policy does not let the changed item be kept as strongly, it is stored as it may be, and hides the one that stays;
  /// a new secret that has to be accepted first is pending.
  ///
  /// - Parameters:
  ///   - item: As it was found; only its id, its server and where it is kept are looked at.
  ///   - changes: Applied in order; the last of two to one attribute wins.
  ///   - isAccepted: Whether a server has accepted a new secret.
  /// - Returns: The item as it is now, without its secret, and what the policy granted.
  /// - Throws: ``VaultError/Code/policyRefused``; ``VaultError/Code/itemNotFound``; ``VaultError/Code/duplicateItem`` if another
  ///   item has the new key.
  @discardableResult
  public func modify(
    _ item: InternetPassword, _ changes: [ItemChange], isAccepted: Bool = false
  ) throws(VaultError) -> Stored {
    try storing(item.persistence) { (enforcer) throws(VaultError) in
      try enforcer.modify(item, changes, isAccepted: isAccepted)
    }
  }

  /// Deletes an item where it is kept.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  public func delete(_ item: InternetPassword) throws(VaultError) {
    try requireUnlocked()
    try store(item.persistence).delete(item.id, hint: item.key)
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

extension ItemQuery {
  /// The one item that matches best among those that match.
  func unique(
    among found: [InternetPassword], at now: Timestamp
  ) throws(VaultError) -> InternetPassword {
    let valid = found.filter { !$0.isExpired(at: now) }
    guard let best = valid.first else {
      throw found.isEmpty
        ? VaultError(.itemNotFound, "no item matches")
        : VaultError(.expired, "only expired items match", candidates: found)
    }
    let rank = rank(of: best, at: now)
    let equals = valid.filter { self.rank(of: $0, at: now) == rank }
    guard equals.count == 1 else {
      throw VaultError(.ambiguous, "\(equals.count) items match equally well", candidates: equals)
    }
    return best
  }
}
