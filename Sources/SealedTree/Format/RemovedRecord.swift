import VaultCrypto
package import VaultModel

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

  /// Returns the value for a caller.
  package func value(days: Int) -> RemovedItem {
    RemovedItem(id: id, item: record.item, end: end(days: days))
  }
}
