/// The identity of an item: 16 random bytes that never change, even if its key does.
public struct ItemID: Hashable, Comparable, Sendable {
  /// The first eight bytes, big-endian.
  package let high: UInt64
  /// The last eight bytes, big-endian.
  package let low: UInt64

  /// Takes the two halves of the 16 bytes, each big-endian.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates a new identity from the system's random numbers.
  public init() {
    var generator = SystemRandomNumberGenerator()
    self.init(using: &generator)
  }

  /// Creates a new identity from the given random numbers.
  public init(using generator: inout some RandomNumberGenerator) {
    high = generator.next()
    low = generator.next()
  }

  /// Reads the 16 bytes of ``high`` and ``low``.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` for any other number of bytes.
  package init(bytes: RawSpan) throws(VaultError) {
    guard bytes.byteCount == 16 else {
      throw VaultError(.invalidData, "an item's identity has 16 bytes")
    }
    // SAFETY: the 16 bytes were counted above, and both reads lie inside them.
    (high, low) = unsafe bytes.withUnsafeBytes { buffer in
      unsafe (
        UInt64(bigEndian: buffer.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: buffer.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }

  /// Returns whether the first's bytes, and so its text, sort first.
  public static func < (left: ItemID, right: ItemID) -> Bool {
    left.high == right.high ? left.low < right.low : left.high < right.high
  }
}
