package import SecureMemory
package import VaultModel

extension SessionStore: StoreTransaction {
  package func stored(_ query: ItemQuery) throws(VaultError) -> [Item] {
    try find(query, withSecrets: false, pending: false)
  }

  package func stored(_ key: Item.Key) throws(VaultError) -> Item? {
    try stored(ItemQuery(key: key)).first
  }

  package func item(
    _ id: ItemID, hint: Item.Key
  ) throws(VaultError) -> Item {
    try withState { (state) throws(VaultError) in
      guard let entry = state.found(id, hint: hint) else {
        throw VaultError(.itemNotFound, "no item has the id \(id)")
      }
      return entry.item(at: Moment(time))
    }
  }

  package func find(
    _ query: ItemQuery, withSecrets: Bool
  ) throws(VaultError) -> [Item] {
    try find(query, withSecrets: withSecrets, pending: true)
  }

  /// Returns the items that match, in the query's order.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - withSecrets: Whether secrets are also opened; those of expired items never are.
  ///   - includesPending: Whether pending items replace the stored ones of their keys; else they
  ///     are left out.
  /// - Returns: The items; none if nothing matches.
  /// - Throws: ``VaultError/Code/locked``.
  package func find(
    _ query: ItemQuery, withSecrets: Bool, pending includesPending: Bool
  ) throws(VaultError) -> [Item] {
    // The entry itself decides whether it has expired, because its deadline is not a time of day.
    var query = query
    let includesExpired = query.includesExpired
    query.includesExpired = true
    return try withState { (state) throws(VaultError) in
      guard !state.isEmpty else { return [] }
      lazy var now = Moment(time)
      var found: [Item] = []
      var ranks: [Int] = []
      func take(_ entry: Entry, _ rank: Int) throws(VaultError) {
        found.append(withSecrets ? try state.opened(entry, at: now) : entry.item(at: now))
        ranks.append(rank)
      }
      let pending =
        includesPending
        ? state.pending(matching: query, includesExpired: includesExpired) { now } : []
      for (rank, entry) in pending { try take(entry, rank) }
      try state.visit(query) { (entry) throws(VaultError) in
        guard let rank = query.rank(of: entry.item),
          includesExpired || !entry.item.mayExpire || !entry.isExpired(at: now),
          !pending.contains(where: {
            $0.entry.item.key == entry.item.key && !$0.entry.isExpired(at: now)
          })
        else { return }
        try take(entry, rank)
      }
      ItemQuery.sort(&found, ranks: ranks)
      query.applyLimit(to: &found)
      return found
    }
  }

  /// Returns the refresh token of an item, also if the item's own time is over; nil if it has none,
  /// or the time that a policy gives both is over.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``, ``VaultError/Code/locked``.
  package func refreshToken(
    of id: ItemID, hint: Item.Key
  ) throws(VaultError) -> Secret? {
    try withState { (state) throws(VaultError) in
      let pending = state.pending.first { $0.entry.item.id == id }
      let entry = if let pending { pending.entry } else { try state.entry(id, hint: hint) }
      let now = Moment(time)
      guard entry.item(at: now).isRenewable(at: now.day) else { return nil }
      return try state.unsealed(entry, at: now).refreshToken
    }
  }

  package func add(_ item: Item) throws(VaultError) -> Item {
    var item = item
    try item.validate()
    item.persistence = .session
    return try change { (state) throws(VaultError) in
      let now = Moment(time)
      try state.requireUnique(item.key, except: nil, at: now)
      item.becomeNew(at: now.day)
      item.revision = state.nextRevision()
      state.insert(state.sealed(item, at: now))
      events.post(.added(VaultEvent.Subject(item)))
      return item
    }
  }

  package func modify(
    _ id: ItemID, hint: Item.Key, _ changes: [ItemChange],
    revision: UInt64? = nil, place: (Item) throws(VaultError) -> Placement
  ) throws(VaultError) -> Modified {
    try change { (state) throws(VaultError) in
      let entry = try state.entry(id, hint: hint)
      let modified = try state.modify(
        entry, changes, revision: revision, at: Moment(time), place: place)
      if modified.isHere, modified.item.revision != entry.item.revision {
        events.post(.modified(VaultEvent.Subject(modified.item)))
      }
      return modified
    }
  }

  package func remove(
    _ id: ItemID, hint: Item.Key, revision: UInt64? = nil
  ) throws(VaultError) {
    try change { (state) throws(VaultError) in
      if let pending = state.pending.firstIndex(where: { $0.entry.item.id == id }) {
        try state.pending[pending].entry.item.require(revision: revision)
        state.pending.remove(at: pending)
      } else {
        let item = try state.entry(id, hint: hint).item(at: Moment(time))
        try item.require(revision: revision)
        state.remove(item)
        events.post(.removed(VaultEvent.Subject(item)))
      }
    }
  }

  package func take(
    _ id: ItemID, hint: Item.Key
  ) throws(VaultError) -> Item {
    try withState { (state) throws(VaultError) in
      let entry = try state.entry(id, hint: hint)
      let item = try state.unsealed(entry, at: Moment(time))
      state.remove(entry.item)
      return item
    }
  }

  @discardableResult
  package func put(_ item: Item) throws(VaultError) -> Item {
    var item = item
    try item.validate()
    item.persistence = .session
    return try withState { (state) throws(VaultError) in
      let now = Moment(time)
      try state.requireUnique(item.key, except: nil, at: now)
      // For example after it was restored from a backup, while this one was in the file.
      if state.holds(item.id) { item.id = ItemID() }
      item.revision = state.nextRevision()
      state.insert(state.sealed(item, at: now))
      return item.withoutSecrets
    }
  }

  package func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    try withState { state in state.defaults[space] }
  }

  package func setDefaultUser(
    _ user: String?, for space: ProtectionSpace
  ) throws(VaultError) {
    try change { state in
      guard !state.isDefault(user, of: space) else { return }
      state.defaults[space] = user
      events.post(.defaultChanged(space))
    }
  }

  /// Sets a default as ``setDefaultUser(_:for:)`` does, without an event.
  package func putDefault(_ user: String?, for space: ProtectionSpace) throws(VaultError) {
    try withState { state in state.defaults[space] = user }
  }

  package func defaults() throws(VaultError) -> [ProtectionSpace: String] {
    try withState { state in state.defaults }
  }
}

extension SessionStore.State {
  /// Changes an item; a changed one gets a new revision.
  mutating func modify(
    _ entry: Entry, _ changes: [ItemChange], revision: UInt64?, at now: Moment,
    place: (Item) throws(VaultError) -> Placement
  ) throws(VaultError) -> Modified {
    let old = try unsealed(entry, at: now)
    try old.require(revision: revision)
    try ItemChange.validate(changes, of: old)
    var item = old
    guard item.apply(changes) else { return Modified(item: old.withoutSecrets, isHere: true) }
    try item.validate()
    item.modified = max(now.day, item.modified)
    let isReplaced = !item.hasSameSecret(as: old)
    let back =
      try isReplaced
      ? previous(of: entry, sameAs: item.storedSecret ?? Secret("")).map { $0.entry.item(at: now) }
      : nil
    if isReplaced {
      item.secretChanged = back?.secretChanged ?? now.day
      if let back, !changes.contains(where: \.isOfExpiry) {
        item.expires = Timestamp.earliest(item.expires, back.expires)
      }
    }
    guard case .here(let end) = try place(item.withoutSecrets) else {
      return Modified(item: item, isHere: false)
    }
    if item.key != entry.item.key { try requireUnique(item.key, except: old, at: now) }
    item.keptUntil = Timestamp.earliest(end, back?.keptUntil)
    item.revision = nextRevision()
    var new = sealed(item, at: now)
    new.history =
      isReplaced ? try history(of: entry, replacedBy: item.storedSecret, at: now) : entry.history
    remove(entry.item)
    insert(new)
    return Modified(
      item: item.withoutSecrets, isHere: true, isRenamed: item.key != entry.item.key,
      isReplaced: isReplaced)
  }
}
