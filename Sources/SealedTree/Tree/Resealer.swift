package import VaultCrypto
package import VaultModel

/// Reseals records from one epoch's keys to another's, in place: no length changes.
///
/// Source: `Documentation/format.md` §6.8.
package struct Resealer {
  let old: EpochKeys
  let new: EpochKeys
  /// Moves a large secret, and returns its new row.
  let moveLargeSecret: (ItemRecord.LargeSecret) throws(VaultError) -> ItemRecord.LargeSecret

  package init(
    old: EpochKeys, new: EpochKeys,
    moveLargeSecret: @escaping (ItemRecord.LargeSecret) throws(VaultError) -> ItemRecord.LargeSecret
  ) {
    self.old = old
    self.new = new
    self.moveLargeSecret = moveLargeSecret
  }

  /// Reseals every secret of a bucket's records.
  ///
  /// - Parameter content: The content of a bucket. After an error it must not be used.
  /// - Throws: ``VaultError/Code/damaged``; ``VaultError/Code/tooNew`` for a sealed field in a
  ///   record of an unknown kind, which nobody could open afterwards.
  package func reseal(_ content: inout [UInt8]) throws(VaultError) {
    var position = 0
    while position < content.count {
      let kind = content[position]
      position += 1
      let count = Int(try content.varint(at: &position, end: content.count))
      guard count <= content.count - position else {
        throw FieldReader.damaged("a record's length is wrong")
      }
      try reseal(&content, kind, position..<position + count)
      position += count
    }
  }

  private func reseal(
    _ content: inout [UInt8], _ kind: UInt8, _ body: Range<Int>
  ) throws(VaultError) {
    var item: ItemID?
    var position = body.lowerBound
    while position < body.upperBound {
      let tag = try content.varint(at: &position, end: body.upperBound)
      let count = Int(try content.varint(at: &position, end: body.upperBound))
      guard count <= body.upperBound - position else {
        throw FieldReader.damaged("a field's length is wrong")
      }
      let field = position..<position + count
      position = field.upperBound
      switch FieldTag(rawValue: tag) {
      case .id: item = ItemID(content, field)
      case .sealedSecret:
        let use = try secretUse(kind)
        try reseal(&content, at: field, use: use, item: item)
      case .largeSecret:
        _ = try secretUse(kind)
        let moved = try moveLargeSecret(ItemRecord.LargeSecret(decoding: content, field))
        content.replaceSubrange(field, with: moved.encoded)
      default:
        guard let attribute = Attribute(rawValue: tag), attribute.isFurtherSecret else { continue }
        _ = try secretUse(kind)
        try reseal(&content, at: field, use: SecretUse(attribute), item: item)
      }
    }
  }

  private func reseal(
    _ content: inout [UInt8], at field: Range<Int>, use: SecretUse, item: ItemID?
  ) throws(VaultError) {
    guard let item else { throw FieldReader.damaged("a secret belongs to no item") }
    try old.reseal(&content, at: field, use: use, item: item, with: new)
  }

  private func secretUse(_ kind: UInt8) throws(VaultError) -> SecretUse {
    switch kind {
    case RecordKind.item, RecordKind.removedItem: return .secret
    case RecordKind.previousSecret: return .previousSecret
    default:
      throw VaultError(.tooNew, "the vault holds secrets of a kind that this version does not know")
    }
  }
}

extension ItemID {
  /// The bytes in a record.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  /// Creates the id from a record's field; nil unless it has 16 bytes.
  package init?(_ bytes: [UInt8], _ field: Range<Int>) {
    guard field.count == 16 else { return nil }
    self.init(
      high: UInt64(littleEndianIn: bytes, at: field.lowerBound).byteSwapped,
      low: UInt64(littleEndianIn: bytes, at: field.lowerBound + 8).byteSwapped)
  }
}
