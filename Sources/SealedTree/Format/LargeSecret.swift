package import VaultCrypto
package import VaultModel

extension ItemRecord {
  /// A row with a secret that is too long for a bucket.
  package struct LargeSecret: Equatable {
    static let byteCount = 28
    static let counts: ClosedRange<UInt32> = 1025...1 << 20
    package let id: UInt64
    package let tag: Tag
    package let count: UInt32

    package init(id: UInt64, tag: Tag, count: UInt32) {
      self.id = id
      self.tag = tag
      self.count = count
    }
  }
}

extension ItemRecord.LargeSecret {
  package init(decoding bytes: [UInt8], _ range: Range<Int>) throws(VaultError) {
    guard range.count == Self.byteCount else {
      throw FieldReader.damaged("a large secret's reference has the wrong size")
    }
    id = UInt64(littleEndianIn: bytes, at: range.lowerBound)
    tag = Tag(bytes, at: range.lowerBound + 8)
    count = UInt32(littleEndianIn: bytes, at: range.lowerBound + 24)
    guard (NodeID.firstLargeSecret + 1..<NodeID.firstAncestors).contains(id),
      Self.counts.contains(count)
    else {
      throw FieldReader.damaged("a large secret's row or length is out of bounds")
    }
  }

  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    id.appendLittleEndian(to: &bytes)
    tag.append(to: &bytes)
    count.appendLittleEndian(to: &bytes)
    return bytes
  }
}
