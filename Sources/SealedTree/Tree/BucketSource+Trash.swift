import VaultCrypto
package import VaultModel

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
