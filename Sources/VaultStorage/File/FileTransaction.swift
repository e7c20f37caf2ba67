import SecureMemory
import VaultCrypto
package import VaultModel

/// The items of a sealed file within one write transaction.
package final class FileTransaction {
  private let editor: TreeEditor
  private var keys: EpochKeys { editor.keys }

  init(_ editor: TreeEditor, isObserved: Bool = false) {
    self.editor = editor
    self.isObserved = isObserved
  }

  // MARK: Events

  /// Whether events are wanted: to make one costs more than to note that there was a change.
  private let isObserved: Bool
  /// What observers are told if the transaction is committed, in the order of the changes.
  private(set) var events: [VaultEvent] = []

  /// Notes a change; `event` is only made if somebody may be told.
  package func note(_ event: @autoclosure () -> VaultEvent) {
    if isObserved { events.append(event()) }
  }

  /// The generation that this transaction will commit.
  private var revision: UInt64 { editor.head.generation + 1 }

  // MARK: Finding

  /// The items that match, in the query's order.
  package func find(
    _ query: ItemQuery, secrets: Bool = false
  ) throws(VaultError) -> [InternetPassword] {
    try editor.items(matching: query) { (record) throws(VaultError) in
      secrets ? try opened(record) : record.item
    }
  }

  /// The item with an id, without its secret.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  package func item(_ id: ItemID, hint: InternetPassword.Key) throws(VaultError) -> InternetPassword
  {
    try record(id, hint: hint).item
  }

  /// The defaults of the spaces on a host.
  func defaults(host: Host) throws(VaultError) -> [DefaultRecord] {
    try editor.defaults(host: host)
  }

  private func record(_ id: ItemID, hint: InternetPassword.Key) throws(VaultError) -> ItemRecord {
    guard let record = try editor.item(id, hint: hint) else {
      throw VaultError(.itemNotFound, "no item has the id \(id)")
    }
    return record
  }

  private func opened(_ record: ItemRecord) throws(VaultError) -> InternetPassword {
    // A large secret of this very transaction has no row yet.
    if let large = record.largeSecret,
      let waiting = editor.largeSecrets.first(where: { $0.id == large.id })
    {
      return try editor.base.opened(
        record,
        secret: keys.openLargeSecret(waiting.sealed, id: large.id, count: Int(large.count)))
    }
    return try editor.base.opened(record)
  }

  // MARK: Changing

  /// Adds an item; one that a store gave is a copy, and gets an id of its own.
  ///
  /// - Throws: ``VaultError/Code/duplicateItem`` with the item that has the same key.
  package func add(_ item: InternetPassword) throws(VaultError) -> InternetPassword {
    var item = item
    try item.validate()
    item.applyDefaultLabel()
    if item.revision > 0 { item.id = ItemID() }
    item.persistence = .permanent
    item.created = .now()
    item.modified = item.created
    let place = try editor.place(of: .item(item.key))
    try requireUnique(item.key, except: nil, at: place)
    item.revision = revision
    var record = ItemRecord(item.withoutSecrets)
    seal(item.secret, into: &record)
    seal(refreshToken: item.refreshToken, into: &record)
    try editor.insert(Record(kind: RecordKind.item, body: record.encoded), at: place)
    editor.head.itemCount += 1
    note(.added(VaultEvent.Subject(item)))
    return item
  }

  /// Changes what is named of an item; what is not named is kept.
  ///
  /// - Returns: The item as it is now, without its secret.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/duplicateItem`` if another item has the new key.
  package func modify(
    _ id: ItemID, hint: InternetPassword.Key, _ changes: [ItemChange]
  ) throws(VaultError) -> InternetPassword {
    var record = try record(id, hint: hint)
    let old = record.item
    let namesSecret = changes.contains { if case .secret = $0 { true } else { false } }
    let namesToken = changes.contains { if case .refreshToken = $0 { true } else { false } }
    var new = namesSecret || namesToken ? try opened(record) : old
    guard new.apply(changes) else { return old }
    try new.validate()
    if new.key != old.key {
      try requireUnique(new.key, except: id, at: editor.place(of: .item(new.key)))
    }
    new.modified = max(.now(), old.modified)
    new.revision = revision
    record.item = new.withoutSecrets
    if namesSecret {
      discard(record.largeSecret)
      seal(new.secret, into: &record)
    }
    if namesToken { seal(refreshToken: new.refreshToken, into: &record) }
    try put(record, replacing: old)
    note(.modified(VaultEvent.Subject(record.item)))
    return record.item
  }

  /// Brings an item back from a copy of a vault: over the one that has its key, else as a new one.
  ///
  /// - Parameters:
  ///   - copy: The item's record there; what this version does not know of it is brought back too.
  ///   - item: The item, with its secrets.
  /// - Returns: The item as it is now, without its secret.
  /// - Throws: ``VaultError/Code/damaged`` if what lies on the way to it is.
  func restore(
    _ copy: ItemRecord, _ item: InternetPassword
  ) throws(VaultError) -> InternetPassword {
    var record = copy
    record.item.revision = revision
    record.item.modified = .now()
    let present = try find(ItemQuery(key: item.key)).first { $0.key == item.key }
    if let present {
      record.item.id = present.id
      record.item.created = present.created
      record.item.modified = max(.now(), present.modified)
      discard(try self.record(present.id, hint: present.key).largeSecret)
    } else if try editor.item(item.id, hint: item.key) != nil {
      // It was given another key since, and lives on under that.
      record.item.id = ItemID()
    }
    seal(item.secret, into: &record)
    seal(refreshToken: item.refreshToken, into: &record)
    if let present {
      try replace(present, with: record.encoded)
      note(.modified(VaultEvent.Subject(record.item)))
    } else {
      try editor.insert(Record(kind: RecordKind.item, body: record.encoded), at: .item(item.key))
      editor.head.itemCount += 1
      note(.added(VaultEvent.Subject(record.item)))
    }
    return record.item
  }

  /// Deletes an item.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  package func delete(_ id: ItemID, hint: InternetPassword.Key) throws(VaultError) {
    let record = try record(id, hint: hint)
    discard(record.largeSecret)
    try replace(record.item, with: nil)
    editor.head.itemCount -= 1
    note(.removed(VaultEvent.Subject(record.item)))
  }

  /// Makes a user the default of a space, or clears it.
  package func setDefaultUser(_ user: String?, for space: ProtectionSpace) throws(VaultError) {
    let route = Route.space(space)
    let old = try editor.defaults(host: space.host).first { $0.space == space }
    guard var record = old else {
      guard let user else { return }
      let body = DefaultRecord(space: space, user: user).encoded
      try editor.insert(Record(kind: RecordKind.defaultUser, body: body), at: route)
      note(.defaultChanged(space))
      return
    }
    if let user, record.user.utf8.elementsEqual(user.utf8) { return }
    let oldBody = record.encoded
    record.user = user ?? ""
    let wasThere = try editor.replace(at: route, with: user == nil ? nil : record.encoded) {
      $0.kind == RecordKind.defaultUser && $0.body == oldBody
    }
    guard wasThere else { throw VaultError(.damaged, "a default lies where no lookup finds it") }
    note(.defaultChanged(space))
  }

  /// The default user of a space.
  package func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    try editor.defaults(host: space.host).first { $0.space == space }?.user
  }

  // MARK: Records

  private func requireUnique(
    _ key: InternetPassword.Key, except id: ItemID?, at place: TreeEditor.Place
  ) throws(VaultError) {
    let prefix = ItemRecord.keyPrefix(key)
    for entry in place.bucket.entries
    where entry.hash ?? place.hash == place.hash && entry.record.kind == RecordKind.item
      && entry.record.body.has(prefix, at: 0..<entry.record.body.count)
    {
      let body = entry.record.body
      let other = try ItemRecord(decoding: body, 0..<body.count).item
      // A prefix of bytes is also what a key with further parts begins with.
      guard other.key == key, other.id != id else { continue }
      throw VaultError(
        .duplicateItem, "an item with the same key exists already", candidates: [other])
    }
  }

  private func put(_ record: ItemRecord, replacing old: InternetPassword) throws(VaultError) {
    guard record.item.key == old.key else {
      try replace(old, with: nil)
      try editor.insert(
        Record(kind: RecordKind.item, body: record.encoded), at: .item(record.item.key))
      return
    }
    try replace(old, with: record.encoded)
  }

  private func replace(_ item: InternetPassword, with body: [UInt8]?) throws(VaultError) {
    let prefix = ItemRecord.keyPrefix(item.key) + Self.idField(item.id)
    let wasThere = try editor.replace(at: .item(item.key), with: body) {
      $0.kind == RecordKind.item && $0.body.has(prefix, at: 0..<$0.body.count)
    }
    guard wasThere else { throw VaultError(.itemNotFound, "no item has the id \(item.id)") }
  }

  /// The field after the key: together they are the beginning of one item's record only.
  private static func idField(_ id: ItemID) -> [UInt8] {
    var bytes: [UInt8] = []
    id.append(to: &bytes)
    var writer = FieldWriter(capacity: 18)
    writer.put(FieldTag.id, bytes)
    return writer.finish()
  }

  // MARK: Secrets

  private func seal(_ secret: Secret?, into record: inout ItemRecord) {
    record.sealedSecret = []
    record.largeSecret = nil
    guard let secret, secret.count > 0 else { return }
    guard secret.count > EpochKeys.longestInlineSecret else {
      record.sealedSecret = keys.seal(secret, use: .secret, item: record.item.id)[...]
      return
    }
    let id = NodeID.firstLargeSecret + editor.head.nextLargeSecret
    editor.head.nextLargeSecret += 1
    let sealed = keys.seal(secret, id: id)
    editor.largeSecrets.append((id, sealed))
    record.largeSecret = ItemRecord.LargeSecret(
      id: id, tag: Tag(ofSealed: sealed), count: UInt32(secret.count))
  }

  private func seal(refreshToken: Secret?, into record: inout ItemRecord) {
    record.sealedRefreshToken = []
    guard let refreshToken, refreshToken.count > 0 else { return }
    record.sealedRefreshToken =
      keys.seal(refreshToken, use: .refreshToken, item: record.item.id)[...]
  }

  private func discard(_ large: ItemRecord.LargeSecret?) {
    guard let large else { return }
    editor.largeSecrets.removeAll { $0.id == large.id }
    editor.obsolete.append(large.id)
  }
}
