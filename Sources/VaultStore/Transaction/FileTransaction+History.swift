import SealedTree
package import SecureMemory
import VaultCrypto
package import VaultModel

/// The previous secrets of items.
extension FileTransaction {
  /// Returns the secrets that an item had before, as ``StoreReader/history(of:hint:withSecrets:)``
  /// says.
  package func history(
    of id: ItemID, hint: Item.Key, withSecrets: Bool = false
  ) throws(VaultError) -> [PreviousSecret] {
    try editor.history(of: item(id, hint: hint), withSecrets: withSecrets)
  }

  /// Returns one secret that an item had before, as ``StoreReader/previousSecret(_:hint:)`` says.
  package func previousSecret(
    _ id: PreviousSecret.ID, hint: Item.Key
  ) throws(VaultError) -> PreviousSecret {
    try editor.previousSecret(id, of: item(id.item, hint: hint))
  }

  /// Adds a replaced secret to its item's history as the newest, and moves the history to another
  /// key.
  ///
  /// - Parameters:
  ///   - old: The item's record before the change; the row of a large secret is moved to the
  ///     history, or removed.
  ///   - replaced: Its secret, and the one of its history that replaces it, if any; nil if the
  ///     secret stays.
  ///   - key: The item's key after the change.
  /// - Throws: ``VaultError/Code/damaged`` if a bucket does not open.
  func updateHistory(
    of old: ItemRecord, replacing replaced: (old: Secret, back: PreviousRecord?)?,
    key: Item.Key
  ) throws(VaultError) {
    let known = try editor.previousSecrets(of: old.item)
    var history = known
    if let replaced {
      history.removeAll { $0 == replaced.back }
      if replaced.old.count > 0 {
        history.insert(try previous(of: old, replaced.old, newest: known.first), at: 0)
      }
      history = Array(history.prefix(historyLimit))
      if !history.contains(where: { $0.largeSecret == old.largeSecret }) {
        discard(old.largeSecret)
      }
    }
    let isMoved = key != old.item.key
    for previous in known {
      if !history.contains(previous) { try remove(previous) } else if isMoved { try take(previous) }
    }
    for var previous in history where isMoved || !known.contains(previous) {
      previous.key = key
      try editor.insert(
        Record(kind: RecordKind.previousSecret, body: previous.encoded), at: .item(key))
    }
  }

  /// Caps each previous secret's retention at `end(setDate)`.
  ///
  /// Secrets whose retention has ended are dropped.
  package func limitHistory(
    of item: Item, _ end: (Timestamp) -> Timestamp?
  ) throws(VaultError) {
    for previous in try editor.previousSecrets(of: item) {
      guard let end = end(previous.set), previous.keptUntil.map({ end < $0 }) ?? true else {
        continue
      }
      var shorter = previous
      shorter.keptUntil = end
      if end <= now {
        try remove(previous)
      } else {
        try replace(previous, with: shorter.encoded)
      }
    }
  }

  /// Removes all previous secrets of an item.
  func removeHistory(of item: Item) throws(VaultError) {
    for previous in try editor.previousSecrets(of: item) { try remove(previous) }
  }

  private func previous(
    of old: ItemRecord, _ secret: Secret, newest: PreviousRecord?
  ) throws(VaultError) -> PreviousRecord {
    // Its time is its identity: two in the same millisecond must differ.
    let earliest = newest?.replaced.adding(milliseconds: 1) ?? now
    guard earliest <= SealedNumber.lastMoment else {
      throw VaultError(.damaged, "the history of item \(old.item.id) is at the end of time")
    }
    return PreviousRecord(
      old,
      sealedSecret: old.largeSecret == nil
        ? keys.seal(secret, use: .previousSecret, item: old.item.id) : [],
      replaced: max(now, earliest))
  }

  func remove(_ previous: PreviousRecord) throws(VaultError) {
    try take(previous)
    discard(previous.largeSecret)
  }

  func take(_ previous: PreviousRecord) throws(VaultError) {
    try replace(previous, with: nil)
  }

  /// Replaces the body of a previous secret, with the same key.
  func replace(_ previous: PreviousRecord, with body: [UInt8]?) throws(VaultError) {
    let old = previous.encoded
    let wasThere = try editor.replace(at: .item(previous.key), with: body) {
      $0.kind == RecordKind.previousSecret && $0.body == old
    }
    guard wasThere else {
      throw VaultError(.damaged, "a previous secret is where no lookup finds it")
    }
  }

  /// Returns the previous secret of an item that equals a secret, expired or not; nil if there is
  /// none.
  func previous(
    of item: Item, sameAs secret: Secret
  ) throws(VaultError) -> PreviousRecord? {
    for previous in try editor.previousSecrets(of: item) where try isSame(previous, secret) {
      return previous
    }
    return nil
  }

  /// Returns the expiry that the item had with a previous secret; nil if the item never had that
  /// secret.
  package func expiry(
    ofPrevious secret: Secret, of item: Item
  ) throws(VaultError) -> Timestamp?? {
    try previous(of: item, sameAs: secret).map(\.expires)
  }

  func isSame(_ previous: PreviousRecord, _ secret: Secret) throws(VaultError) -> Bool {
    // One of another length need not be opened.
    guard previous.secretCount == secret.count else { return false }
    do throws(VaultError) {
      return try editor.secret(of: previous).isEqual(to: secret)
    } catch {
      // A damaged one is kept unchanged, and does not block changes of its item.
      guard error.code == .damaged else { throw error }
      return false
    }
  }
}

/// The number of previous secrets that items keep.
extension FileTransaction {
  /// The number of previous secrets that each item keeps.
  package var historyLimit: Int { Int(editor.head.historyLimit) }

  /// Sets the number of previous secrets that each item keeps; surplus ones are removed at once,
  /// the oldest first.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` unless it is one of ``PreviousSecret/limits``.
  package func setHistoryLimit(_ limit: Int) throws(VaultError) {
    guard PreviousSecret.limits.contains(limit) else {
      throw VaultError(
        .invalidArgument,
        "an item keeps \(PreviousSecret.limits.lowerBound) to \(PreviousSecret.limits.upperBound) "
          + "previous secrets, not \(limit)")
    }
    let before = historyLimit
    editor.head.historyLimit = UInt8(limit)
    guard limit < before else { return }
    for history in try editor.histories(longerThan: limit) {
      for previous in history.dropFirst(limit) { try remove(previous) }
    }
  }
}
