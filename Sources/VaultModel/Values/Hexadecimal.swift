extension String {
  /// Creates two lower-case hexadecimal digits for each byte.
  package init(hexadecimal bytes: [UInt8]) {
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      text.append((byte >> 4).hexadecimalDigit)
      text.append((byte & 15).hexadecimalDigit)
    }
    self.init(decoding: text, as: UTF8.self)
  }

  /// Creates the lower-case hexadecimal digits of a number, with the zeros that its type has room
  /// for.
  package init<N: FixedWidthInteger & UnsignedInteger>(hexadecimal number: N) {
    let digits = String(number, radix: 16)
    self = String(repeating: "0", count: N.bitWidth / 4 - digits.utf8.count) + digits
  }
}

extension [UInt8] {
  /// Reads two hexadecimal digits in either case for each byte; nil for anything else.
  package init?(hexadecimal text: some StringProtocol) {
    let digits = text.utf8.compactMap(\.hexadecimalValue)
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit in either case.
  package var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The lower-case digit of a number below 16, computed: a table would be read at places that
  /// depend on a secret.
  @inlinable package var hexadecimalDigit: UInt8 {
    // 9 − self is negative from 10 on; its highest bit then adds the distance between "9" and "a".
    self &+ 48 &+ ((9 &- self) >> 7) &* 39
  }
}
