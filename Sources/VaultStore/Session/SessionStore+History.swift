package import SecureMemory
import VaultCrypto
package import VaultModel

/// The previous secrets of the session's items: the last ten of each.
extension SessionStore {
  package func history(
    of id: ItemID, hint: Item.Key, withSecrets: Bool
  ) throws(VaultError) -> [PreviousSecret] {
    try withState { (state) throws(VaultError) in
      let now = Moment(time)
      var history: [PreviousSecret] = []
      for previous in try state.entry(id, hint: hint).history {
        history.append(try state.value(of: previous, withSecrets: withSecrets, at: now))
      }
      return history
    }
  }

  package func previousSecret(
    _ id: PreviousSecret.ID, hint: Item.Key
  ) throws(VaultError) -> PreviousSecret {
    try withState { (state) throws(VaultError) in
      let history = try state.entry(id.item, hint: hint).history
      guard let previous = history.first(where: { $0.replaced == id.replaced }) else {
        throw VaultError(.itemNotFound, "the item \(id.item) has no such previous secret")
      }
      return try state.value(of: previous, withSecrets: true, at: Moment(time))
    }
  }

  /// Caps each previous secret's retention at `end(setDate)`.
  ///
  /// Secrets whose retention has ended are dropped. A missing item has nothing to limit.
  ///
  /// - Throws: ``VaultError/Code/locked``.
  package func limitHistory(
    of item: Item, _ end: (Timestamp) -> Timestamp?
  ) throws(VaultError) {
    try withState { (state) throws(VaultError) in
      let now = Moment(time)
      guard var entry = state.found(item.id, hint: item.key) else { return }
      entry.history = entry.history.compactMap { previous in
        let known = previous.entry.item(at: now)
        guard let end = end(known.secretChanged), known.keptUntil.map({ end < $0 }) ?? true else {
          return previous
        }
        var shorter = previous
        shorter.entry.item.keptUntil = end
        shorter.entry.deadline = now.session(of: end)
        return end <= now.day ? nil : shorter
      }
      state.remove(entry.item)
      state.insert(entry)
    }
  }

  /// Returns the expiry that the item had with a previous secret; nil if the item never had that
  /// secret.
  ///
  /// - Throws: ``VaultError/Code/locked``.
  package func expiry(
    ofPrevious secret: Secret, of item: Item
  ) throws(VaultError) -> Timestamp?? {
    try withState { (state) throws(VaultError) in
      guard let entry = state.found(item.id, hint: item.key) else { return nil }
      return try state.previous(of: entry, sameAs: secret).map(\.entry.item.expires)
    }
  }
}

extension SessionStore.State {
  /// Returns a previous secret for a caller; an expired one is never opened.
  fileprivate func value(
    of previous: SessionStore.Previous, withSecrets: Bool, at now: Moment
  ) throws(VaultError) -> PreviousSecret {
    let item = previous.entry.item(at: now)
    let isOpened = withSecrets && !previous.entry.isExpired(at: now)
    return PreviousSecret(
      id: PreviousSecret.ID(item: item.id, replaced: previous.replaced), kind: item.secretKind,
      set: item.secretChanged, expires: item.expires, keptUntil: item.keptUntil,
      certificates: item.certificates,
      secret: isOpened ? try open(secret: previous.entry.sealedSecret, of: item.id) : nil)
  }

  /// Returns the previous secret of an entry that equals a secret, expired or not; nil if there is
  /// none.
  func previous(
    of entry: Entry, sameAs secret: Secret
  ) throws(VaultError) -> SessionStore.Previous? {
    for previous in entry.history {
      let known = try open(secret: previous.entry.sealedSecret, of: entry.item.id)
      if secret.isEqual(to: known) { return previous }
    }
    return nil
  }

  /// Returns the history of an entry after its secret is replaced.
  func history(
    of entry: Entry, replacedBy secret: Secret?, at now: Moment
  ) throws(VaultError) -> [SessionStore.Previous] {
    var history: [SessionStore.Previous] = []
    for previous in entry.history {
      let known = try open(secret: previous.entry.sealedSecret, of: entry.item.id)
      if secret?.isEqual(to: known) != true { history.append(previous) }
    }
    if !entry.sealedSecret.isEmpty {
      var old = entry
      old.history = []
      old.furtherSecrets = [:]
      // Its time is its identity: two in the same millisecond must differ.
      let earliest = entry.history.first?.replaced.adding(milliseconds: 1) ?? now.day
      history.insert(SessionStore.Previous(entry: old, replaced: max(now.day, earliest)), at: 0)
    }
    return Array(history.prefix(PreviousSecret.defaultLimit))
  }

  /// Drops the previous secrets that have expired.
  mutating func removeExpiredHistory(at now: Moment) {
    for space in groups.keys {
      groups[space] = groups[space]?.map { $0.withoutExpiredHistory(at: now) }
    }
    loose = loose.map { $0.withoutExpiredHistory(at: now) }
  }
}

extension SessionStore.Entry {
  fileprivate func withoutExpiredHistory(at now: Moment) -> Self {
    guard history.contains(where: { $0.entry.isExpired(at: now) }) else { return self }
    var entry = self
    entry.history.removeAll { $0.entry.isExpired(at: now) }
    return entry
  }
}
