import VaultReports
package import SealedTree
import SecureMemory
import VaultCrypto
package import VaultModel

/// Moving items unchanged: between stores, and from backups.
extension FileTransaction {
  /// Removes an item for another store, and returns it with its secrets and times, expired or not.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  package func take(
    _ id: ItemID, hint: Item.Key
  ) throws(VaultError) -> Item {
    let record = try record(id, hint: hint)
    let item = try opened(record)
    try remove(record)
    try log(.moved, record.item)
    return item
  }

  /// Adds an item unchanged, with its times, and with its id unless another item has that by now.
  ///
  /// - Returns: The stored item, without its secrets.
  /// - Throws: ``VaultError/Code/duplicateItem`` with the item that has the same key.
  @discardableResult
  package func put(_ item: Item) throws(VaultError) -> Item {
    try item.validate()
    try requireDates(item)
    var item = item
    if try editor.item(item.id, hint: item.key) != nil { item.id = ItemID() }
    try insert(&item)
    try log(.added, item)
    return item.withoutSecrets
  }

  /// Adds an item with its times, and a new id unless it has one.
  ///
  /// Unlike ``put(_:)`` it looks for no item of the same id, which takes a search of the whole file
  /// if there is none: many items are added in one transaction.
  ///
  /// - Parameters:
  ///   - item: The item, which gets its id and revision.
  ///   - variant: A key of the same host and account that no other item may have either.
  /// - Throws: As ``put(_:)``, also for an item with the key `variant`.
  package func addDated(_ item: inout Item, besides variant: Item.Key?) throws(VaultError) {
    try item.validate()
    try requireDates(item)
    if item.id == .unset { item.id = ItemID() }
    try insert(&item, besides: variant)
    try log(.imported, item)
  }

  private func requireDates(_ item: Item) throws(VaultError) {
    guard max(item.created, item.modified, item.secretChanged) <= SealedNumber.lastMoment else {
      throw VaultError(.invalidArgument, "created, modified: after the year 9999")
    }
  }

  /// Changes only an item's retention and the age of its secret.
  ///
  /// - Returns: The stored item, without its secrets.
  /// - Throws: ``VaultError/Code/itemNotFound``.
  @discardableResult
  package func keep(
    _ id: ItemID, hint: Item.Key, until deadline: Timestamp?,
    since changed: Timestamp? = nil
  ) throws(VaultError) -> Item {
    var record = try record(id, hint: hint)
    let changed = changed ?? record.item.secretChanged
    guard record.item.keptUntil != deadline || record.item.secretChanged != changed else {
      return record.item
    }
    record.item.keptUntil = deadline
    record.item.secretChanged = changed
    record.item.revision = try revision
    try replace(record.item, with: record.encoded)
    try log(.modified, record.item, [.keptUntil])
    return record.item
  }

  /// Restores an item from a copy of a vault: over the one with its key, else as a new one.
  ///
  /// Its history is not restored; a secret that it replaces becomes the newest one in the current
  /// history.
  ///
  /// - Parameters:
  ///   - copy: The item's record in the copy; its fields unknown to this version are restored too.
  ///   - item: The item, with its secrets.
  ///   - place: Returns where it belongs.
  /// - Returns: The stored item, without its secrets; with them if it belongs elsewhere.
  /// - Throws: The errors of `place`; ``VaultError/Code/damaged`` if a bucket on the way to it is
  ///   damaged.
  package func restore(
    _ copy: ItemRecord, _ item: Item,
    place: (Item) throws(VaultError) -> Placement
  ) throws(VaultError) -> Modified {
    var record = copy
    record.item.revision = try revision
    record.item.modified = now
    let present = try find(ItemQuery(key: item.key)).first { $0.key == item.key }
    if let present {
      record.item.id = present.id
      let changed = record.item.secretChanged
      record.item.created = present.created
      record.item.secretChanged = changed
      record.item.modified = max(now, present.modified)
    } else if try editor.item(item.id, hint: item.key) != nil {
      // It has another key by now, and stays under that.
      record.item.id = ItemID()
    }
    guard case .here(let until) = try place(record.item) else {
      var moved = record.item
      moved.storedSecret = item.storedSecret
      moved.takeFurtherSecrets(of: item)
      return Modified(item: moved, isHere: false)
    }
    record.item.keptUntil = until
    if let present { try makePrevious(self.record(present.id, hint: present.key), for: item) }
    try seal(item.storedSecret, into: &record)
    sealFurtherSecrets(of: item, into: &record)
    if let present {
      try replace(present, with: record.encoded)
      note(.modified(VaultEvent.Subject(record.item)))
    } else {
      try editor.insert(Record(kind: RecordKind.item, body: record.encoded), at: .item(item.key))
      try editor.countItems(1)
      note(.added(VaultEvent.Subject(record.item)))
    }
    try log(.restored, record.item)
    return Modified(item: record.item, isHere: true)
  }

  /// Moves the present secret to the history before a restore.
  private func makePrevious(
    _ record: ItemRecord, for item: Item
  ) throws(VaultError) {
    var present = record.item
    do throws(VaultError) {
      present = try opened(record)
    } catch {
      // The item may be restored because its secret is lost, which then cannot become a previous
      // one.
      guard error.code == .damaged else { throw error }
    }
    guard !present.hasSameSecret(as: item) || present.storedSecret == nil else {
      return discard(record.largeSecret)
    }
    let back = try previous(of: record.item, sameAs: item.storedSecret ?? Secret(""))
    try updateHistory(
      of: record, replacing: (old: present.storedSecret ?? Secret(""), back: back),
      key: record.item.key)
  }
}
