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
  /// - Throws: ``VaultError/Code/invalidData`` for that of UTF-16, in which some programs save
  ///   text.
  func skipByteOrderMark() throws(VaultError) {
    if try skip("\u{FEFF}") { return }
    let isUTF16 = try peek(2) { bytes in
      bytes.byteCount == 2
        && [[0xFF, 0xFE], [0xFE, 0xFF]].contains([Bytes.at(bytes, 0), Bytes.at(bytes, 1)])
    }
    guard !isUTF16 else {
      throw VaultError(.invalidData, "the file is UTF-16 text; save it as UTF-8")
    }
  }
}
