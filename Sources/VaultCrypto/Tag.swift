/// The last 16 bytes of a sealed value, by which a parent identifies its child.
///
/// All zeros mean "no row". Source: `Documentation/format.md` §§1 and 5.2.
package struct Tag: Hashable, Sendable {
  package static let byteCount = 16
  package static let none = Tag(low: 0, high: 0)

  package let low: UInt64
  package let high: UInt64

  package init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// Creates the tag of a sealed value; ``none`` if it is too short to have one.
  package init(ofSealed sealed: [UInt8]) {
    guard sealed.count >= Self.byteCount else {
      self = .none
      return
    }
    self.init(sealed, at: sealed.count - Self.byteCount)
  }

  /// Creates a tag from the 16 bytes at `offset`, which must be in `bytes`.
  package init(_ bytes: [UInt8], at offset: Int) {
    low = UInt64(littleEndianIn: bytes, at: offset)
    high = UInt64(littleEndianIn: bytes, at: offset + 8)
  }

  /// Returns the bytes of tags, one after another.
  package static func bytes(of tags: [Tag]) -> [UInt8] {
    // The library writes the count of an empty array, which all threads share.
    guard !tags.isEmpty else { return [] }
    let size = tags.count * byteCount
    // Each tag's 16 bytes are written at its own place.
    return unsafe [UInt8](unsafeUninitializedCapacity: size) { output, initialized in
      let bytes = UnsafeMutableRawBufferPointer(output)
      for (index, tag) in tags.enumerated() {
        let start = index * byteCount
        unsafe bytes.storeBytes(of: tag.low.littleEndian, toByteOffset: start, as: UInt64.self)
        unsafe bytes.storeBytes(of: tag.high.littleEndian, toByteOffset: start + 8, as: UInt64.self)
      }
      initialized = size
    }
  }

  /// Appends the 16 bytes.
  package func append(to bytes: inout [UInt8]) {
    low.appendLittleEndian(to: &bytes)
    high.appendLittleEndian(to: &bytes)
  }
}

extension FixedWidthInteger {
  /// Creates the integer at `offset`, which must be in `bytes`.
  @inlinable
  package init(littleEndianIn bytes: [UInt8], at offset: Int) {
    precondition(offset >= 0 && offset + MemoryLayout<Self>.size <= bytes.count)
    var value: Self = 0
    for index in (offset..<offset + MemoryLayout<Self>.size).reversed() {
      value = value << 8 | Self(truncatingIfNeeded: bytes[index])
    }
    self = value
  }

  /// Appends the integer in little-endian order.
  @inlinable
  package func appendLittleEndian(to bytes: inout [UInt8]) {
    // The number's bytes, which are valid in the closure.
    unsafe withUnsafeBytes(of: littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }
}

extension [UInt8] {
  /// Writes a number in little-endian order over the 8 bytes at `offset`.
  mutating func store(_ number: UInt64, at offset: Int) {
    precondition(offset >= 0 && offset + 8 <= count)
    // The range is in the array, as was checked above.
    unsafe withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt64.self)
    }
  }

  /// Calls `body` with the bytes as a span.
  package func withSpan<R: ~Copyable, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    // A view of bytes, which has no padding; the array outlives the call.
    try unsafe body(span.bytes)
  }
}
