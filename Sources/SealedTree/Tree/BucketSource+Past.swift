package import SecureMemory
import VaultCrypto
package import VaultModel

/// Finding previous secrets among records.
extension BucketSource {
  /// The secrets that an item had before, the newest first; one that has expired is never opened.
  package func history(
    of item: InternetPassword, secrets: Bool
  ) throws(VaultError) -> [PreviousSecret] {
    var history: [PreviousSecret] = []
    for previous in try previousSecrets(of: item) {
      history.append(try value(of: previous, secrets: secrets))
    }
    return history
  }

  /// One secret that an item had before, opened unless it has expired; no other one is.
  package func previousSecret(
    _ id: PreviousSecret.ID, of item: InternetPassword
  ) throws(VaultError) -> PreviousSecret {
    guard let previous = try previousSecrets(of: item).first(where: { $0.id == id }) else {
      throw VaultError(.itemNotFound, "the item \(item.id) has no such previous secret")
    }
    return try value(of: previous, secrets: true)
  }

  private func value(
    of previous: PreviousRecord, secrets: Bool
  ) throws(VaultError) -> PreviousSecret {
    let isOpened = secrets && !previous.isExpired(by: clock)
    return previous.value(secret: isOpened ? try secret(of: previous) : nil)
  }

  /// The secret of a record, expired or not.
  package func secret(of previous: PreviousRecord) throws(VaultError) -> Secret {
    if let large = previous.largeSecret { return try secret(large) }
    guard !previous.sealedSecret.isEmpty else { return Secret("") }
    return try keys.open(previous.sealedSecret[...], use: .previousSecret, item: previous.item)
  }

  /// The records of the secrets that an item had before, the newest first.
  package func previousSecrets(of item: InternetPassword) throws(VaultError) -> [PreviousRecord] {
    try previousSecrets(of: PreviousRecord.Owner(item: item.id, removed: nil), item.key)
  }

  /// What items have of previous secrets, removed ones too, the newest of each first, where it is more than so many.
  package func histories(longerThan limit: Int) throws(VaultError) -> [[PreviousRecord]] {
    var items: [PreviousRecord.Owner: (key: InternetPassword.Key, count: Int)] = [:]
    try visit(PartialRoute()) { (kind, bytes, body) throws(VaultError) in
      guard kind == RecordKind.previousSecret else { return }
      let previous = try PreviousRecord(decoding: bytes, body)
      items[previous.owner, default: (previous.key, 0)].count += 1
    }
    var histories: [[PreviousRecord]] = []
    for (owner, item) in items where item.count > limit {
      histories.append(try previousSecrets(of: owner, item.key))
    }
    return histories
  }

  /// The records of an owner with a key, the newest first: what a removed item had is never the item's of its id.
  package func previousSecrets(
    of owner: PreviousRecord.Owner, _ key: InternetPassword.Key
  ) throws(VaultError) -> [PreviousRecord] {
    var found: [PreviousRecord] = []
    let prefix = ItemRecord.keyPrefix(key) + FieldWriter.field(owner.item)
    try visit(PartialRoute(key)) { (kind, bytes, body) throws(VaultError) in
      guard kind == RecordKind.previousSecret, bytes.has(prefix, at: body) else { return }
      let previous = try PreviousRecord(decoding: bytes, body)
      if previous.owner == owner { found.append(previous) }
    }
    found.sort { $0.replaced > $1.replaced }
    return found
  }
}

extension PartialRoute {
  /// The whole route of an item with a key.
  fileprivate init(_ key: InternetPassword.Key) {
    self.init()
    let route = Route.item(key)
    (host, account, rest) = (route.key(level: 0), route.key(level: 1), route.key(level: 2))
  }
}

extension TreeReader {
  /// Checks that a previous secret would open.
  ///
  /// - Throws: ``VaultError/Code/damaged``.
  package func check(_ previous: PreviousRecord) throws(VaultError) {
    guard !previous.sealedSecret.isEmpty else {
      _ = try secret(of: previous)
      return
    }
    try keys.check(previous.sealedSecret[...], use: .previousSecret, item: previous.item)
  }
}

/// Finding removed items among records. They lie at the route of the item, and no lookup of items meets them.
extension BucketSource {
  /// The removed items that match a query and are wanted, the one that was removed last first.
  ///
  /// Never holds many more of them than the query's limit.
  package func removedItems(
    matching query: ItemQuery, where isWanted: (RemovedRecord) -> Bool = { _ in true }
  ) throws(VaultError) -> [RemovedRecord] {
    let limit = query.limit ?? .max
    guard limit > 0 else { return [] }
    var found: [RemovedRecord] = []
    try visit(PartialRoute(query)) { (kind, bytes, body) throws(VaultError) in
      guard kind == RecordKind.removedItem else { return }
      let removed = try RemovedRecord(decoding: bytes, body)
      guard query.rank(of: removed.record.item, at: clock.now()) != nil, isWanted(removed) else {
        return
      }
      found.append(removed)
      if found.count / 2 >= limit { found.keepNewest(limit) }
    }
    found.keepNewest(limit)
    return found
  }

  /// The records of the secrets that a removed item had before, the newest first.
  package func previousSecrets(of removed: RemovedRecord) throws(VaultError) -> [PreviousRecord] {
    let owner = PreviousRecord.Owner(item: removed.record.item.id, removed: removed.removed)
    return try previousSecrets(of: owner, removed.record.item.key)
  }
}

extension [RemovedRecord] {
  fileprivate mutating func keepNewest(_ limit: Int) {
    // Of two that were removed in one step, the order is theirs.
    sort { left, right in
      left.removed == right.removed
        ? left.record.item.id < right.record.item.id : left.removed > right.removed
    }
    if count > limit { removeSubrange(limit...) }
  }
}
