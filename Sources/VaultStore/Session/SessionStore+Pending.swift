package import VaultModel

/// Credentials that no server has accepted yet: usable at once, but only here.
///
/// A pending item hides the session's item with its key, and so the file's; of several with one
/// key, the newest is used. It is never a duplicate, and is neither changed nor moved. To try
/// another secret, add another pending item: an acceptance is always for the secret that was sent.
extension SessionStore {
  /// Holds an item until a server has accepted or rejected it.
  ///
  /// A new item is dated now; one that was found, changed or pending before keeps its times. It
  /// also keeps its id, unless the session already has it.
  ///
  /// - Parameters:
  ///   - item: The item with its secret, kept until its ``Item/keptUntil`` at most.
  ///   - requested: The persistence once it is accepted.
  /// - Returns: The item as stored here, with its secret.
  /// - Throws: ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge`` for attributes
  ///   out of bounds.
  package func addPending(
    _ item: Item, requested: Persistence
  ) throws(VaultError) -> Item {
    var item = item
    try item.validate()
    item.applyDefaultLabel()
    item.persistence = .session
    return try withState { (state) throws(VaultError) in
      let now = Moment(time)
      if item.revision == 0 { item.date(now.day) }
      if state.holds(item.id) { item.id = ItemID() }
      item.revision = state.nextRevision()
      state.pending.append(Pending(entry: state.sealed(item, at: now), requested: requested))
      return item
    }
  }

  /// Returns a pending item with its secrets, expired or not, and its requested persistence.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if none has the id: it was removed, or the session
  ///   has ended.
  package func pending(
    _ id: ItemID
  ) throws(VaultError) -> (item: Item, requested: Persistence) {
    try withState { (state) throws(VaultError) in
      let pending = state.pending[try state.pendingIndex(id)]
      return (try state.unsealed(pending.entry, at: Moment(time)), pending.requested)
    }
  }

  /// Returns all pending items that match, the newest first, without their secrets.
  ///
  /// - Throws: ``VaultError/Code/locked``.
  package func pending(matching query: ItemQuery) throws(VaultError) -> [Item] {
    try withState { (state) throws(VaultError) in
      let now = Moment(time)
      return state.pending.reversed().map { $0.entry.item(at: now) }
        .filter { query.rank(of: $0, at: now.day) != nil }
    }
  }

  /// Returns whether an id is that of a pending item.
  ///
  /// - Throws: ``VaultError/Code/locked``.
  package func isPending(_ id: ItemID) throws(VaultError) -> Bool {
    try withState { state in state.isPending(id) }
  }

  /// Drops a pending item; the item that it hid is found again.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  package func removePending(_ id: ItemID) throws(VaultError) {
    try withState { (state) throws(VaultError) in
      _ = state.pending.remove(at: try state.pendingIndex(id))
    }
  }
}

extension SessionStore.State {
  func isPending(_ id: ItemID) -> Bool { pending.contains { $0.entry.item.id == id } }

  func pendingIndex(_ id: ItemID) throws(VaultError) -> Int {
    guard let index = pending.firstIndex(where: { $0.entry.item.id == id }) else {
      throw VaultError(.itemNotFound, "no pending item has the id \(id)")
    }
    return index
  }

  /// Returns the pending entries that match, the newest of each key, with their ranks.
  func pending(
    matching query: ItemQuery, includesExpired: Bool, at now: () -> Moment
  ) -> [(rank: Int, entry: Entry)] {
    var found: [(rank: Int, entry: Entry)] = []
    for index in pending.indices.reversed() {
      let entry = pending[index].entry
      guard let rank = query.rank(of: entry.item),
        includesExpired || !entry.item.mayExpire || !entry.isExpired(at: now()),
        !found.contains(where: { $0.entry.item.key == entry.item.key })
      else { continue }
      found.append((rank, entry))
    }
    return found
  }
}
