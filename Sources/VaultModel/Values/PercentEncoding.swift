/// Percent-encoding of RFC 3986 §2.1, of secrets and of plain bytes.
package enum PercentEncoding {
  /// Returns the bytes with every `%XX` replaced by its byte, once.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` naming `part` if a `%` is not followed by two
  ///   hexadecimal digits.
  package static func decode(
    _ bytes: some Collection<UInt8>, part: StaticString
  ) throws(VaultError) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "%")) else { return Array(bytes) }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    guard decode(bytes, { decoded.append($0) }) else {
      throw VaultError(.invalidArgument, "\(part): a % without two hexadecimal digits")
    }
    return decoded
  }

  /// Passes on the bytes, with every `%XX` replaced by its byte, once.
  ///
  /// - Returns: False if a `%` is not followed by two hexadecimal digits.
  package static func decode(
    _ bytes: some Collection<UInt8>, _ append: (UInt8) -> Void
  ) -> Bool {
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexadecimalValue,
        let low = rest.popFirst()?.hexadecimalValue
      else { return false }
      append(high << 4 | low)
    }
    return true
  }

  /// Returns a text with every byte encoded that is not unreserved (RFC 3986 §2.3) or kept.
  package static func encode(_ text: String, keeping kept: String = "") -> String {
    var encoded: [UInt8] = []
    for byte in text.utf8 { encode(byte, keeping: kept) { encoded.append($0) } }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Passes a byte on as it is, or as its three characters.
  package static func encode<E: Error>(
    _ byte: UInt8, keeping kept: String = "", _ append: (UInt8) throws(E) -> Void
  ) throws(E) {
    guard !byte.isUnreserved, !kept.utf8.contains(byte) else { return try append(byte) }
    try escape(byte, append)
  }

  /// Passes a byte on as its three characters.
  package static func escape<E: Error>(
    _ byte: UInt8, _ append: (UInt8) throws(E) -> Void
  ) throws(E) {
    try append(UInt8(ascii: "%"))
    for digit in [byte >> 4, byte & 15] {
      let digit = digit.hexadecimalDigit
      try append(digit.isLowercaseLetter ? digit & ~0x20 : digit)
    }
  }
}

extension UInt8 {
  /// Whether it stands for itself everywhere in a URI (RFC 3986 §2.3).
  package var isUnreserved: Bool {
    isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
      || self == UInt8(ascii: "_") || self == UInt8(ascii: "~")
  }
}
