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
  public func hasPrefix(_ text: String) -> Bool {
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
