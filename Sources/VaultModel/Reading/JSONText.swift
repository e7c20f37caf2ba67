/// The bytes of JSON strings (RFC 8259 §7) that hold secrets.
package enum JSONText {
  /// Passes on a byte of UTF-8 as it stands inside a string: controls as `\u00XX`.
  package static func escape<E: Error>(
    _ byte: UInt8, _ append: (UInt8) throws(E) -> Void
  ) throws(E) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      try append(UInt8(ascii: "\\"))
      try append(byte)
    case 0..<0x20, 0x7F:
      for character in "\\u00".utf8 { try append(character) }
      try append((byte >> 4).hexadecimalDigit)
      try append((byte & 15).hexadecimalDigit)
    default: try append(byte)
    }
  }
}
