package import VaultModel

/// The state that two copies of an item share if neither was changed, read without the rest of the
/// record: copies of a million items are compared by it.
package struct ItemState {
  package let id: ItemID
  /// A hash of the key, the id, the times and the revision: copies that diverged may have counted
  /// to the same revision.
  package let hash: Int

  /// - Throws: ``VaultError/Code/damaged`` if the record has no id, or is malformed before it.
  package init(decoding bytes: [UInt8], _ body: Range<Int>) throws(VaultError) {
    var reader = FieldReader(bytes, body)
    var id: ItemID?
    var end = body.lowerBound
    while let field = try reader.next(), field.tag <= FieldTag.revision.rawValue {
      if field.tag == FieldTag.id.rawValue { id = try reader.id(field) }
      end = field.range.upperBound
    }
    guard let id else { throw FieldReader.damaged("an item has no id") }
    self.id = id
    var hasher = Hasher()
    // The slice is valid inside the closure, which reads no more than it.
    unsafe bytes[body.lowerBound..<end].withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    hash = hasher.finalize()
  }
}
