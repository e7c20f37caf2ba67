import VaultReports
package import SealedTree
import SecureMemory
package import VaultModel

/// An item of another copy of the vault, with its secrets and previous secrets opened.
package struct MergedItem {
  let record: ItemRecord
  let item: Item
  let previous: [MergedPrevious]

  /// Opens an item's secrets.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if one does not open.
  package init(_ record: ItemRecord, from reader: TreeReader) throws(VaultError) {
    try self.init(
      record, PreviousRecord.Owner(item: record.item.id, removed: nil), from: reader)
  }

  /// Opens a removed item's secrets.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if one does not open.
  package init(_ removed: RemovedRecord, from reader: TreeReader) throws(VaultError) {
    try self.init(
      removed.record, PreviousRecord.Owner(item: removed.id.item, removed: removed.removed),
      from: reader)
  }

  private init(
    _ record: ItemRecord, _ owner: PreviousRecord.Owner, from reader: TreeReader
  ) throws(VaultError) {
    self.record = record
    item = try reader.opened(record)
    previous = try MergedPrevious.all(of: owner, record.item.key, from: reader)
  }
}

/// A previous secret of another copy of the vault, opened.
package struct MergedPrevious {
  let record: PreviousRecord
  let secret: Secret

  /// Opens the previous secrets of an item, or of a removed one.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if one does not open.
  package static func all(
    of owner: PreviousRecord.Owner, _ key: Item.Key, from reader: TreeReader
  ) throws(VaultError) -> [MergedPrevious] {
    var all: [MergedPrevious] = []
    for record in try reader.previousSecrets(of: owner, key) {
      all.append(MergedPrevious(record: record, secret: try reader.secret(of: record)))
    }
    return all
  }
}

/// Merging another copy of the vault: its keys may be of another epoch, so everything is sealed
/// again.
extension FileTransaction {
  /// The vault before any change of this transaction.
  package var unchanged: TreeReader { editor.base }

  /// Makes this transaction's commit the successor of another copy's head too.
  package func join(_ head: Head, _ history: Ancestry) { editor.join(head, history) }

  /// Writes what becomes of an item and that of another copy, with the previous secrets of both.
  ///
  /// The secret that is not taken becomes a previous one. A history has no further secrets: if both
  /// copies changed the item, the state that loses one goes to the trash as a whole. The
  /// caller makes sure that no other item has the key.
  ///
  /// - Parameters:
  ///   - other: The other copy's item.
  ///   - present: The vault's item; nil if it has none.
  ///   - isTaken: Whether the attributes and the secret are the other copy's.
  ///   - isConflict: Whether both copies changed the item.
  ///   - deadline: The end of the other item's retention.
  /// - Throws: ``VaultError/Code/damaged`` if a bucket or a secret does not open.
  package func merge(
    _ other: MergedItem, with present: Item?, isTaken: Bool, isConflict: Bool = false,
    until deadline: Timestamp?
  ) throws(VaultError) {
    let old = try present.map { (item) throws(VaultError) in try record(item.id, hint: item.key) }
    let known =
      try old.map { (old) throws(VaultError) in
        try editor.previousSecrets(of: old.item)
      } ?? []
    let opened = try old.map { (old) throws(VaultError) in try self.opened(old) }
    var copy = other.record
    copy.item.keptUntil = deadline
    copy.item.revision = try revision
    var new = isTaken ? copy : old ?? copy
    if isTaken || old == nil {
      new.item.id = old?.item.id ?? other.item.id
      try seal(other.item.storedSecret, into: &new)
      sealFurtherSecrets(of: other.item, into: &new)
    }
    let current =
      isTaken ? other.item.storedSecret : opened?.storedSecret ?? other.item.storedSecret

    var history = known
    try add(other.previous, to: &history, of: new.item)
    if let old, let opened, !opened.hasSameSecret(as: other.item) {
      // The winner's secret is current; the other one is the newest of the history.
      let (record, secret) = isTaken ? (old, opened.storedSecret) : (copy, other.item.storedSecret)
      let newest = history.map(\.replaced).max()?.adding(milliseconds: 1) ?? now
      try add(
        PreviousRecord(record, sealedSecret: [], replaced: max(now, newest)), secret, to: &history,
        of: new.item)
    }
    try settle(&history, of: new.item, without: current)
    try write(history, instead: known, of: old?.item, at: new.item.key)
    if isConflict, let old, let opened {
      let (record, lost, winner) =
        isTaken ? (old, opened, other.item) : (copy, other.item, opened)
      try keepFurtherSecrets(of: lost, record, beside: winner, as: new.item.id)
    }

    guard isTaken || old == nil else { return }
    if let old {
      discard(old.largeSecret)
      try replace(old.item, with: new)
      try log(.merged, new.item)
      note(.modified(VaultEvent.Subject(new.item)))
    } else {
      try editor.insert(Record(kind: RecordKind.item, body: new.encoded), at: .item(new.item.key))
      try editor.countItems(1)
      try log(.merged, new.item)
      note(.added(VaultEvent.Subject(new.item)))
    }
  }

  /// Puts the state that is not taken into the trash if one of its further secrets would be lost.
  private func keepFurtherSecrets(
    of lost: Item, _ record: ItemRecord, beside winner: Item, as id: ItemID
  ) throws(VaultError) {
    guard lost.furtherSecrets(differingFrom: winner).contains(where: { lost[$0] != nil }) else {
      return
    }
    var record = record
    record.item.id = id
    try addToTrash(record, lost, [], removed: nil)
  }
}
