import SecureMemory
import VaultModel

/// A scanner of one JSON document in guarded memory.
///
/// - Source: RFC 8259.
struct JSONScanner: ~Copyable {
  private static let deepest = 16

  private var document: SecretBuffer
  private var index = 0
  private var isFirst = true

  init(_ body: Secret) {
    document = SecretBuffer(capacity: body.count)
    body.withRawBytes { document.append($0) }
  }

  /// Returns an error that says where the document is malformed, and never what is there.
  func malformed(_ what: StaticString) -> VaultError {
    VaultError(.invalidData, "token: \(what) in the answer, at byte \(index)")
  }

  /// Takes a byte that must be there, after white space.
  mutating func begin(_ byte: UInt8) throws(VaultError) {
    guard skip(byte) else { throw malformed("no object") }
    isFirst = true
  }

  /// Returns the next name of the object; nil at its end.
  mutating func nextName() throws(VaultError) -> String? {
    if skip(UInt8(ascii: "}")) { return nil }
    guard isFirst || skip(UInt8(ascii: ",")) else { throw malformed("no comma") }
    isFirst = false
    let name = try text()
    guard skip(UInt8(ascii: ":")) else { throw malformed("no colon") }
    return name
  }

  /// Requires that nothing but white space is left.
  mutating func finish() throws(VaultError) {
    guard peek() == nil else { throw malformed("more than one value") }
  }

  /// Reads a string that is not a secret.
  mutating func text() throws(VaultError) -> String {
    let read = try characters()
    guard let text = read.text(0..<read.count) else { throw malformed("no UTF-8") }
    return text
  }

  /// Reads a string, which stays in guarded memory.
  mutating func string() throws(VaultError) -> Secret {
    let read = try characters()
    return read.secret(0..<read.count)
  }

  /// Reads a number of at most 15 digits, without its fraction; some issuers quote it.
  mutating func wholeNumber() throws(VaultError) -> Int64 {
    let isQuoted = skip(UInt8(ascii: "\""))
    let isNegative = skip(UInt8(ascii: "-"))
    var number: Int64 = 0
    var digits = 0
    while let digit = byte(), digit.isDigit {
      index += 1
      digits += 1
      guard digits <= 15 else { throw malformed("a number too large") }
      number = number * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    guard digits > 0 else { throw malformed("no number") }
    if byte() == UInt8(ascii: ".") {
      index += 1
      while let digit = byte(), digit.isDigit { index += 1 }
    }
    guard !isQuoted || skip(UInt8(ascii: "\"")) else { throw malformed("no number") }
    return isNegative ? -number : number
  }

  /// Skips a value of any kind.
  mutating func skipValue(depth: Int = 0) throws(VaultError) {
    guard depth < Self.deepest else { throw malformed("too many levels") }
    switch peek() {
    case UInt8(ascii: "\""): _ = try characters()
    case UInt8(ascii: "{"): try skipMembers(to: UInt8(ascii: "}"), depth)
    case UInt8(ascii: "["): try skipMembers(to: UInt8(ascii: "]"), depth)
    default:
      let start = index
      while let byte = byte(), byte.isLetter || byte.isDigit || "+-.".utf8.contains(byte) {
        index += 1
      }
      guard index > start else { throw malformed("no value") }
    }
  }

  private mutating func skipMembers(to end: UInt8, _ depth: Int) throws(VaultError) {
    index += 1
    var isFirst = true
    while !skip(end) {
      guard isFirst || skip(UInt8(ascii: ",")) else { throw malformed("no comma") }
      isFirst = false
      if end == UInt8(ascii: "}") {
        _ = try characters()
        guard skip(UInt8(ascii: ":")) else { throw malformed("no colon") }
      }
      try skipValue(depth: depth + 1)
    }
  }

  // MARK: Strings

  /// Reads a string without its quotes and escapes.
  private mutating func characters() throws(VaultError) -> SecretBuffer {
    guard skip(UInt8(ascii: "\"")) else { throw malformed("no string") }
    var read = SecretBuffer(capacity: 256)
    while let next = byte(), next >= 0x20 {
      index += 1
      switch next {
      case UInt8(ascii: "\""): return read
      case UInt8(ascii: "\\"): try readEscape(into: &read)
      default: read.append(next)
      }
    }
    throw malformed("an open string")
  }

  private mutating func readEscape(into read: inout SecretBuffer) throws(VaultError) {
    guard let escape = byte() else { throw malformed("an open string") }
    index += 1
    switch escape {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): read.append(escape)
    case UInt8(ascii: "b"): read.append(8)
    case UInt8(ascii: "f"): read.append(12)
    case UInt8(ascii: "n"): read.append(10)
    case UInt8(ascii: "r"): read.append(13)
    case UInt8(ascii: "t"): read.append(9)
    case UInt8(ascii: "u"):
      let scalar = try readScalar()
      for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { read.append(byte) }
    default: throw malformed("an unknown escape")
    }
  }

  private mutating func readScalar() throws(VaultError) -> Unicode.Scalar {
    let unit = try readUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    // The first half of a pair; RFC 8259 §7.
    guard unit < 0xDC00, byte() == UInt8(ascii: "\\") else { throw malformed("half a character") }
    index += 1
    guard byte() == UInt8(ascii: "u") else { throw malformed("half a character") }
    index += 1
    let low = try readUnit()
    guard (0xDC00...0xDFFF).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    else { throw malformed("half a character") }
    return scalar
  }

  private mutating func readUnit() throws(VaultError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = byte()?.hexadecimalValue else { throw malformed("an unknown escape") }
      index += 1
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  // MARK: Bytes

  private func byte() -> UInt8? { index < document.count ? document[index] : nil }

  /// Skips white space, and returns the next byte; nil at the end.
  private mutating func peek() -> UInt8? {
    while let byte = byte(), byte == 0x20 || (9...10).contains(byte) || byte == 13 { index += 1 }
    return byte()
  }

  /// Takes a byte if it is next, after white space.
  private mutating func skip(_ wanted: UInt8) -> Bool {
    guard peek() == wanted else { return false }
    index += 1
    return true
  }
}
