import VaultCrypto
package import VaultModel

/// An item's past: a secret that was replaced, or an item that was removed.
///
/// Source: `Documentation/format.md` §6.4.
package struct PastRecord: Sendable {
  package enum Kind: Sendable {
    case previousSecret
    case removedItem
  }

  package let kind: Kind
  /// The item's id.
  package let id: ItemID
  /// The item's key.
  package let key: Item.Key
  /// The time when the secret was set, from which a policy's lifetime counts.
  package let secretChanged: Timestamp
  /// The end of the retention that a policy allows; nil without end.
  package let keptUntil: Timestamp?
  /// The time of the item's removal; nil for a previous secret of an existing item.
  package let removed: Timestamp?
  private let expires: Timestamp?
  package let largeSecret: ItemRecord.LargeSecret?
  /// The whole record: an item may have several previous secrets.
  package let body: [UInt8]

  /// Reads a record; nil if it has another kind.
  package init?(kind: UInt8, _ bytes: [UInt8], _ range: Range<Int>) throws(VaultError) {
    switch kind {
    case RecordKind.previousSecret:
      let record = try PreviousRecord(decoding: bytes, range)
      self.kind = .previousSecret
      (id, key, secretChanged) = (record.item, record.key, record.set)
      (keptUntil, expires, largeSecret) = (record.keptUntil, record.expires, record.largeSecret)
      removed = record.removed
    case RecordKind.removedItem:
      let removed = try RemovedRecord(decoding: bytes, range)
      let record = removed.record
      self.kind = .removedItem
      self.removed = removed.removed
      (id, key, secretChanged) = (record.item.id, record.item.key, record.item.secretChanged)
      (keptUntil, expires) = (record.item.keptUntil, record.item.expires)
      largeSecret = record.largeSecret
    default: return nil
    }
    body = Array(bytes[range])
  }

  package var recordKind: UInt8 {
    kind == .previousSecret ? RecordKind.previousSecret : RecordKind.removedItem
  }

  /// Returns whether it has expired, by the item's own time or by the policy's.
  package func isExpired(at now: Timestamp) -> Bool {
    if let expires, expires <= now { return true }
    if let keptUntil, keptUntil <= now { return true }
    return false
  }
}

/// A removed item in its bucket: the item's record and the time of removal.
///
/// Its secrets are sealed as the item's were, so neither removal nor restoration opens one. Source:
/// `Documentation/format.md` §6.4.
package struct RemovedRecord {
  /// The item's record, unchanged except that its retention may have been changed since.
  package var record: ItemRecord
  package let removed: Timestamp

  package init(_ record: ItemRecord, removed: Timestamp) {
    self.record = record
    // In an item, the field would be an unknown one; here it has another meaning.
    self.record.dropRemoved()
    self.removed = removed
  }

  package init(decoding bytes: [UInt8], _ body: Range<Int>) throws(VaultError) {
    var record = try ItemRecord(decoding: bytes, body)
    guard let removed = try record.takeRemoved() else {
      throw FieldReader.damaged("a removed item has no time of removal")
    }
    (self.record, self.removed) = (record, removed)
  }

  package var encoded: [UInt8] { record.encoded(removed: removed) }

  package var id: RemovedItem.ID { RemovedItem.ID(item: record.item.id, removed: removed) }

  /// Returns the end of its retention for a number of days, at most that of the item itself.
  package func end(days: Int) -> Timestamp {
    let end = removed.adding(.seconds(86_400 * days))
    return [end, record.item.expires, record.item.keptUntil].compactMap { $0 }.min() ?? end
  }

  /// Returns the same of a record that is not read otherwise: each write looks at all of its
  /// buckets.
  ///
  /// - Throws: ``VaultError/Code/damaged``.
  package static func end(of body: [UInt8], days: Int) throws(VaultError) -> Timestamp {
    var (removed, end) = (Timestamp?.none, Timestamp?.none)
    var reader = FieldReader(body, 0..<body.count)
    while let field = try reader.next() {
      switch FieldTag(rawValue: field.tag) {
      case .removed: removed = try reader.moment(field)
      case .expires, .keptUntil:
        let time = try reader.time(field)
        end = min(end ?? time, time)
      default: continue
      }
    }
    guard let removed else {
      throw FieldReader.damaged("a removed item has no time of removal")
    }
    let last = removed.adding(.seconds(86_400 * days))
    return min(end ?? last, last)
  }

  /// Returns the value for a caller.
  package func value(days: Int) -> RemovedItem {
    RemovedItem(id: id, item: record.item, restorableUntil: end(days: days))
  }
}
