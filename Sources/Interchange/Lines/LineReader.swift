import SecureMemory
import VaultModel

/// The lines of a file, one at a time in guarded memory.
final class LineReader {
  let source: ByteSource
  /// The present line, without its line feed or carriage return and line feed.
  private(set) var bytes = SecretBuffer(capacity: 4096)
  /// The number of the present line, from 1.
  private(set) var line = 0
  /// Whether a line feed ends the present line.
  private(set) var isTerminated = true
  /// The reason why the present line cannot be read; nil if it can.
  private(set) var problem: String?

  /// Creates a reader; a byte order mark is skipped.
  ///
  /// - Throws: As ``ByteSource/skipByteOrderMark()``.
  init(_ source: ByteSource) throws(VaultError) {
    self.source = source
    try source.skipByteOrderMark()
  }

  /// Reads the next line and returns true, or false at the end.
  ///
  /// - Throws: Any error of the source. The fault of a line is its ``problem``.
  func next() throws(VaultError) -> Bool {
    guard try source.peek() != nil else { return false }
    bytes.removeAll()
    line = source.line
    let isWhole = try source.take(
      while: { $0 != UInt8(ascii: "\n") }, into: &bytes, limit: InterchangeLimit.record)
    isTerminated = try source.next() != nil
    if bytes.count > 0, bytes[bytes.count - 1] == UInt8(ascii: "\r") {
      bytes.truncate(to: bytes.count - 1)
    }
    problem =
      isWhole
      ? bytes.withRawBytes(Bytes.problem)
      : "longer than \(InterchangeLimit.record >> 20) MiB"
    return true
  }
}

extension ByteSource {
  /// Skips the byte order mark of UTF-8.
  ///
  /// - Throws: As ``refuseUTF16()``.
  func skipByteOrderMark() throws(VaultError) {
    if try !skip("\u{FEFF}") { try refuseUTF16() }
  }

  /// Checks that the text does not begin as UTF-16 does, in which some programs save text.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` for its byte order mark, and for two characters of
  ///   ASCII in two bytes each.
  func refuseUTF16() throws(VaultError) {
    let isUTF16 = try peek(4) { bytes in
      let head = Bytes.array(bytes)
      if [[0xFF, 0xFE], [0xFE, 0xFF]].contains(head.prefix(2)) { return true }
      let zeros = head.map { $0 == 0 }
      return zeros == [false, true, false, true] || zeros == [true, false, true, false]
    }
    guard !isUTF16 else {
      throw VaultError(
        .invalidData, "the file is UTF-16 text; save it as UTF-8, or convert it with iconv")
    }
  }
}
