/// A keychain code: four printable ASCII characters whose bytes, first highest, are its number.
package struct FourCharacterCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The number: `http` is 0x68747470 on every machine.
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Reads one to four printable ASCII characters.
  ///
  /// Shorter codes are padded with blanks, as Apple's `ftp ` is. Empty text is 0, unset.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else.
  package init(_ text: String) throws(VaultError) {
    let count = text.utf8.count
    guard count <= 4, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
      throw VaultError(.invalidArgument, "a code has at most four printable ASCII characters")
    }
    guard count > 0 else {
      rawValue = 0
      return
    }
    let letters = text.utf8.reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    let padding = UInt32(0x2020_2020) >> UInt32(8 * count)
    rawValue = letters << UInt32(8 * (4 - count)) | (count == 4 ? 0 : padding)
  }

  /// The characters with their padding; empty for 0; `0x` and eight hexadecimal digits for a
  /// number that is not four printable characters.
  package var description: String {
    guard rawValue != 0 else { return "" }
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> UInt32($0)) }
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
      return "0x" + String(hexadecimal: rawValue)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
