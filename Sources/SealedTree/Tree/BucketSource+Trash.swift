import VaultCrypto
package import VaultModel

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
    try visit(PartialRoute(query)) { (kind, bytes, body) throws(VaultError) in
      guard kind == RecordKind.removedItem else { return .next }
      let removed = try RemovedRecord(decoding: bytes, body)
      guard query.rank(of: removed.record.item, at: clock.now()) != nil, isWanted(removed) else {
        return .next
      }
      found.append(removed)
      if found.count / 2 >= limit { found.keepNewest(limit) }
      return .next
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
