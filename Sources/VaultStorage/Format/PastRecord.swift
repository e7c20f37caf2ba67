import VaultCrypto
package import VaultModel

/// What is left of an item as it was: a secret that was replaced, or an item that was removed.
///
/// Source: `Documentation/format.md` §6.4.
package struct PastRecord: Sendable {
  package enum Kind: Sendable {
    case previousSecret
    case removedItem
  }

  package let kind: Kind
  /// The item's id.
  package private(set) var id = ItemID(high: 0, low: 0)
  /// The item's key.
  package private(set) var key = InternetPassword.Key(authenticationMethod: .unset)
  /// When the secret had been set, from which a policy's lifetime counts.
  package private(set) var secretChanged = Timestamp(milliseconds: 0)
  private(set) var largeSecret: ItemRecord.LargeSecret?
  /// The whole record: an item may have several previous secrets.
  let body: [UInt8]

  /// Reads a record; nil if it is of another kind.
  init?(kind: UInt8, _ bytes: [UInt8], _ range: Range<Int>) throws(VaultError) {
    switch kind {
    case RecordKind.previousSecret: self.kind = .previousSecret
    case RecordKind.removedItem: self.kind = .removedItem
    default: return nil
    }
    body = Array(bytes[range])
    var reader = FieldReader(bytes, range)
    while let field = try reader.next() {
      guard let tag = FieldTag(rawValue: field.tag) else { continue }
      if tag < .id {
        try key.read(field, tag, with: reader)
        continue
      }
      switch tag {
      case .id: id = ItemID(bytes, field.range) ?? id
      // What had been set at first and never changed has no other time.
      case .created, .secretChanged:
        secretChanged = Timestamp(milliseconds: try reader.number(field))
      case .largeSecret:
        largeSecret = try ItemRecord.LargeSecret(decoding: bytes, field.range)
      default: continue
      }
    }
    guard id != ItemID(high: 0, low: 0), secretChanged.milliseconds != 0 else {
      throw FieldReader.damaged("a previous secret or removed item has no id or time")
    }
  }

  var recordKind: UInt8 {
    kind == .previousSecret ? RecordKind.previousSecret : RecordKind.removedItem
  }
}
