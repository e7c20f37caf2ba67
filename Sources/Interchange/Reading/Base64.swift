package import SecureMemory
import VaultModel

/// Base 64 (RFC 4648 §4) of secrets, without a table that would be read at places which depend on
/// them.
package enum Base64 {
  /// Returns the decoded bytes.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` for anything but whole groups of four with their
  ///   padding.
  static func decode(_ text: Secret) throws(VaultError) -> Secret {
    try text.withRawBytes { (text) throws(VaultError) in try decode(text) }
  }

  static func decode(_ text: RawSpan) throws(VaultError) -> Secret {
    guard text.byteCount % 4 == 0 else { throw malformed }
    var padding = 0
    while padding < 2, padding < text.byteCount,
      Bytes.at(text, text.byteCount - 1 - padding) == UInt8(ascii: "=")
    { padding += 1 }
    var decoded = SecretBuffer(capacity: text.byteCount / 4 * 3)
    for start in stride(from: 0, to: text.byteCount, by: 4) {
      let isLast = start + 4 == text.byteCount
      let digits = isLast ? 4 - padding : 4
      var bits: UInt32 = 0
      for index in 0..<4 {
        guard index < digits else {
          bits <<= 6
          continue
        }
        guard let value = value(of: Bytes.at(text, start + index)) else { throw malformed }
        bits = bits << 6 | UInt32(value)
      }
      // Bits beyond the last byte would make two texts of one secret.
      guard digits == 4 || bits & (digits == 3 ? 0xFF : 0xFFFF) == 0 else { throw malformed }
      for byte in 0..<(digits - 1) {
        decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * byte)))
      }
    }
    return decoded.secret(0..<decoded.count)
  }

  /// Appends the text of bytes, with its padding.
  package static func encode(_ bytes: RawSpan, into target: inout SecretBuffer) {
    for start in stride(from: 0, to: bytes.byteCount, by: 3) {
      var bits: UInt32 = 0
      for index in 0..<3 {
        let place = start + index
        bits = bits << 8 | (place < bytes.byteCount ? UInt32(Bytes.at(bytes, place)) : 0)
      }
      for digit in 0..<4 {
        let isPadding = digit > bytes.byteCount - start
        let value = UInt8(truncatingIfNeeded: bits >> UInt32(18 - 6 * digit)) & 63
        target.append(isPadding ? UInt8(ascii: "=") : character(value))
      }
    }
  }

  private static var malformed: VaultError { VaultError(.invalidData, "not base 64") }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }

  private static func character(_ value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: UInt8(ascii: "A") + value
    case 26..<52: UInt8(ascii: "a") + value - 26
    case 52..<62: UInt8(ascii: "0") + value - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }
}
