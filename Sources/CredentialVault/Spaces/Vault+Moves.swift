import VaultStore
public import VaultModel

/// Moves between the session and the file.
extension Vault {
  /// Moves a user's credentials to another persistence; no other way of storing removes the more
  /// persistent copy.
  ///
  /// A space ignores paths, so all of the user's items there move, each on its own and with its
  /// age. An item that is kept in both places is merged, with the session's secret. A default moves
  /// with its user. Previous secrets do not move and are removed. Moving to `none` removes. An item
  /// moved out of the file leaves nothing in the vault's trash.
  ///
  /// - Parameters:
  ///   - user: The user name.
  ///   - space: The space in which the credentials are used.
  ///   - persistence: The persistence to move to.
  ///   - afterAcceptance: Whether a server has accepted them.
  /// - Returns: The decision on each item; an item that was not granted the requested persistence
  ///   stays where it is.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/policyRefused``, and nothing
  ///   moves; any error of storing and removing.
  @discardableResult
  public func move(
    user: String, for space: ProtectionSpace, to persistence: Persistence,
    afterAcceptance: Bool = false
  ) throws(VaultError) -> [StoreResult] {
    guard persistence > .none else {
      // If nothing is to be kept, nothing goes to the trash.
      return try removeAll(of: user, in: space, removal: .permanent).map { item in
        var item = item
        item.persistence = .none
        return StoreResult(item, .init(requested: .none))
      }
    }
    // Both stores change, so the file's transaction is needed in both directions.
    return try storing(file == nil ? .session : .permanent) { (gate) throws(VaultError) in
      try gate.move(user, for: space, to: persistence, afterAcceptance: afterAcceptance)
    }
  }

  /// Removes everything with a persistence: `session` ends the session.
  ///
  /// For `session`, the session's credentials of servers and proxies, its defaults and its pending
  /// credentials are wiped when this returns; the file is not touched. A session that is shared
  /// ends for all its processes. `permanent` removes all items and defaults of the file in one
  /// transaction. The items go to the trash, the defaults do not.
  ///
  /// - Parameters:
  ///   - persistence: The persistence of the credentials to remove.
  ///   - removal: Whether the items can be restored afterwards; if it is ``Removal/permanent``, the
  ///     trash is emptied, too.
  /// - Throws: ``VaultError/Code/locked``, and any error of writing the file.
  public func removeAll(
    _ persistence: Persistence, removal: Removal = .recoverable
  ) throws(VaultError) {
    try requireUnlocked()
    switch persistence {
    case .none: return
    case .session: try session.removeAll()
    case .permanent:
      try requireFile().write { (transaction) throws(VaultError) in
        for item in try transaction.find(.everything) {
          try transaction.remove(item.id, hint: item.key, removal: removal)
        }
        if removal == .permanent { _ = try transaction.emptyTrash(.everything) }
        for space in try transaction.defaults().keys {
          try transaction.setDefaultUser(nil, for: space)
        }
      }
    }
  }
}

extension PolicyGate {
  fileprivate func move(
    _ user: String, for space: ProtectionSpace, to persistence: Persistence, afterAcceptance: Bool
  ) throws(VaultError) -> [StoreResult] {
    let query = ItemQuery(space)
    let temporary = try session.stored(query).filter { $0.isOf(user) }
    let permanent = try transaction?.find(query).filter { $0.isOf(user) } ?? []
    guard !temporary.isEmpty || !permanent.isEmpty else {
      throw VaultError(.itemNotFound, "\(space) has no credential of this user")
    }
    var stored: [StoreResult] = []
    let moving = persistence == .session ? permanent : temporary
    var others = persistence == .session ? temporary : permanent
    for item in moving {
      let counterpart = item.takeCounterpart(from: &others, beside: moving, to: persistence)
      // If it replaces the secret of an existing item, it is kept under that item's key.
      let key = persistence == .permanent ? counterpart?.key ?? item.key : item.key
      let decision = try decide(key, requested: persistence, since: item.secretChanged)
      guard decision.granted == persistence, afterAcceptance || !decision.onlyAfterAcceptance else {
        stored.append(StoreResult(item, decision))
        continue
      }
      let moved = try move(item, counterpart: counterpart, until: decision.expires)
      stored.append(StoreResult(moved.withoutSecrets, decision))
    }
    if stored.contains(where: { $0.item.persistence == persistence }) {
      try moveDefault(of: user, for: space, to: persistence)
    }
    return stored
  }

  /// Moves an item to the other store, over the item there that stands for the same credential.
  ///
  /// The session's secret wins, since it hides the file's.
  func move(
    _ item: Item, counterpart: Item?, until: Timestamp?
  ) throws(VaultError) -> Item {
    if item.persistence == .permanent {
      var moved = try file().take(item.id, hint: item.key)
      moved.persistence = .session
      moved.keptUntil = until
      // The session's own item already hides the file's, and stays.
      if let counterpart {
        note(.removed(VaultEvent.Subject(item)))
        return counterpart
      }
      moved = try putIntoSession(moved)
      note(.moved(VaultEvent.Subject(moved), from: .permanent))
      return moved
    }
    var taken = try takeFromSession(item)
    taken.keptUntil = until
    let file = try file()
    guard let counterpart else {
      let moved = try file.put(taken)
      note(.moved(VaultEvent.Subject(moved), from: .session))
      return moved
    }
    let changed = try file.quietly { () throws(VaultError) in
      let changed = try file.modify(
        counterpart.id, hint: counterpart.key, renewing(counterpart, secretChanges(from: taken)))
      // The file may have had the secret for longer than the session; then it is not new there.
      let since = min(changed.secretChanged, taken.secretChanged)
      let end = try policy().decide(counterpart.key, requested: .permanent, now: since).expires
      return try file.keep(
        counterpart.id, hint: counterpart.key, until: since < taken.secretChanged ? end : until,
        since: since)
    }
    // Two items were merged, and the session's id is gone.
    note(.modified(VaultEvent.Subject(changed)))
    note(.removed(VaultEvent.Subject(item)))
    return changed
  }

  private func moveDefault(
    of user: String, for space: ProtectionSpace, to persistence: Persistence
  ) throws(VaultError) {
    guard persistence == .session else { return try promoteDefault(of: user, for: space) }
    guard let transaction, let chosen = try transaction.defaultUser(for: space),
      chosen.utf8.elementsEqual(user.utf8)
    else { return }
    try takeDefault(user, of: space)
  }
}

extension Item {
  func isOf(_ user: String) -> Bool {
    account.utf8.elementsEqual(user.utf8)
  }

  /// Removes and returns the item of the other store to merge with this one: the one of the same
  /// key.
  ///
  /// For a move to the file, the fallback is an item of the same path, if neither has a partner
  /// with its own key: the two are then one credential stored under two keys.
  fileprivate func takeCounterpart(
    from others: inout [Item], beside moving: [Item], to place: Persistence
  ) -> Item? {
    let index =
      others.firstIndex { $0.key == key }
      ?? others.firstIndex { other in
        place == .permanent && other.path.utf8.elementsEqual(path.utf8)
          && !moving.contains { $0.key == other.key }
      }
    return index.map { others.remove(at: $0) }
  }
}
