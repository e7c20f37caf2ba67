import VaultReports
import SealedTree
import SecureMemory
package import VaultModel

/// Undoing a change of an item in a later transaction.
extension FileTransaction {
  /// An item as it was, with its previous secrets.
  package struct SavedItem: Sendable {
    /// The item, with its secrets.
    package let item: Item
    fileprivate let record: ItemRecord
    fileprivate let previous: [(record: PreviousRecord, secret: Secret)]
  }

  /// Returns an item as it is now, to be put back after a change.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  package func saved(_ id: ItemID, hint: Item.Key) throws(VaultError) -> SavedItem {
    let record = try record(id, hint: hint)
    let previous = try editor.previousSecrets(of: record.item).map {
      (previous) throws(VaultError) in (previous, try editor.secret(of: previous))
    }
    return SavedItem(item: try opened(record), record: record, previous: previous)
  }

  /// Puts an item back as it was, with its revision and its history.
  ///
  /// - Parameters:
  ///   - saved: The item.
  ///   - revision: The revision that the change left; nil if it removed the item.
  /// - Throws: ``VaultError/Code/duplicateItem`` if another item has its key;
  ///   ``VaultError/Code/itemNotFound`` if the changed item is gone; ``VaultError/Code/conflict``
  ///   if it was changed again.
  package func putBack(_ saved: SavedItem, after revision: UInt64?) throws(VaultError) {
    var record = saved.record
    let (id, key) = (record.item.id, record.item.key)
    if let revision {
      let changed = try self.record(id, hint: key)
      try changed.item.require(revision: revision)
      try remove(changed)
    }
    let place = try editor.place(of: .item(key))
    try requireUnique(key, except: nil, at: place)
    guard try editor.item(id, hint: key) == nil else {
      throw VaultError(.duplicateItem, "an item has the id \(id) already")
    }
    // A long secret has a row of its own, which was removed.
    try seal(saved.item.storedSecret, into: &record)
    try editor.insert(Record(kind: RecordKind.item, body: record.encoded), at: .item(key))
    try editor.countItems(1)
    var history: [PreviousRecord] = []
    for (previous, secret) in saved.previous {
      try add(previous, secret, to: &history, of: record.item)
    }
    try write(history, instead: [], of: nil, at: key)
    try log(.restored, record.item)
  }
}
