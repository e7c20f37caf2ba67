// The bytes and their place.
extension JSONReader {
  /// The place of the next byte, for messages: `line 3, byte 17`, both counted from 1.
  package var place: String { "line \(source.line), byte \(source.offset - lineStart + 1)" }

  /// The number of the line that the next byte is in, from 1.
  package var line: Int { source.line }

  func peek() throws(VaultError) -> UInt8? { try source.peek() }

  /// Takes the next byte.
  func take() throws(VaultError) -> UInt8 {
    guard let byte = try source.next() else { throw invalid("the document ends too early") }
    if byte == UInt8(ascii: "\n") { lineStart = source.offset }
    try checkOffset()
    return byte
  }

  /// Takes the next bytes of a string that stand for themselves, or drops them without a limit.
  func takePlain(limit: Int?) throws(VaultError) {
    let isWhole = try source.take(
      while: {
        $0 >= 0x20 && $0 < 0x80 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
      }, into: &text, limit: limit ?? 0)
    if let limit, !isWhole { try note(tooLarge("a string is longer than \(limit) bytes")) }
    try checkOffset()
  }

  func checkOffset() throws(VaultError) {
    guard source.offset <= limits.document else {
      throw tooLarge("the document is longer than \(limits.document) bytes")
    }
    guard source.offset <= recordEnd else {
      recordEnd = .max
      return try cut(tooLarge("an entry is longer than \(limits.record) bytes"))
    }
  }

  func skipSpace() throws(VaultError) {
    while let byte = try peek() {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        _ = try take()
      default: return
      }
    }
  }

  /// Returns the error for malformed input at this place.
  package func invalid(_ what: String) -> VaultError {
    VaultError(.invalidData, "JSON, \(place): \(what)")
  }

  func tooLarge(_ what: String) -> VaultError {
    VaultError(.tooLarge, "JSON, \(place): \(what)")
  }
}
