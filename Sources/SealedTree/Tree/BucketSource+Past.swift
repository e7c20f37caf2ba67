package import SecureMemory
import VaultCrypto
package import VaultModel

/// Finding previous secrets among records.
extension BucketSource {
  /// Returns the previous secrets of an item, the newest first; an expired one is never opened.
  package func history(
    of item: Item, withSecrets: Bool
  ) throws(VaultError) -> [PreviousSecret] {
    var history: [PreviousSecret] = []
    for previous in try previousSecrets(of: item) {
      history.append(try value(of: previous, withSecrets: withSecrets))
    }
    return history
  }

  /// Returns one previous secret of an item, opened unless it has expired, without opening others.
  package func previousSecret(
    _ id: PreviousSecret.ID, of item: Item
  ) throws(VaultError) -> PreviousSecret {
    guard let previous = try previousSecrets(of: item).first(where: { $0.id == id }) else {
      throw VaultError(.itemNotFound, "the item \(item.id) has no such previous secret")
    }
    return try value(of: previous, withSecrets: true)
  }

  private func value(
    of previous: PreviousRecord, withSecrets: Bool
  ) throws(VaultError) -> PreviousSecret {
    let isOpened = withSecrets && !previous.isExpired(by: clock)
    return previous.value(secret: isOpened ? try secret(of: previous) : nil)
  }

  /// Returns the secret of a record, expired or not.
  package func secret(of previous: PreviousRecord) throws(VaultError) -> Secret {
    if let large = previous.largeSecret { return try secret(large) }
    guard !previous.sealedSecret.isEmpty else { return Secret("") }
    return try keys.open(previous.sealedSecret[...], use: .previousSecret, item: previous.item)
  }

  /// Returns the records of an item's previous secrets, the newest first.
  package func previousSecrets(of item: Item) throws(VaultError) -> [PreviousRecord] {
    try previousSecrets(of: PreviousRecord.Owner(item: item.id, removed: nil), item.key)
  }

  /// Returns the histories that exceed a limit, of items and removed items, the newest secret
  /// first.
  package func histories(longerThan limit: Int) throws(VaultError) -> [[PreviousRecord]] {
    var items: [PreviousRecord.Owner: (key: Item.Key, count: Int)] = [:]
    let kind = RecordKind.previousSecret
    try visit(PartialRoute(), kind: kind, prefix: []) { (_, bytes, body) throws(VaultError) in
      let previous = try PreviousRecord(decoding: bytes, body)
      items[previous.owner, default: (previous.key, 0)].count += 1
    }
    var histories: [[PreviousRecord]] = []
    for (owner, item) in items where item.count > limit {
      histories.append(try previousSecrets(of: owner, item.key))
    }
    return histories
  }

  /// Returns the records of an owner with a key, the newest first; those of a removed item are
  /// never an item's.
  package func previousSecrets(
    of owner: PreviousRecord.Owner, _ key: Item.Key
  ) throws(VaultError) -> [PreviousRecord] {
    var found: [PreviousRecord] = []
    let prefix = ItemRecord.keyPrefix(key) + FieldWriter.field(owner.item)
    let (known, kind) = (PartialRoute(key), RecordKind.previousSecret)
    try visit(known, kind: kind, prefix: prefix) { (_, bytes, body) throws(VaultError) in
      let previous = try PreviousRecord(decoding: bytes, body)
      if previous.owner == owner { found.append(previous) }
    }
    found.sort { $0.replaced > $1.replaced }
    return found
  }
}

extension PartialRoute {
  /// Creates the complete route of an item with a key.
  fileprivate init(_ key: Item.Key) {
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

/// Finding removed items among records. They have the item's route, but lookups of items ignore
/// them.
extension BucketSource {
  /// Returns the removed items that match a query and are wanted, the last one removed first.
  ///
  /// It never holds many more of them than the query's limit.
  package func removedItems(
    matching query: ItemQuery, where isWanted: (RemovedRecord) -> Bool = { _ in true }
  ) throws(VaultError) -> [RemovedRecord] {
    let limit = query.limit ?? .max
    guard limit > 0 else { return [] }
    var found: [RemovedRecord] = []
    let (known, kind) = (PartialRoute(query), RecordKind.removedItem)
    try visit(known, kind: kind, prefix: known.itemPrefix) {
      (_, bytes, body) throws(VaultError) in
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

  /// Returns the records of a removed item's previous secrets, the newest first.
  package func previousSecrets(of removed: RemovedRecord) throws(VaultError) -> [PreviousRecord] {
    let owner = PreviousRecord.Owner(item: removed.record.item.id, removed: removed.removed)
    return try previousSecrets(of: owner, removed.record.item.key)
  }
}

extension [RemovedRecord] {
  fileprivate mutating func keepNewest(_ limit: Int) {
    // Items removed in one step are ordered by their ids.
    sort { left, right in
      left.removed == right.removed
        ? left.record.item.id < right.record.item.id : left.removed > right.removed
    }
    if count > limit { removeSubrange(limit...) }
  }
}
