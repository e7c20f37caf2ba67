import SecureMemory

// Strings and numbers: RFC 8259 §6 and §7.
extension JSONReader {
  /// Reads a string and returns it as text.
  func readText(limit: Int) throws(VaultError) -> String {
    try readString(limit: limit)
    if let text = text.text(0..<text.count) { return text }
    // It was cut within a character.
    try note(invalid("not UTF-8"))
    return ""
  }

  /// Reads a string into `text` without its quotes and escapes; into nothing if it has no limit.
  func readString(limit: Int?) throws(VaultError) {
    let limit = isCut ? nil : limit
    text.removeAll()
    _ = try take()
    while true {
      try takePlain(limit: limit)
      let byte = try take()
      switch byte {
      case UInt8(ascii: "\""): return
      case UInt8(ascii: "\\"): try readEscape(limit)
      case 0..<0x20:
        guard isForeign else { throw invalid("a control character in a string") }
        try append(byte, limit)
      default: try readScalar(byte, limit)
      }
    }
  }

  private func append(_ byte: UInt8, _ limit: Int?) throws(VaultError) {
    guard let limit else { return }
    guard text.count < limit else {
      return try note(tooLarge("a string is longer than \(limit) bytes"))
    }
    text.append(byte)
  }

  /// Reads the rest of a scalar of two to four bytes (RFC 3629 §4); one that is none is not in the
  /// text.
  private func readScalar(_ first: UInt8, _ limit: Int?) throws(VaultError) {
    let count: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: count = 1
    case 0xE0: (count, second) = (2, 0xA0...0xBF)
    case 0xED: (count, second) = (2, 0x80...0x9F)
    case 0xE1...0xEF: count = 2
    case 0xF0: (count, second) = (3, 0x90...0xBF)
    case 0xF1...0xF3: count = 3
    case 0xF4: (count, second) = (3, 0x80...0x8F)
    default: return try note(invalid("not UTF-8"))
    }
    let start = text.count
    try append(first, limit)
    for index in 0..<count {
      guard let byte = try peek(), (index == 0 ? second : 0x80...0xBF).contains(byte) else {
        text.truncate(to: start)
        return try note(invalid("not UTF-8"))
      }
      _ = try take()
      try append(byte, limit)
    }
  }

  private func readEscape(_ limit: Int?) throws(VaultError) {
    switch try take() {
    case UInt8(ascii: "\""): try append(UInt8(ascii: "\""), limit)
    case UInt8(ascii: "\\"): try append(UInt8(ascii: "\\"), limit)
    case UInt8(ascii: "/"): try append(UInt8(ascii: "/"), limit)
    case UInt8(ascii: "b"): try append(0x08, limit)
    case UInt8(ascii: "f"): try append(0x0C, limit)
    case UInt8(ascii: "n"): try append(0x0A, limit)
    case UInt8(ascii: "r"): try append(0x0D, limit)
    case UInt8(ascii: "t"): try append(0x09, limit)
    case UInt8(ascii: "u"): try readEscapedScalar(limit)
    default: try note(invalid("an unknown escape"))
    }
  }

  /// Reads the scalar after `\u`: four digits, or the two halves of a surrogate pair.
  private func readEscapedScalar(_ limit: Int?) throws(VaultError) {
    var next = try readUnit()
    while let first = next, (0xD800..<0xDC00).contains(first),
      try source.peek(2, { Bytes.equal($0, "\\u") })
    {
      for _ in 0..<2 { _ = try take() }
      next = try readUnit()
      if let second = next, (0xDC00..<0xE000).contains(second) {
        return try append(scalar: 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00), limit)
      }
      try append(half: first, limit)
    }
    guard let unit = next else { return }
    if (0xD800..<0xE000).contains(unit) {
      try append(half: unit, limit)
    } else {
      try append(scalar: unit, limit)
    }
  }

  /// Appends half of a surrogate pair as its escape, because no text can have it.
  private func append(half: UInt32, _ limit: Int?) throws(VaultError) {
    // In a text that nobody asked for it is no loss.
    guard !isForeign || limit != nil else { return }
    try noteHalf()
    for byte in "\\u".utf8 { try append(byte, limit) }
    for shift in stride(from: UInt32(12), through: 0, by: -4) {
      try append(UInt8(truncatingIfNeeded: half >> shift & 15).hexadecimalDigit, limit)
    }
  }

  /// Reads the number of four digits; nil without them.
  private func readUnit() throws(VaultError) -> UInt32? {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = try peek()?.hexadecimalValue else {
        try note(invalid("an escape without four digits"))
        return nil
      }
      _ = try take()
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  private func append(scalar: UInt32, _ limit: Int?) throws(VaultError) {
    func continuation(_ shift: UInt32) -> UInt8 {
      0x80 | UInt8(truncatingIfNeeded: scalar >> shift & 0x3F)
    }
    switch scalar {
    case 0..<0x80: try append(UInt8(truncatingIfNeeded: scalar), limit)
    case 0x80..<0x800:
      try append(0xC0 | UInt8(truncatingIfNeeded: scalar >> 6), limit)
      try append(continuation(0), limit)
    case 0x800..<0x10000:
      try append(0xE0 | UInt8(truncatingIfNeeded: scalar >> 12), limit)
      try append(continuation(6), limit)
      try append(continuation(0), limit)
    default:
      try append(0xF0 | UInt8(truncatingIfNeeded: scalar >> 18), limit)
      try append(continuation(12), limit)
      try append(continuation(6), limit)
      try append(continuation(0), limit)
    }
  }

  /// Reads a number without its fraction, and whether it has none; the value is nil if it has an
  /// exponent or more than 64 bits.
  func readNumber() throws(VaultError) -> (value: Int64?, isWhole: Bool) {
    var value: Int64? = 0
    var isWhole = true
    let isNegative = try peek() == UInt8(ascii: "-")
    if isNegative { _ = try take() }
    let first = try peek()
    let digits = try readDigits { digit in
      guard let (tens, isTooLarge) = value?.multipliedReportingOverflow(by: 10) else { return }
      // Counted down for a negative number, because there is one more of them.
      let (sum, isBeyond) = tens.addingReportingOverflow(Int64(digit) * (isNegative ? -1 : 1))
      value = isTooLarge || isBeyond ? nil : sum
    }
    guard first != UInt8(ascii: "0") || digits == 1 else {
      throw invalid("a number with a leading zero")
    }
    if try peek() == UInt8(ascii: ".") {
      _ = try take()
      try readDigits { _ in }
      isWhole = false
    }
    if let byte = try peek(), byte.lowercasedASCII == UInt8(ascii: "e") {
      _ = try take()
      if let sign = try peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        _ = try take()
      }
      try readDigits { _ in }
      value = nil
    }
    return (value, isWhole)
  }

  /// Reads at least one digit and returns how many there are.
  @discardableResult
  private func readDigits(_ body: (UInt8) -> Void) throws(VaultError) -> Int {
    var count = 0
    while let byte = try peek(), byte.isDigit {
      _ = try take()
      body(byte - UInt8(ascii: "0"))
      count += 1
    }
    guard count > 0 else { throw invalid("a number without digits") }
    return count
  }
}
