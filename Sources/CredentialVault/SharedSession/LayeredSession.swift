import SecureMemory
package import VaultStore
import VaultModel

/// The session as a vault sees it: this process's own credentials, before those that it shares with
/// other processes.
///
/// Stored items are shared if they can be, else this process's own. Pending credentials are always
/// its own.
package struct LayeredSession: Sendable {
  package let own: SessionStore
  /// The session that is shared; nil if the vault was not opened to share it.
  var shared: SharedSession?
  /// Returns the most seconds for which the vault lets its keys be remembered, 0 for never.
  var limit: @Sendable () throws(VaultError) -> UInt32? = { () throws(VaultError) in nil }

  var time: TimeSource { own.time }
  var events: EventQueue { own.events }

  /// Returns the same session for the time of a transaction, in which the vault cannot be asked.
  package func within(_ transaction: FileTransaction) -> LayeredSession {
    guard shared != nil else { return self }
    var session = self
    let limit = transaction.mostRemembered
    session.limit = { () throws(VaultError) in limit }
    return session
  }

  func note(_ event: @autoclosure () -> VaultEvent) { own.note(event()) }

  /// Drops everything, also for other processes.
  ///
  /// - Throws: ``VaultError/Code/busy``; ``VaultError/Code/unavailable`` if the shared session's
  ///   key may still be there.
  func removeAll() throws(VaultError) {
    own.removeAll()
    try shared?.end()
  }

  /// Drops the items that have expired and cannot be renewed, and returns them; also the previous
  /// secrets that have expired.
  package func removeExpired() throws(VaultError) -> [Item] {
    let expired = try own.removeExpired()
    let others = try shared?.write { (transaction) throws(VaultError) in
      try transaction.removeExpired()
    }
    return expired + (others ?? []).map(\.ofSession)
  }

  // MARK: Placing

  /// Requires that what is stored is shared, and begins a session unless there is one.
  ///
  /// - Throws: ``VaultError/Code/unsupported`` if the vault was not opened to share it; as
  ///   ``SharedSession/begin(limit:)``.
  package func requireSharing() throws(VaultError) {
    guard let shared else {
      throw VaultError(.unsupported, "the vault was not opened to share its session")
    }
    try shared.begin(limit: limit())
  }

  /// Returns whether what is stored would be shared, in a session that is there or could begin.
  ///
  /// - Throws: ``VaultError/Code/busy`` if that is not known.
  func canShare() throws(VaultError) -> Bool {
    guard let shared else { return false }
    do throws(VaultError) {
      try shared.requirePossible(limit: limit())
      return true
    } catch {
      guard error.meansNoSession else { throw error }
      return false
    }
  }

  /// Stores something in the shared session, or in this process's own if there can be none.
  ///
  /// - Throws: The errors of either; ``VaultError/Code/busy`` if it is not known whether there can
  ///   be one.
  func place<R>(
    isQuiet: Bool, shared body: (FileTransaction) throws(VaultError) -> R,
    own store: () throws(VaultError) -> R
  ) throws(VaultError) -> R {
    guard let shared else { return try store() }
    // A session may end between the two steps; twice in a row, something else is wrong with it.
    for _ in 0..<2 {
      do throws(VaultError) {
        try shared.begin(limit: limit())
      } catch {
        guard error.meansNoSession else { throw error }
        return try store()
      }
      if let stored = try shared.write(isQuiet: isQuiet, body) { return stored }
    }
    return try store()
  }

  /// Returns the result of the layer that has an item: this process's own one is asked first.
  func holder<R>(
    own body: () throws(VaultError) -> R, shared other: (SharedSession) throws(VaultError) -> R?
  ) throws(VaultError) -> R {
    do throws(VaultError) {
      return try body()
    } catch {
      guard error.code == .itemNotFound, let shared, let found = try other(shared) else {
        throw error
      }
      return found
    }
  }

  /// Requires that no item of this process's own has a key.
  private func requireUnique(_ key: Item.Key) throws(VaultError) {
    guard let known = try own.stored(key) else { return }
    throw VaultError(
      .duplicateItem, "an item with the same key exists already", candidates: [known])
  }
}

// MARK: Reading

extension LayeredSession: StoreTransaction {
  package func find(_ query: ItemQuery, withSecrets: Bool) throws(VaultError) -> [Item] {
    let own = try own.find(query, withSecrets: withSecrets)
    let others = try shared?.read { (store) throws(VaultError) in
      try store.find(query, withSecrets: withSecrets)
    }
    guard let others, !others.isEmpty else { return own }
    return query.merged(own, others.map(\.ofSession), at: time.now())
  }

  package func stored(_ query: ItemQuery) throws(VaultError) -> [Item] {
    let own = try own.stored(query)
    let others = try shared?.read { (store) throws(VaultError) in
      try store.find(query, withSecrets: false)
    }
    guard let others, !others.isEmpty else { return own }
    // Including hidden ones: all of them are changed or removed.
    var all = own + others.map(\.ofSession)
    let now = time.now()
    ItemQuery.sort(&all, ranks: all.map { query.rank(of: $0, at: now) ?? 0 })
    query.applyLimit(to: &all)
    return all
  }

  package func stored(_ key: Item.Key) throws(VaultError) -> Item? {
    if let known = try own.stored(key) { return known }
    return try shared?.read { (store) throws(VaultError) in
      try store.find(ItemQuery(key: key), withSecrets: false).first?.ofSession
    } ?? nil
  }

  package func item(_ id: ItemID, hint: Item.Key) throws(VaultError) -> Item {
    try holder { () throws(VaultError) in
      try own.item(id, hint: hint)
    } shared: { (shared) throws(VaultError) in
      try shared.read { (store) throws(VaultError) in
        try ItemQuery.item(id, hint: hint) { (query) throws(VaultError) in
          try store.find(query, withSecrets: false)
        }.ofSession
      }
    }
  }

  func refreshToken(of id: ItemID, hint: Item.Key) throws(VaultError) -> Secret? {
    try holder { () throws(VaultError) in
      try own.refreshToken(of: id, hint: hint)
    } shared: { (shared) throws(VaultError) in
      try shared.read { (store) throws(VaultError) in
        try store.refreshToken(of: id, hint: hint)
      }
    }
  }

  package func history(
    of id: ItemID, hint: Item.Key, withSecrets: Bool
  ) throws(VaultError) -> [PreviousSecret] {
    try holder { () throws(VaultError) in
      try own.history(of: id, hint: hint, withSecrets: withSecrets)
    } shared: { (shared) throws(VaultError) in
      try shared.read { (store) throws(VaultError) in
        try store.history(of: id, hint: hint, withSecrets: withSecrets)
      }
    }
  }

  package func previousSecret(
    _ id: PreviousSecret.ID, hint: Item.Key
  ) throws(VaultError) -> PreviousSecret {
    try holder { () throws(VaultError) in
      try own.previousSecret(id, hint: hint)
    } shared: { (shared) throws(VaultError) in
      try shared.read { (store) throws(VaultError) in try store.previousSecret(id, hint: hint) }
    }
  }

  package func expiry(
    ofPrevious secret: Secret, of item: Item
  ) throws(VaultError) -> Timestamp?? {
    if let known = try own.expiry(ofPrevious: secret, of: item) { return known }
    return try shared?.write { (transaction) throws(VaultError) in
      try transaction.expiry(ofPrevious: secret, of: item)
    } ?? nil
  }

  package func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    if let user = try own.defaultUser(for: space) { return user }
    return try shared?.read { (store) throws(VaultError) in
      try store.defaultUser(for: space)
    } ?? nil
  }

  package func defaults() throws(VaultError) -> [ProtectionSpace: String] {
    let others = try shared?.read { (store) throws(VaultError) in try store.defaults() }
    return try (others ?? [:]).merging(own.defaults()) { _, own in own }
  }

  /// Returns the users of a space, the best first, those of this process's own before others.
  package func users(of space: ProtectionSpace) throws(VaultError) -> [String] {
    guard shared != nil else { return try own.users(of: space) }
    return try unexpired(in: space, withSecrets: false).map(\.account)
  }

  /// Returns the unexpired credentials of a space, in the order of ``users(of:)``.
  package func credentials(of space: ProtectionSpace) throws(VaultError) -> [Credential] {
    guard shared != nil else { return try own.credentials(of: space) }
    return try unexpired(in: space, withSecrets: true).map(\.credential)
  }

  private func unexpired(
    in space: ProtectionSpace, withSecrets: Bool
  ) throws(VaultError) -> [Item] {
    var query = ItemQuery(space)
    query.includesExpired = false
    // An item that the store found expired has no secret, whatever the clock says here.
    return try find(query, withSecrets: withSecrets).filter { !withSecrets || $0.secret != nil }
  }
}

// MARK: Changing

extension LayeredSession {
  package func add(_ item: Item) throws(VaultError) -> Item {
    try place(isQuiet: false) { (transaction) throws(VaultError) in
      try requireUnique(item.key)
      return try transaction.add(item).ofSession
    } own: { () throws(VaultError) in
      try own.add(item)
    }
  }

  package func modify(
    _ id: ItemID, hint: Item.Key, _ changes: [ItemChange], revision: UInt64?,
    place: (Item) throws(VaultError) -> Placement
  ) throws(VaultError) -> Modified {
    try holder { () throws(VaultError) in
      try own.modify(id, hint: hint, changes, revision: revision, place: place)
    } shared: { (shared) throws(VaultError) in
      try shared.write { (transaction) throws(VaultError) in
        try transaction.modify(id, hint: hint, changes, revision: revision) {
          (item) throws(VaultError) in try place(item.ofSession)
        }
      }?.ofSession
    }
  }

  package func remove(
    _ id: ItemID, hint: Item.Key, revision: UInt64? = nil
  ) throws(VaultError) {
    try holder { () throws(VaultError) in
      try own.remove(id, hint: hint, revision: revision)
    } shared: { (shared) throws(VaultError) in
      try shared.write { (transaction) throws(VaultError) in
        try transaction.remove(id, hint: hint, revision: revision, removal: .permanent)
      }
    }
  }

  package func limitHistory(
    of item: Item, _ end: (Timestamp) -> Timestamp?
  ) throws(VaultError) {
    try own.limitHistory(of: item, end)
    _ = try shared?.write { (transaction) throws(VaultError) in
      try transaction.limitHistory(of: item, end)
    }
  }

  package func take(_ id: ItemID, hint: Item.Key) throws(VaultError) -> Item {
    try takeOut(id, hint: hint).item
  }

  @discardableResult
  package func put(_ item: Item) throws(VaultError) -> Item {
    try place(isQuiet: true) { (transaction) throws(VaultError) in
      try requireUnique(item.key)
      return try transaction.put(item).ofSession
    } own: { () throws(VaultError) in
      try own.put(item)
    }
  }

  package func setDefaultUser(_ user: String?, for space: ProtectionSpace) throws(VaultError) {
    try setDefault(user, of: space, isQuiet: false)
  }

  /// Sets a default without an event.
  package func putDefault(_ user: String?, for space: ProtectionSpace) throws(VaultError) {
    try setDefault(user, of: space, isQuiet: true)
  }

  private func setDefault(
    _ user: String?, of space: ProtectionSpace, isQuiet: Bool
  ) throws(VaultError) {
    let setOwn = isQuiet ? own.putDefault : own.setDefaultUser
    // This process's own default stays until the shared session has committed, and observers wait
    // until it is gone, because it hides a shared one.
    try EventDelivery.after { (_) throws(VaultError) in
      guard let user else {
        _ = try shared?.write(isQuiet: isQuiet) { (transaction) throws(VaultError) in
          try transaction.setDefaultUser(nil, for: space)
        }
        return try setOwn(nil, space)
      }
      let isShared = try place(isQuiet: isQuiet) { (transaction) throws(VaultError) in
        try transaction.setDefaultUser(user, for: space)
        return true
      } own: { () throws(VaultError) in
        try setOwn(user, space)
        return false
      }
      if isShared { try own.putDefault(nil, for: space) }
    }
  }
}

extension Modified {
  /// The change of a session's file as one of the session.
  var ofSession: Modified {
    Modified(
      item: item.ofSession, isHere: isHere, isRenamed: isRenamed, isReplaced: isReplaced)
  }
}
