package import SecureMemory

/// Base64 with padding (RFC 4648 §4), for secrets and for plain bytes.
///
/// Characters are computed: a table would be read at places that depend on the secret.
package enum Base64 {
  /// Returns the number of characters for `count` bytes, with padding.
  package static func length(of count: Int) -> Int { (count + 2) / 3 * 4 }

  /// Returns the text of a secret, as secret as it.
  package static func encode(_ secret: Secret) -> Secret {
    var text = SecretBuffer(capacity: length(of: secret.count))
    secret.withRawBytes { encode($0, into: &text) }
    return text.secret(0..<text.count)
  }

  /// Returns the text of bytes that are not secret.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(length(of: bytes.count))
    // A view of bytes: every bit pattern of a byte is valid as a raw one.
    encode(unsafe bytes.span.bytes) { text.append($0) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the text of bytes.
  package static func encode(_ bytes: RawSpan, into target: inout SecretBuffer) {
    encode(bytes) { target.append($0) }
  }

  /// Returns the bytes of a text, in secret memory.
  ///
  /// - Parameters:
  ///   - text: Whole groups of four characters with their padding, and nothing else.
  ///   - isCanonical: Whether bits beyond the last byte are refused, which would make several texts
  ///     of one secret. Writers of PEM leave some.
  /// - Returns: The bytes; nil if the text is malformed.
  package static func bytes(of text: Secret, isCanonical: Bool = true) -> Secret? {
    text.withRawBytes { text in
      // The buffer is valid inside the closure.
      unsafe text.withUnsafeBytes { unsafe bytes(of: $0, isCanonical: isCanonical) }
    }
  }

  /// Returns the bytes of a text, in secret memory.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` where ``bytes(of:isCanonical:)`` has nil.
  package static func decode(_ text: Secret) throws(VaultError) -> Secret {
    guard let bytes = bytes(of: text) else { throw VaultError(.invalidData, "not base 64") }
    return bytes
  }

  private static func bytes(of text: UnsafeRawBufferPointer, isCanonical: Bool) -> Secret? {
    guard text.count % 4 == 0 else { return nil }
    // At most two characters of the last group are padding.
    let padding = unsafe text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    var decoded = SecretBuffer(capacity: text.count / 4 * 3)
    var bits: UInt32 = 0
    for index in 0..<text.count {
      // The index is below the count.
      let character = unsafe text[index]
      let isPadding = index >= text.count - padding
      guard let value = isPadding ? 0 : value(of: character) else { return nil }
      bits = bits << 6 | UInt32(value)
      guard index % 4 == 3 else { continue }
      let missing = isPadding ? padding : 0
      guard !isCanonical || bits & ((1 << UInt32(8 * missing)) - 1) == 0 else { return nil }
      for byte in 0..<(3 - missing) {
        decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * byte)))
      }
      bits = 0
    }
    return decoded.secret(0..<decoded.count)
  }

  private static func encode(_ bytes: RawSpan, _ append: (UInt8) -> Void) {
    // The buffer is valid inside the closure, and every index is below its count.
    unsafe bytes.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: 3) {
        var bits: UInt32 = 0
        for index in start..<(start + 3) {
          bits = bits << 8 | (index < bytes.count ? UInt32(unsafe bytes[index]) : 0)
        }
        for digit in 0..<4 {
          let value = Int(bits >> UInt32(18 - 6 * digit) & 63)
          append(digit > bytes.count - start ? UInt8(ascii: "=") : character(value))
        }
      }
    }
  }

  /// Returns the character of a number below 64: each shift is all ones if the number is past a
  /// range, else 0.
  @inlinable package static func character(_ value: Int) -> UInt8 {
    UInt8(
      value + 65 + ((25 - value) >> 8 & 6) - ((51 - value) >> 8 & 75) - ((61 - value) >> 8 & 15)
        + ((62 - value) >> 8 & 3))
  }

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
}
