package import SecureMemory
package import VaultModel

/// A recovery code: 160 random bits on paper, which open a vault when every other key is lost.
///
/// Source: `Documentation/format.md` §4.3.
package struct RecoveryCode: Sendable {
  static let byteCount = 20
  /// The digits of 5 bits each; three more are for the check.
  static let digitCount = 32
  static let characterCount = 35
  static let groupSize = 5

  /// Without I, L, O and U, which are misread or form words.
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  private static let dash = UInt8(ascii: "-")

  let bytes: Secret

  /// Creates a new random code.
  package init() {
    // libsodium fills the whole buffer.
    bytes = unsafe Secret(count: Self.byteCount) { output in
      unsafe Randomness.fill(output)
    }
  }

  /// Creates a code from its bytes.
  ///
  /// - Parameter bytes: Exactly 20.
  init(bytes: Secret) {
    precondition(bytes.count == Self.byteCount)
    self.bytes = bytes
  }

  // MARK: Text

  /// Returns the code for writing down: seven groups of five characters.
  package func text() -> Secret {
    let check = Self.check(bytes)
    let groupCount = Self.characterCount / Self.groupSize
    return bytes.withRawBytes { bytes in
      // One character of each group and a dash behind each but the last fill the buffer.
      unsafe Secret(count: Self.characterCount + groupCount - 1) { output in
        for index in 0..<output.count {
          let (group, place) = index.quotientAndRemainder(dividingBy: Self.groupSize + 1)
          let digit = Self.digit(group * Self.groupSize + place, of: bytes, check: check)
          unsafe output[index] = place == Self.groupSize ? Self.dash : Self.alphabet[digit]
        }
      }
    }
  }

  /// Returns the digit at an index, highest bits first: 32 of the bytes, then 3 of the check.
  private static func digit(_ index: Int, of bytes: RawSpan, check: Int) -> Int {
    guard index < digitCount else { return check >> (5 * (characterCount - 1 - index)) & 31 }
    let (byte, bit) = (index * 5).quotientAndRemainder(dividingBy: 8)
    // Below the 20 bytes of the code; a digit that ends with a byte reads that one alone.
    let high = unsafe bytes.unsafeLoad(fromByteOffset: byte, as: UInt8.self)
    let low =
      bit > 3 ? unsafe bytes.unsafeLoad(fromByteOffset: byte + 1, as: UInt8.self) : 0
    return (Int(high) << 8 | Int(low)) >> (11 - bit) & 31
  }

  /// Reads a code as typed: any case, blanks and dashes anywhere, I and L for 1, O for 0.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` with the reason, without any part of the text.
  package init(reading text: Secret) throws(VaultError) {
    var check = 0
    // The buffer has 20 bytes, and 32 digits of 5 bits fill as many.
    bytes = try unsafe Secret(count: Self.byteCount) { (output) throws(VaultError) in
      check = try text.withRawBytes { (text) throws(VaultError) in
        try unsafe Self.decode(text, into: output)
      }
    }
    guard Self.check(bytes) == check else {
      throw VaultError(.invalidData, "a recovery code's last characters do not fit: it is mistyped")
    }
  }

  /// Fills `output` with 20 bytes, and returns the check behind them.
  @unsafe private static func decode(
    _ text: RawSpan, into output: UnsafeMutableRawBufferPointer
  ) throws(VaultError) -> Int {
    var count = 0
    var filled = 0
    var pending = 0
    // The last 15 bits: more than a byte and a digit, and at the end the check.
    var bits = 0
    for offset in 0..<text.byteCount {
      // Below the span's count.
      let character = unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      guard !isIgnored(character) else { continue }
      guard let digit = value(of: character) else {
        throw VaultError(.invalidData, "a recovery code has letters and digits only, and no U")
      }
      guard count < characterCount else { throw wrongLength }
      count += 1
      bits = (bits & 0x3FF) << 5 | digit
      guard count <= digitCount else { continue }
      pending += 5
      guard pending >= 8 else { continue }
      pending -= 8
      // 32 digits of 5 bits are 20 bytes.
      unsafe output[filled] = UInt8(truncatingIfNeeded: bits >> pending)
      filled += 1
    }
    guard count == characterCount else { throw wrongLength }
    return bits
  }

  private static var wrongLength: VaultError {
    VaultError(.invalidData, "a recovery code has \(characterCount) letters and digits")
  }

  private static func isIgnored(_ character: UInt8) -> Bool {
    switch character {
    case dash, UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
    default: false
    }
  }

  private static func value(of character: UInt8) -> Int? {
    let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
    switch isSmall ? character - 0x20 : character {
    case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
    case UInt8(ascii: "O"): return 0
    case let character: return alphabet.firstIndex(of: character)
    }
  }

  /// Returns the first 15 bits of the hash of the code.
  private static func check(_ bytes: Secret) -> Int {
    // The output buffer has exactly 16 bytes.
    let hash = bytes.withRawBytes { bytes in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe [UInt8](unsafeUninitializedCapacity: 16) { output, initialized in
          unsafe Hash.hash(bytes, into: UnsafeMutableRawBufferPointer(output), key: nil)
          initialized = 16
        }
      }
    }
    return Int(hash[0]) << 7 | Int(hash[1]) >> 1
  }
}
