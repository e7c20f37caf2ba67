import VaultReports
package import SealedTree
import VaultCrypto
package import VaultModel

/// Removed items, which stay sealed in the file for a while with their previous secrets.
///
/// They stay in the item's bucket, so a write there finds the outdated ones without a search.
extension FileTransaction {
  // MARK: Removing

  package func remove(
    _ id: ItemID, hint: Item.Key, revision: UInt64? = nil
  ) throws(VaultError) {
    try remove(id, hint: hint, revision: revision, removal: .recoverable)
  }

  /// Removes an item, and leaves it in the trash with the secrets that it had before.
  ///
  /// It is removed completely if it has expired, if the policy would not keep it in the file, or if
  /// the trash keeps nothing.
  ///
  /// - Parameters:
  ///   - id: The item.
  ///   - hint: The last known key of the item.
  ///   - revision: The revision that the item must have; nil for any.
  ///   - removal: Whether it can be restored afterwards.
  ///   - time: When it was removed, in another copy; nil for now.
  /// - Throws: As ``StoreTransaction/remove(_:hint:revision:)``; also ``VaultError/Code/damaged``
  ///   if no time is left for it in the trash.
  package func remove(
    _ id: ItemID, hint: Item.Key, revision: UInt64? = nil, removal: Removal,
    removed time: Timestamp? = nil
  ) throws(VaultError) {
    let record = try record(id, hint: hint)
    try record.item.require(revision: revision)
    var isKept = false
    if !isPermanent(removal) { isKept = try putIntoTrash(record, time) }
    if !isKept { try remove(record) }
    try log(isKept ? .removed : .purged, record.item)
    note(.removed(VaultEvent.Subject(record.item)))
  }

  /// Returns whether nothing stays of what is removed or replaced in this way.
  package func isPermanent(_ removal: Removal) -> Bool {
    switch removal {
    case .recoverable: false
    case .permanent: true
    case .ofProgram: !keepsForPrograms
    }
  }

  /// Moves an item to the trash; returns false if nothing of it may be kept.
  private func putIntoTrash(
    _ record: ItemRecord, _ time: Timestamp?
  ) throws(VaultError) -> Bool {
    let item = record.item
    var removed = RemovedRecord(record, removed: try removalTime(ofKey: item.key, time))
    if let decision = try decision(about: item) {
      guard decision.granted == .permanent else { return false }
      removed.record.item.keptUntil =
        [item.keptUntil, decision.expires].compactMap { $0 }.min()
    }
    guard trashDays > 0, removed.end(days: trashDays) > now else { return false }
    guard removed.removed <= SealedNumber.lastMoment else {
      throw VaultError(.damaged, "what was removed before item \(item.id) is at the end of time")
    }
    for previous in try editor.previousSecrets(of: item) {
      try replace(previous, owner: removed.removed)
    }
    try replace(item, with: removed.encoded, as: RecordKind.removedItem)
    try editor.countItems(-1)
    try trimTrash(of: item.key)
    return true
  }

  /// Returns the time of a removal, its identity among those of a key.
  ///
  /// Without a given one it is the latest of all, since it also decides which one is the oldest.
  func removalTime(
    ofKey key: Item.Key, _ given: Timestamp?
  ) throws(VaultError) -> Timestamp {
    let others = try removedItems(of: key).map(\.removed)
    guard var time = given else {
      return max(now, others.first?.adding(milliseconds: 1) ?? now)
    }
    while others.contains(time) { time = time.adding(milliseconds: 1) }
    return time
  }

  /// Removes the oldest removed items of a key beyond the limit.
  func trimTrash(of key: Item.Key) throws(VaultError) {
    for oldest in try removedItems(of: key).dropFirst(RemovedItem.limitOfKey) {
      try remove(oldest)
    }
  }

  /// Returns the policy's decision about keeping the item in the file; nil if the policy cannot be
  /// read.
  private func decision(
    about item: Item
  ) throws(VaultError) -> PersistencePolicy.Decision? {
    do throws(VaultError) {
      return try policy().decide(item.key, requested: .permanent, now: item.secretChanged)
    } catch {
      // Removing needs no policy, and the item was kept until now.
      guard [.tooNew, .damaged].contains(error.code) else { throw error }
      return nil
    }
  }

  // MARK: Finding

  /// Returns the removed items that match and can be restored, the last one removed first.
  package func trash(_ query: ItemQuery) throws(VaultError) -> [RemovedItem] {
    try editor.trash(query, days: trashDays, at: now)
  }

  /// Returns the removed items of a key, the last one removed first.
  private func removedItems(of key: Item.Key) throws(VaultError) -> [RemovedRecord] {
    let place = try editor.place(of: .item(key))
    let prefix = ItemRecord.keyPrefix(key)
    var found: [RemovedRecord] = []
    for body in place.bodies(of: RecordKind.removedItem, beginningWith: prefix) {
      let removed = try RemovedRecord(decoding: body, 0..<body.count)
      // The bytes are also a prefix of longer keys.
      if removed.record.item.key == key { found.append(removed) }
    }
    found.sort { $0.removed > $1.removed }
    return found
  }

  /// Returns the current state of one of ``trash(_:)``, with or without its secrets.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is not in the trash, or not any more.
  package func item(
    _ removed: RemovedItem, withSecrets: Bool = false
  ) throws(VaultError) -> Item {
    let record = try record(of: removed).record
    return withSecrets ? try opened(record) : record.item
  }

  private func record(of item: RemovedItem) throws(VaultError) -> RemovedRecord {
    let known = try removedItems(of: item.item.key).first { $0.id == item.id }
    guard let known, known.end(days: trashDays) > now else {
      throw VaultError(.itemNotFound, "the item \(item.id.item) is not in the trash")
    }
    return known
  }

  // MARK: Restoring

  /// Restores a removed item unchanged, with its previous secrets; only its revision is new.
  ///
  /// - Parameters:
  ///   - item: One of ``trash(_:)``.
  ///   - deadline: The end of its retention.
  /// - Returns: The restored item, without its secrets.
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is not in the trash, or not any more;
  ///   ``VaultError/Code/duplicateItem`` with the item that has its key, or its id.
  package func restore(
    _ item: RemovedItem, until deadline: Timestamp?
  ) throws(VaultError) -> Item {
    let (removed, key) = (try record(of: item), item.item.key)
    try requireUnique(key, except: nil, at: editor.place(of: .item(key)))
    // It may have been restored from a backup meanwhile, and then given another key.
    if let other = try editor.item(item.id.item, hint: key)?.item {
      throw VaultError(
        .duplicateItem, "an item with the same id exists already", candidates: [other])
    }
    var record = removed.record
    record.item.revision = try revision
    record.item.keptUntil = deadline
    for previous in try editor.previousSecrets(of: removed) { try replace(previous, owner: nil) }
    try replace(removed, with: record.encoded, as: RecordKind.item)
    try editor.countItems(1)
    try log(.restored, record.item)
    note(.added(VaultEvent.Subject(record.item)))
    return record.item
  }

  // MARK: Emptying

  /// The number of days for which a removed item is kept.
  package var trashDays: Int { Int(editor.head.trashDays) }

  /// Sets the number of days for which removed items are kept; older ones are removed at once.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` unless it is one of ``RemovedItem/dayLimits``.
  package func setTrashDays(_ days: Int) throws(VaultError) {
    let limits = RemovedItem.dayLimits
    guard limits.contains(days) else {
      throw VaultError(
        .invalidArgument,
        "removed items are kept for \(limits.lowerBound) to \(limits.upperBound) days, not \(days)")
    }
    let before = trashDays
    editor.head.trashDays = UInt16(days)
    if days < before { try sweep() }
  }

  /// Whether what programs remove and replace can be restored.
  package var keepsForPrograms: Bool {
    get { editor.head.keepsForPrograms }
    set { editor.head.keepsForPrograms = newValue }
  }

  /// Removes removed items that match for good, with their previous secrets.
  ///
  /// - Returns: The number of those that could still have been restored.
  package func emptyTrash(_ query: ItemQuery) throws(VaultError) -> Int {
    let found = try editor.removedItems(matching: query)
    let count = found.count { $0.end(days: trashDays) > now }
    for removed in found { try purge(removed) }
    return count
  }

  /// Removes one removed item for good, with its previous secrets.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is no longer there.
  package func remove(_ removed: RemovedItem) throws(VaultError) {
    try purge(record(of: removed))
  }

  private func purge(_ removed: RemovedRecord) throws(VaultError) {
    try remove(removed)
    try log(.purged, removed.record.item)
  }

  /// Removes every removed item whose retention has ended.
  package func sweep() throws(VaultError) {
    for removed in try editor.removedItems(matching: .everything)
    where removed.end(days: trashDays) <= now {
      try remove(removed)
    }
  }

  /// Removes outdated removed items from the buckets that are written anyway.
  ///
  /// So a full trash does not make a write slower, and an empty one costs nothing.
  func sweepInPassing() throws(VaultError) {
    for body in editor.editedBodies(of: RecordKind.removedItem) {
      let removed: RemovedRecord
      do throws(VaultError) {
        guard try RemovedRecord.end(of: body, days: trashDays) <= now else { continue }
        removed = try RemovedRecord(decoding: body, 0..<body.count)
      } catch {
        // A malformed one is kept unchanged, and does not block writes beside it.
        guard error.code == .damaged else { throw error }
        continue
      }
      try remove(removed)
    }
  }

  func remove(_ removed: RemovedRecord) throws(VaultError) {
    for previous in try editor.previousSecrets(of: removed) { try remove(previous) }
    try replace(removed, with: nil)
    discard(removed.record.largeSecret)
  }

  private func replace(
    _ removed: RemovedRecord, with body: [UInt8]?, as kind: UInt8? = nil
  ) throws(VaultError) {
    let old = removed.encoded
    let wasThere = try editor.replace(at: .item(removed.record.item.key), with: body, as: kind) {
      $0.kind == RecordKind.removedItem && $0.body == old
    }
    guard wasThere else {
      throw VaultError(.damaged, "a removed item is where no lookup finds it")
    }
  }

  /// Assigns a previous secret to the item removed at a time, or to the existing item.
  private func replace(_ previous: PreviousRecord, owner removed: Timestamp?) throws(VaultError) {
    var moved = previous
    moved.removed = removed
    try replace(previous, with: moved.encoded)
  }
}

extension BucketSource {
  /// Returns the removed items that match and can be restored at a time, the last one removed
  /// first.
  package func trash(
    _ query: ItemQuery, days: Int, at now: Timestamp
  ) throws(VaultError) -> [RemovedItem] {
    try removedItems(matching: query) { $0.end(days: days) > now }.map { $0.value(days: days) }
  }
}
