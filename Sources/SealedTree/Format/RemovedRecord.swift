import VaultCrypto
package import VaultModel

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
