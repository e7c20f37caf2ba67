import VaultCrypto
package import VaultModel

/// What is left of an item as it was: a secret that was replaced, or an item that was removed.
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
  package let key: InternetPassword.Key
  /// When the secret had been set, from which a policy's lifetime counts.
  package let secretChanged: Timestamp
  /// Until when a policy lets it be kept; nil for without end.
  package let keptUntil: Timestamp?
  /// When the item was removed; nil of a previous secret whose item is there.
  package let removed: Timestamp?
  private let expires: Timestamp?
  package let largeSecret: ItemRecord.LargeSecret?
  /// The whole record: an item may have several previous secrets.
  package let body: [UInt8]

  /// Reads a record; nil if it is of another kind.
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

  /// Whether it has expired, by the item's own time or by the policy's.
  package func isExpired(at now: Timestamp) -> Bool {
    if let expires, expires <= now { return true }
    if let keptUntil, keptUntil <= now { return true }
    return false
  }
}

/// A removed item as it lies in a bucket: the item's record and when it was removed.
///
/// Its secrets are sealed as the item's were, so neither removing it nor bringing it back opens one. Source:
/// `Documentation/format.md` §6.4.
package struct RemovedRecord {
  /// As it was; only until when it is kept may have been changed since.
  package var record: ItemRecord
  package let removed: Timestamp

  package init(_ record: ItemRecord, removed: Timestamp) {
    self.record = record
    // In an item the field is one that is not known, and here it has another meaning.
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

  /// Until when it is kept, if that is so many days: no longer than the item would have been.
  package func end(days: Int) -> Timestamp {
    let end = removed.adding(.seconds(86_400 * days))
    return [end, record.item.expires, record.item.keptUntil].compactMap { $0 }.min() ?? end
  }

  /// What a caller gets of it.
  package func value(days: Int) -> RemovedItem {
    RemovedItem(id: id, item: record.item, end: end(days: days))
  }
}
