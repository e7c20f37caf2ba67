import Glibc

/// The identity of an item: 16 random bytes that never change, even if its key does.
public struct ItemID: Hashable, Comparable, Sendable {
  /// The first eight bytes, big-endian.
  package let high: UInt64
  /// The last eight bytes, big-endian.
  package let low: UInt64

  /// The identity of an item that no store has given one yet: the system's random numbers are the
  /// slowest part of making an item.
  package static let unset = ItemID(high: 0, low: 0)

  /// Takes the two halves of the 16 bytes, each big-endian.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates a new identity from the system's random numbers.
  public init() {
    var halves: (UInt64, UInt64) = (0, 0)
    // One call of the system for both, which fails only for more than 256 bytes.
    let result = unsafe getentropy(&halves, 16)
    precondition(result == 0, "the system has no random numbers")
    (high, low) = halves
  }

  /// Creates a new identity from the given random numbers.
  package init(using generator: inout some RandomNumberGenerator) {
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

extension ItemID: CustomStringConvertible {
  /// The identity as 26 characters of Crockford's base 32 in lower case, which sort like the bytes.
  ///
  /// - Source: crockford.com/base32.html; the first character holds the topmost three bits.
  public var text: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.textCount)
    for index in 0..<Self.textCount { bytes.append(Self.alphabet[Int(digit(at: index))]) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The value of ``text``.
  public var description: String { text }

  /// Reads the value of ``text``.
  ///
  /// As Crockford defines it, upper case equals lower case, `i` and `l` equal `1`, and `o` equals
  /// `0`.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is not 26 characters of the alphabet that
  ///   make 16 bytes.
  public init(text: String) throws(VaultError) {
    var high: UInt64 = 0
    var low: UInt64 = 0
    var isValid = text.utf8.count == Self.textCount
    for (index, character) in text.utf8.enumerated() where isValid {
      guard let digit = Self.value(of: character), index > 0 || digit < 8 else {
        isValid = false
        break
      }
      high = high << 5 | low >> 59
      low = low << 5 | UInt64(digit)
    }
    guard isValid else {
      throw VaultError(.invalidArgument, "an item's identity has 26 characters of base 32")
    }
    self.init(high: high, low: low)
  }

  /// Returns whether the identity's text begins with this text, read as by ``init(text:)``.
  ///
  /// Every identity begins with the empty text.
  package func hasPrefix(_ text: String) -> Bool {
    guard text.utf8.count <= Self.textCount else { return false }
    return text.utf8.enumerated().allSatisfy { index, character in
      Self.value(of: character) == digit(at: index)
    }
  }

  /// Returns the five bits of a character of the text, counted from the front.
  private func digit(at index: Int) -> UInt8 {
    let shift = 5 * (Self.textCount - 1 - index)
    let bits: UInt64
    if shift >= 64 {
      bits = high >> UInt64(shift - 64)
    } else {
      // A shift by 64 gives 0 in Swift, which is right if no bit of `high` belongs to it.
      bits = low >> UInt64(shift) | high << UInt64(64 - shift)
    }
    return UInt8(truncatingIfNeeded: bits & 31)
  }

  private static func value(of character: UInt8) -> UInt8? {
    let folded: UInt8
    switch character.lowercasedASCII {
    case UInt8(ascii: "i"), UInt8(ascii: "l"): folded = UInt8(ascii: "1")
    case UInt8(ascii: "o"): folded = UInt8(ascii: "0")
    case let other: folded = other
    }
    return alphabet.firstIndex(of: folded).map { UInt8($0) }
  }

  private static let textCount = 26

  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
}
