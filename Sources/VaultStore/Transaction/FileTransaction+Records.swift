import SealedTree
import SecureMemory
import VaultCrypto
package import VaultModel

/// The parts of item changes: records, and their secrets.
extension FileTransaction {
  /// Adds an item as a new record, and gives it its revision.
  ///
  /// - Throws: ``VaultError/Code/duplicateItem`` with the item that has the same key.
  func insert(
    _ item: inout Item, besides variant: Item.Key? = nil
  ) throws(VaultError) {
    item.persistence = .permanent
    let place = try editor.place(of: .item(item.key))
    try requireUnique(item.key, except: nil, at: place)
    if let variant {
      try requireUnique(variant, except: nil, at: editor.place(of: .item(variant), near: place))
    }
    item.revision = try revision
    // No secret that the item itself has is encoded.
    var record = ItemRecord(item)
    try seal(item.storedSecret, into: &record)
    if item.hasFurtherSecrets { sealFurtherSecrets(of: item, into: &record) }
    try editor.insert(Record(kind: RecordKind.item, body: record.encoded), at: place)
    try editor.countItems(1)
  }

  func remove(_ record: ItemRecord) throws(VaultError) {
    try removeHistory(of: record.item)
    discard(record.largeSecret)
    try replace(record.item, with: nil)
    try editor.countItems(-1)
  }

  /// Checks that no other item has a key; the error's candidates are the other item and then the
  /// item itself.
  func requireUnique(
    _ key: Item.Key, except item: Item?, at place: TreeEditor.Place
  ) throws(VaultError) {
    guard let other = try self.item(key, at: place), other.id != item?.id else { return }
    throw VaultError(
      .duplicateItem, "an item with the same key exists already",
      candidates: item.map { [other, $0] } ?? [other])
  }

  /// Returns the stored item with a key; nil if there is none.
  ///
  /// Unlike ``find(_:withSecrets:)`` it decodes no other record of the bucket, and does not make
  /// the bytes of a bucket that was edited: every add asks for the item of the other port.
  package func stored(_ key: Item.Key) throws(VaultError) -> Item? {
    try item(key, at: editor.place(of: .item(key)))
  }

  private func item(
    _ key: Item.Key, at place: TreeEditor.Place
  ) throws(VaultError) -> Item? {
    // Most hosts have no other item, and then no bytes of a key are needed.
    guard place.mayHold(RecordKind.item) else { return nil }
    for body in place.bodies(of: RecordKind.item, beginningWith: ItemRecord.keyPrefix(key)) {
      let item = try ItemRecord(decoding: body, 0..<body.count).item
      // The bytes are also a prefix of longer keys.
      if item.key == key { return item }
    }
    return nil
  }

  func replace(_ old: Item, with record: ItemRecord) throws(VaultError) {
    guard record.item.key == old.key else {
      try replace(old, with: nil)
      try editor.insert(
        Record(kind: RecordKind.item, body: record.encoded), at: .item(record.item.key))
      return
    }
    try replace(old, with: record.encoded)
  }

  func replace(
    _ item: Item, with body: [UInt8]?, as kind: UInt8? = nil
  ) throws(VaultError) {
    let prefix = ItemRecord.keyPrefix(item.key) + FieldWriter.field(item.id)
    let wasThere = try editor.replace(at: .item(item.key), with: body, as: kind) {
      $0.kind == RecordKind.item && $0.body.has(prefix, at: 0..<$0.body.count)
    }
    guard wasThere else { throw VaultError(.itemNotFound, "no item has the id \(item.id)") }
  }

  // MARK: Secrets

  /// Seals a secret into a record.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if there is no row left for a large secret.
  func seal(_ secret: Secret?, into record: inout ItemRecord) throws(VaultError) {
    record.sealedSecret = []
    record.largeSecret = nil
    guard let secret, secret.count > 0 else { return }
    guard secret.count > EpochKeys.longestInlineSecret else {
      record.sealedSecret = keys.seal(secret, use: .secret, item: record.item.id)[...]
      return
    }
    record.largeSecret = try editor.addLargeSecret(secret)
  }

  /// Seals the further secrets of an item that was read with them into a record.
  func sealFurtherSecrets(of item: Item, into record: inout ItemRecord) {
    for attribute in Attribute.furtherSecrets {
      let sealed = item[secret: attribute].map {
        keys.seal($0, use: SecretUse(attribute), item: record.item.id)
      }
      record.set(attribute, sealed: sealed?[...])
    }
  }

  func discard(_ large: ItemRecord.LargeSecret?) {
    if let large { editor.remove(large) }
  }
}
