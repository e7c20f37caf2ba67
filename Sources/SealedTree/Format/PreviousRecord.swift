package import SecureMemory
import VaultCrypto
package import VaultModel

/// A previous secret in its bucket, still sealed.
///
/// Source: `Documentation/format.md` §6.4.
package struct PreviousRecord: Equatable {
  /// The key of its item, which locates it.
  package var key: Item.Key
  package let item: ItemID
  package let set: Timestamp
  package let replaced: Timestamp
  private let secretKind: SecretKind
  package let sealedSecret: [UInt8]
  package let largeSecret: ItemRecord.LargeSecret?
  package let expires: Timestamp?
  /// The certificates that belonged to the secret, so that both return together.
  private let certificates: [UInt8]
  /// The time when its item was removed, if it belongs to a removed item; nil if it belongs to an
  /// existing one.
  package var removed: Timestamp?
  package var keptUntil: Timestamp?
  private var unknown: [UnknownField] = []

  /// Creates the record of a secret that is about to be replaced, later than all before it.
  ///
  /// - Parameters:
  ///   - record: The item; the row of a large secret belongs to this record from now on.
  ///   - sealedSecret: The secret, sealed as a previous one; empty if it has its own row.
  ///   - replaced: The time of the replacement.
  package init(_ record: ItemRecord, sealedSecret: [UInt8], replaced: Timestamp) {
    key = record.item.key
    item = record.item.id
    set = record.item.secretChanged
    self.replaced = replaced
    secretKind = record.item.secretKind
    self.sealedSecret = sealedSecret
    largeSecret = record.largeSecret
    expires = record.item.expires
    keptUntil = record.item.keptUntil
    certificates = record.item.certificates
  }

  /// Creates the record of a copy's previous secret for an item of this vault.
  ///
  /// - Parameters:
  ///   - copy: The record in the copy.
  ///   - item: The item that has the secret in its history from now on.
  ///   - replaced: The time of the replacement, which no other one of the history has.
  ///   - sealedSecret: The secret, sealed for this item; empty if it has its own row.
  ///   - largeSecret: Its row.
  package init(
    _ copy: PreviousRecord, of item: Item, replaced: Timestamp,
    sealedSecret: [UInt8], largeSecret: ItemRecord.LargeSecret?
  ) {
    key = item.key
    self.item = item.id
    set = copy.set
    self.replaced = replaced
    secretKind = copy.secretKind
    self.sealedSecret = sealedSecret
    self.largeSecret = largeSecret
    expires = copy.expires
    keptUntil = copy.keptUntil
    certificates = copy.certificates
    unknown = copy.unknown
  }

  package init(decoding bytes: [UInt8], _ body: Range<Int>) throws(VaultError) {
    var key = Item.Key(authenticationMethod: .unset)
    var (item, kind) = (ItemID?.none, SecretKind.password)
    var (set, replaced) = (Timestamp?.none, Timestamp?.none)
    var (expires, removed, keptUntil) = (Timestamp?.none, Timestamp?.none, Timestamp?.none)
    var (sealedSecret, largeSecret) = ([UInt8](), ItemRecord.LargeSecret?.none)
    var certificates: [UInt8] = []
    var reader = FieldReader(bytes, body)
    while let field = try reader.next() {
      switch FieldTag(rawValue: field.tag) {
      case .some(let tag) where tag < .id: try key.read(field, tag, with: reader)
      case .id: item = ItemID(bytes, field.range)
      case .created: set = try reader.moment(field)
      case .modified: replaced = try reader.moment(field)
      case .secretKind: kind = SecretKind(rawValue: try reader.number(field))
      case .sealedSecret: sealedSecret = Array(bytes[field.range])
      case .largeSecret:
        largeSecret = try ItemRecord.LargeSecret(decoding: bytes, field.range)
      case .expires: expires = try reader.time(field)
      case .removed: removed = try reader.moment(field)
      case .keptUntil: keptUntil = try reader.time(field)
      case .certificates: certificates = Array(bytes[field.range])
      default: unknown.append(reader.unknown(field))
      }
    }
    guard let item, item != ItemID(high: 0, low: 0), let set, let replaced else {
      throw FieldReader.damaged("a previous secret has no id or time")
    }
    guard sealedSecret.isEmpty || ItemRecord.sealedSecretSizes.contains(sealedSecret.count),
      sealedSecret.isEmpty || largeSecret == nil
    else { throw FieldReader.damaged("a previous secret has the wrong size, or there are two") }
    (self.key, self.item, self.set, self.replaced) = (key, item, set, replaced)
    (secretKind, self.expires, self.keptUntil) = (kind, expires, keptUntil)
    self.removed = removed
    (self.sealedSecret, self.largeSecret) = (sealedSecret, largeSecret)
    self.certificates = certificates
  }

  package var encoded: [UInt8] {
    var writer = FieldWriter(keeping: unknown, capacity: 128 + sealedSecret.count)
    ItemRecord.put(key, into: &writer)
    writer.put(FieldTag.id, item.bytes)
    writer.put(FieldTag.created, set)
    writer.put(FieldTag.modified, replaced)
    writer.put(FieldTag.secretKind, secretKind.rawValue)
    writer.put(FieldTag.sealedSecret, sealedSecret)
    writer.put(FieldTag.largeSecret, largeSecret?.encoded ?? [])
    if let expires { writer.put(FieldTag.expires, expires) }
    if let removed { writer.put(FieldTag.removed, removed) }
    if let keptUntil { writer.put(FieldTag.keptUntil, keptUntil) }
    writer.put(FieldTag.certificates, certificates)
    return writer.finish()
  }

  /// The length of the secret in bytes, which is visible to anyone who can open the bucket.
  package var secretCount: Int {
    if let largeSecret { return Int(largeSecret.count) }
    return sealedSecret.isEmpty ? 0 : sealedSecret.count - ItemRecord.sealOverhead
  }

  /// The owner of a previous secret: an item, or a removed one.
  package struct Owner: Hashable {
    package let item: ItemID
    package let removed: Timestamp?

    package init(item: ItemID, removed: Timestamp?) {
      self.item = item
      self.removed = removed
    }
  }

  /// Whether a PIN also seals the secret.
  package var needsPIN: Bool { secretKind.needsPIN }

  package var owner: Owner { Owner(item: item, removed: removed) }

  package var id: PreviousSecret.ID { PreviousSecret.ID(item: item, replaced: replaced) }

  /// Returns the value for a caller, with or without the secret.
  package func value(secret: Secret?) -> PreviousSecret {
    PreviousSecret(
      id: id, kind: secretKind, set: set, expires: expires, keptUntil: keptUntil,
      certificates: certificates, secret: secret)
  }

  /// Returns whether it has expired; the clock is read only if necessary.
  package func isExpired(by clock: VaultClock) -> Bool {
    (expires != nil || keptUntil != nil) && value(secret: nil).isExpired(at: clock.now())
  }
}
