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
  package let key: InternetPassword.Key
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
