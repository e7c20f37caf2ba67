import VaultModel

/// A scanner that reads a field's value from left to right.
///
/// - Source: RFC 9110 §5.6.
struct FieldScanner {
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The next byte; nil at the end.
  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// Whether an element of the list ends here.
  var isAtElementEnd: Bool { next == nil || next == UInt8(ascii: ",") }

  /// Skips blanks and commas, since a list may have empty elements; returns false at the end.
  mutating func skipSeparators() -> Bool {
    while let byte = next {
      guard byte == UInt8(ascii: ",") || Self.isBlank(byte) else { return true }
      index += 1
    }
    return false
  }

  /// Skips blanks; returns whether there were any.
  @discardableResult
  mutating func skipBlanks() -> Bool {
    let start = index
    while let byte = next, Self.isBlank(byte) { index += 1 }
    return index > start
  }

  /// Skips `=` and the blanks around it; without `=`, skips nothing.
  mutating func skipEquals() -> Bool {
    let start = index
    skipBlanks()
    guard next == UInt8(ascii: "=") else {
      index = start
      return false
    }
    index += 1
    skipBlanks()
    return true
  }

  /// Skips to the next comma outside quotes.
  mutating func skipElement() {
    while let byte = next, byte != UInt8(ascii: ",") {
      if byte == UInt8(ascii: "\"") { _ = quotedString(longest: 0) } else { index += 1 }
    }
  }

  /// Reads a token; returns an empty one if there is none.
  mutating func token() -> String {
    let start = index
    while let byte = next, Self.isTokenCharacter(byte) { index += 1 }
    return text(from: start)
  }

  /// Reads a token68 that is the whole rest of its element; if there is none, skips nothing and
  /// returns nil.
  ///
  /// Only the text behind it distinguishes `abc=`, a token68 with padding, from the parameter
  /// `abc=def`.
  ///
  /// - Source: RFC 9110 §11.2.
  mutating func token68() -> String? {
    let start = index
    while let byte = next, Self.isToken68Character(byte) { index += 1 }
    let hasCharacters = index > start
    while next == UInt8(ascii: "=") { index += 1 }
    let token = start..<index
    skipBlanks()
    guard hasCharacters, isAtElementEnd else {
      index = start
      return nil
    }
    return String(decoding: bytes[token], as: UTF8.self)
  }

  /// The result of reading a parameter's value.
  enum Value {
    case text(String)
    case missing, unterminated, tooLong
  }

  /// Reads a quoted string, or a value without quotes: anything but blanks, quotes and backslashes.
  ///
  /// - Parameter longest: The maximum number of bytes, without escapes.
  /// - Returns: The text without quotes and escapes, or the reason why there is none.
  mutating func value(longest: Int) -> Value {
    if next == UInt8(ascii: "\"") { return quotedString(longest: longest) }
    let start = index
    while let byte = next, Self.isUnquotedCharacter(byte) { index += 1 }
    guard index > start else { return .missing }
    return index - start > longest ? .tooLong : .text(text(from: start))
  }

  /// Reads a quoted string; each `\x` stands for `x`.
  private mutating func quotedString(longest: Int) -> Value {
    index += 1
    let start = index
    var escapes = 0
    while let byte = next, byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\") {
        escapes += 1
        index += 1
      }
      index += 1
    }
    guard index < bytes.count else {
      index = bytes.count
      return .unterminated
    }
    defer { index += 1 }
    guard index - start - escapes <= longest else { return .tooLong }
    return .text(escapes == 0 ? text(from: start) : unescaped(start..<index))
  }

  private func unescaped(_ range: Range<Int>) -> String {
    var plain: [UInt8] = []
    plain.reserveCapacity(range.count)
    var isEscaped = false
    for byte in bytes[range] {
      isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      if !isEscaped { plain.append(byte) }
    }
    return String(decoding: plain, as: UTF8.self)
  }

  private func text(from start: Int) -> String { text(start..<index) }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }
}

/// Reading what is malformed, as browsers do.
extension FieldScanner {
  /// Skips blanks, commas and semicolons; returns false at the end.
  mutating func skipLenientSeparators() -> Bool {
    while let byte = next {
      guard Self.isLenientSeparator(byte) else { return true }
      index += 1
    }
    return false
  }

  /// A value that may be malformed.
  enum LenientValue {
    case quoted(Value)
    /// A quoted string that nothing ends.
    case open(String)
    /// A quoted string with quotes within it that are not escaped.
    case holdingQuotes(String)
    /// The text between `=` and the next separator, without surrounding blanks; may be empty.
    case words(String)
    /// Several words before a name and `=`, or after a quoted string: one may be a scheme.
    case ambiguous
  }

  /// Reads a quoted string, or words without quotes.
  ///
  /// A text that a person may have written, such as a realm, may hold quotes.
  mutating func lenientValue(longest: Int, mayHoldQuotes: Bool) -> LenientValue {
    let start = index
    if next == UInt8(ascii: "\"") {
      let value = quotedString(longest: longest)
      if case .unterminated = value { return .open(unescaped(start + 1..<bytes.count)) }
      guard mayHoldQuotes, !isAtValueEnd else { return .quoted(value) }
      while !isAtValueEnd {
        // The quote before is within the text, which goes on to the next one.
        index -= 1
        if case .unterminated = quotedString(longest: longest) { return .ambiguous }
      }
      return .holdingQuotes(unescaped(start + 1..<index - 1))
    }
    var end = start
    var count = 0
    while let byte = next, !Self.isLenientSeparator(byte), byte != UInt8(ascii: "\"") {
      if startsParameter, count > 0 { return count > 1 ? .ambiguous : .words(text(start..<end)) }
      while let byte = next, Self.isUnquotedCharacter(byte) || byte == UInt8(ascii: "\\") {
        index += 1
      }
      count += 1
      end = index
      if bytes[end - 1] == UInt8(ascii: ";") { break }
      skipBlanks()
    }
    while end > start, bytes[end - 1] == UInt8(ascii: ";") { end -= 1 }
    return .words(text(start..<end))
  }

  /// Whether the field ends here, or a separator or another parameter follows.
  private var isAtValueEnd: Bool {
    var ahead = self
    ahead.skipBlanks()
    return ahead.isAtElementEnd || ahead.next == UInt8(ascii: ";") || ahead.startsParameter
  }

  /// Whether a name and `=` follow.
  private var startsParameter: Bool {
    var ahead = self
    return !ahead.token().isEmpty && ahead.skipEquals()
  }

  private static func isLenientSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || isBlank(byte)
  }
}

extension FieldScanner {
  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Returns whether a byte may be in a token (RFC 9110 §5.6.2).
  static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "^")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "#")...UInt8(ascii: "'"),
      UInt8(ascii: "!"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Returns whether a byte may be in a token68 (RFC 9110 §11.2), without the padding.
  private static func isToken68Character(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || "-._~+/".utf8.contains(byte)
  }

  private static func isUnquotedCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\\"): false
    default: !isBlank(byte)
    }
  }
}
