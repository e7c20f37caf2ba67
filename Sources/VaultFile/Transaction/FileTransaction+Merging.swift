package import SealedTree
import SecureMemory
package import VaultCrypto
package import VaultModel
import VaultSession

/// An item of another copy of the vault, with its secrets and previous secrets opened.
package struct MergedItem {
  let record: ItemRecord
  let item: InternetPassword
  let previous: [(record: PreviousRecord, secret: Secret)]

  /// Opens an item's secrets.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if one does not open.
  package init(_ record: ItemRecord, from reader: TreeReader) throws(VaultError) {
    self.record = record
    item = try reader.opened(record)
    var previous: [(PreviousRecord, Secret)] = []
    for old in try reader.previousSecrets(of: record.item) {
      previous.append((old, try reader.secret(of: old)))
    }
    self.previous = previous
  }
}

/// Merging another copy of the vault: its keys may be of another epoch, so everything is sealed
/// anew.
extension FileTransaction {
  /// The vault before any change of this transaction.
  package var unchanged: TreeReader { editor.base }

  /// Makes this transaction's commit the successor of another copy's head too.
  package func join(_ head: Head, tag: Tag) { editor.head.join(head, tag: tag) }

  /// Writes what becomes of an item and that of another copy, with the previous secrets of both.
  ///
  /// The secret that is not taken becomes a previous one. The caller makes sure that no other item
  /// has the key.
  ///
  /// - Parameters:
  ///   - other: The other copy's item.
  ///   - present: The vault's item; nil if it has none.
  ///   - isTaken: Whether the attributes and the secret are the other copy's.
  ///   - deadline: The end of the other item's retention.
  /// - Throws: ``VaultError/Code/damaged`` if a bucket or a secret does not open.
  package func merge(
    _ other: MergedItem, with present: InternetPassword?, isTaken: Bool, until deadline: Timestamp?
  ) throws(VaultError) {
    let old = try present.map { (item) throws(VaultError) in try record(item.id, hint: item.key) }
    let known =
      try old.map { (old) throws(VaultError) in
        try editor.previousSecrets(of: old.item)
      } ?? []
    let opened = try old.map { (old) throws(VaultError) in try self.opened(old) }
    var copy = other.record
    copy.item.keptUntil = deadline
    var new = isTaken ? copy : old ?? copy
    if isTaken || old == nil {
      new.item.id = old?.item.id ?? other.item.id
      new.item.revision = try revision
      try seal(other.item.secret, into: &new)
      seal(refreshToken: other.item.refreshToken, into: &new)
    }
    let current = isTaken ? other.item.secret : opened?.secret ?? other.item.secret

    var history = known
    for previous in other.previous where previous.secret.count > 0 {
      try add(previous.record, previous.secret, to: &history, of: new.item)
    }
    if let old, let opened, !opened.hasSameSecret(as: other.item) {
      // The winner's secret is current; the other one is the newest of the history.
      let (record, secret) = isTaken ? (old, opened.secret) : (copy, other.item.secret)
      let newest = history.map(\.replaced).max()?.adding(milliseconds: 1) ?? now
      try add(
        PreviousRecord(record, sealedSecret: [], replaced: max(now, newest)), secret, to: &history,
        of: new.item)
    }
    try settle(&history, without: current)
    try write(history, instead: known, of: old?.item, at: new.item.key)

    guard isTaken || old == nil else { return }
    if let old {
      discard(old.largeSecret)
      try replace(old.item, with: new)
      note(.modified(VaultEvent.Subject(new.item)))
    } else {
      try editor.insert(Record(kind: RecordKind.item, body: new.encoded), at: .item(new.item.key))
      try editor.countItems(1)
      note(.added(VaultEvent.Subject(new.item)))
    }
  }

  /// Adds a secret to a history, unless that has it already.
  private func add(
    _ previous: PreviousRecord, _ secret: Secret?, to history: inout [PreviousRecord],
    of item: InternetPassword
  ) throws(VaultError) {
    guard let secret, secret.count > 0 else { return }
    // The copies share the past from before they parted.
    for known in history {
      if known.set == previous.set && known.replaced == previous.replaced { return }
      if try isSame(known, secret) { return }
    }
    var replaced = previous.replaced
    while history.contains(where: { $0.replaced == replaced }) {
      replaced = replaced.adding(milliseconds: 1)
    }
    guard replaced <= SealedNumber.lastMoment else {
      throw VaultError(.damaged, "the history of item \(item.id) is at the end of time")
    }
    let isLarge = secret.count > EpochKeys.longestInlineSecret
    history.append(
      PreviousRecord(
        previous, of: item, replaced: replaced,
        sealedSecret: isLarge ? [] : keys.seal(secret, use: .previousSecret, item: item.id),
        largeSecret: isLarge ? try editor.addLargeSecret(secret) : nil))
  }

  /// Drops the current secret from a history, and the oldest ones beyond the limit.
  private func settle(
    _ history: inout [PreviousRecord], without current: Secret?
  ) throws(VaultError) {
    history.sort { $0.replaced > $1.replaced }
    var kept: [PreviousRecord] = []
    for previous in history {
      var isCurrent = false
      if let current { isCurrent = try isSame(previous, current) }
      if isCurrent || kept.count >= historyLimit() {
        discard(previous.largeSecret)
      } else {
        kept.append(previous)
      }
    }
    history = kept
  }

  /// Writes a history in place of another one, under a key.
  private func write(
    _ history: [PreviousRecord], instead known: [PreviousRecord], of old: InternetPassword?,
    at key: InternetPassword.Key
  ) throws(VaultError) {
    let isMoved = old.map { $0.key != key } ?? false
    for previous in known where isMoved || !history.contains(previous) { try take(previous) }
    for var previous in history where isMoved || !known.contains(previous) {
      previous.key = key
      try editor.insert(
        Record(kind: RecordKind.previousSecret, body: previous.encoded), at: .item(key))
    }
  }
}
