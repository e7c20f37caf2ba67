package import SealedTree
import SecureMemory
import VaultCrypto
package import VaultModel
package import VaultSession

/// Items that come and go as they are: between stores, and from backups.
extension FileTransaction {
  /// Removes an item for another store, and returns it with its secrets and times, expired or not.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  package func take(
    _ id: ItemID, hint: InternetPassword.Key
  ) throws(VaultError) -> InternetPassword {
    let record = try record(id, hint: hint)
    let item = try opened(record)
    try remove(record)
    return item
  }

  /// Adds an item as it is, with its times; with its id, too, unless another item has that by now.
  ///
  /// - Returns: The item as it is now, without its secrets.
  /// - Throws: ``VaultError/Code/duplicateItem`` with the item that has the same key.
  @discardableResult
  package func put(_ item: InternetPassword) throws(VaultError) -> InternetPassword {
    try item.validate()
    guard max(item.created, item.modified, item.secretChanged) <= SealedNumber.lastMoment else {
      throw VaultError(.invalidArgument, "created, modified: after the year 9999")
    }
    var item = item
    if try editor.item(item.id, hint: item.key) != nil { item.id = ItemID() }
    return try insert(item).withoutSecrets
  }

  /// Changes until when an item is kept, and how old its secret is, and nothing else of it.
  ///
  /// - Returns: The item as it is now, without its secrets.
  /// - Throws: ``VaultError/Code/itemNotFound``.
  @discardableResult
  package func keep(
    _ id: ItemID, hint: InternetPassword.Key, until deadline: Timestamp?,
    since changed: Timestamp? = nil
  ) throws(VaultError) -> InternetPassword {
    var record = try record(id, hint: hint)
    let changed = changed ?? record.item.secretChanged
    guard record.item.keptUntil != deadline || record.item.secretChanged != changed else {
      return record.item
    }
    record.item.keptUntil = deadline
    record.item.secretChanged = changed
    record.item.revision = try revision
    try replace(record.item, with: record.encoded)
    return record.item
  }

  /// Brings an item back from a copy of a vault: over the one that has its key, else as a new one.
  ///
  /// Its history is not brought back: a secret that it replaces here becomes the newest of the history here.
  ///
  /// - Parameters:
  ///   - copy: The item's record there; what this version does not know of it is brought back too.
  ///   - item: The item, with its secrets.
  ///   - place: Says where it belongs.
  /// - Returns: The item as it is now, without its secrets; with them if it belongs elsewhere.
  /// - Throws: What `place` throws; ``VaultError/Code/damaged`` if what lies on the way to it is.
  package func restore(
    _ copy: ItemRecord, _ item: InternetPassword,
    place: (InternetPassword) throws(VaultError) -> Placement
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
      // It was given another key since, and lives on under that.
      record.item.id = ItemID()
    }
    guard case .here(let until) = try place(record.item) else {
      var moved = record.item
      moved.secret = item.secret
      moved.refreshToken = item.refreshToken
      return Modified(item: moved, isHere: false)
    }
    record.item.keptUntil = until
    if let present { try makePrevious(self.record(present.id, hint: present.key), for: item) }
    try seal(item.secret, into: &record)
    seal(refreshToken: item.refreshToken, into: &record)
    if let present {
      try replace(present, with: record.encoded)
      note(.modified(VaultEvent.Subject(record.item)))
    } else {
      try editor.insert(Record(kind: RecordKind.item, body: record.encoded), at: .item(item.key))
      try editor.countItems(1)
      note(.added(VaultEvent.Subject(record.item)))
    }
    return Modified(item: record.item, isHere: true)
  }

  /// Makes room for the secret of a restored item.
  private func makePrevious(
    _ record: ItemRecord, for item: InternetPassword
  ) throws(VaultError) {
    var present = record.item
    do throws(VaultError) {
      present = try opened(record)
    } catch {
      // It is restored perhaps because its secret is lost, which is then no previous one either.
      guard error.code == .damaged else { throw error }
    }
    guard !present.hasSameSecret(as: item) || present.secret == nil else {
      return discard(record.largeSecret)
    }
    let back = try previous(of: record.item, sameAs: item.secret ?? Secret(""))
    try updateHistory(
      of: record, replacing: (old: present.secret ?? Secret(""), back: back),
      key: record.item.key)
  }
}
