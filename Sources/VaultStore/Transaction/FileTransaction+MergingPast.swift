package import SealedTree
import SecureMemory
import VaultCrypto
package import VaultModel

/// Merging the trash of another copy.
extension FileTransaction {
  /// Adds an item of another copy to the trash, with its previous secrets, unless its retention is
  /// already over.
  ///
  /// - Parameters:
  ///   - other: The other copy's item, live or removed.
  ///   - time: The time of its removal, by which copies recognize it; nil for now.
  ///   - deadline: The end of its retention.
  /// - Throws: ``VaultError/Code/damaged`` if a bucket does not open.
  package func addToTrash(
    _ other: MergedItem, removed time: Timestamp?, until deadline: Timestamp?
  ) throws(VaultError) {
    var record = other.record
    record.item.keptUntil = deadline
    record.item.revision = try revision
    try addToTrash(record, other.item, other.previous, removed: time)
  }

  /// Adds a state of an item to the trash, sealed again.
  func addToTrash(
    _ record: ItemRecord, _ opened: Item, _ previous: [MergedPrevious],
    removed time: Timestamp?
  ) throws(VaultError) {
    let key = record.item.key
    let time = try removalTime(ofKey: key, time)
    var removed = RemovedRecord(record, removed: time)
    guard removed.end(days: trashDays) > now, time <= SealedNumber.lastMoment else { return }
    try seal(opened.storedSecret, into: &removed.record)
    sealFurtherSecrets(of: opened, into: &removed.record)
    try editor.insert(
      Record(kind: RecordKind.removedItem, body: removed.encoded), at: .item(key))
    var history: [PreviousRecord] = []
    try add(previous, to: &history, of: record.item)
    try settle(&history, of: record.item, without: opened.storedSecret)
    try write(history.owned(at: time), instead: [], of: nil, at: key)
    try trimTrash(of: key)
  }
}

/// Merging the histories of another copy.
extension FileTransaction {
  /// Adds previous secrets of another copy to the history of an item, or of a removed one.
  ///
  /// - Parameters:
  ///   - previous: The other copy's history.
  ///   - record: The vault's item.
  ///   - owner: Whether it is an item or a removed one.
  /// - Throws: ``VaultError/Code/damaged`` if a bucket or a secret does not open.
  package func addHistory(
    _ previous: [MergedPrevious], to record: ItemRecord, _ owner: PreviousRecord.Owner
  ) throws(VaultError) {
    let known = try editor.previousSecrets(of: owner, record.item.key)
    var history = known
    try add(previous, to: &history, of: record.item)
    guard history.count > known.count else { return }
    try settle(&history, of: record.item, without: opened(record).storedSecret)
    try write(history.owned(at: owner.removed), instead: known, of: nil, at: record.item.key)
  }

  /// Adds previous secrets from outside of any vault to the history of an item.
  ///
  /// - Parameters:
  ///   - previous: The secrets with their times; one without a secret is left out.
  ///   - item: The vault's item.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/damaged`` if a bucket or a
  ///   secret does not open.
  package func addHistory(
    _ previous: [PreviousSecret], to item: Item
  ) throws(VaultError) {
    let record = try record(item.id, hint: item.key)
    let known = try editor.previousSecrets(of: item)
    var history = known
    for previous in previous {
      var old = record
      old.item.secretChanged = previous.set
      old.item.secretKind = previous.kind
      old.item.expires = previous.expires
      old.item.keptUntil = previous.keptUntil
      old.item.certificates = previous.certificates
      try add(
        PreviousRecord(old, sealedSecret: [], replaced: previous.replaced), previous.storedSecret,
        to: &history, of: item)
    }
    try settle(&history, of: record.item, without: opened(record).storedSecret)
    try write(history, instead: known, of: nil, at: item.key)
  }

  func add(
    _ previous: [MergedPrevious], to history: inout [PreviousRecord], of item: Item
  ) throws(VaultError) {
    for previous in previous where previous.secret.count > 0 {
      try add(previous.record, previous.secret, to: &history, of: item)
    }
  }

  /// Adds a secret to a history, unless that has it already.
  func add(
    _ previous: PreviousRecord, _ secret: Secret?, to history: inout [PreviousRecord],
    of item: Item
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

  /// Drops the current secret from an item's history, and the oldest ones beyond the limit; also
  /// those in clear if the item needs a PIN, which would be worth nothing beside them.
  func settle(
    _ history: inout [PreviousRecord], of item: Item, without current: Secret?
  ) throws(VaultError) {
    history.sort { $0.replaced > $1.replaced }
    var kept: [PreviousRecord] = []
    for previous in history {
      var isCurrent = false
      if let current { isCurrent = try isSame(previous, current) }
      let isOpen = item.needsPIN && !previous.needsPIN
      if isCurrent || isOpen || kept.count >= historyLimit {
        discard(previous.largeSecret)
      } else {
        kept.append(previous)
      }
    }
    history = kept
  }

  /// Writes a history in place of another one, under a key.
  func write(
    _ history: [PreviousRecord], instead known: [PreviousRecord], of old: Item?,
    at key: Item.Key
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

extension [PreviousRecord] {
  /// Returns the records as those of an item that was removed at a time; nil for an item.
  fileprivate func owned(at removed: Timestamp?) -> [PreviousRecord] {
    map { previous in
      var previous = previous
      previous.removed = removed
      return previous
    }
  }
}
