import SecureMemory
import VaultModel

/// The records of comma-separated text, RFC 4180, one at a time in guarded memory.
///
/// Lenient where real files are: LF or CR LF at line ends, a byte order mark, blank lines, records
/// with fewer fields, a quotation mark inside an unquoted field.
final class CSVRecords {
  /// The most fields that a record may have.
  static let mostFields = 512

  let source: ByteSource
  private(set) var bytes = SecretBuffer(capacity: 4096)
  /// The ranges of the present record's fields in ``bytes``.
  private(set) var fields: [Range<Int>] = []
  /// The line that the present record begins in.
  private(set) var line = 1
  /// Whether the file ends with the present record, without a line end.
  private(set) var endsFile = false
  /// The reason to reject the present record; nil if it can be read.
  private(set) var problem: String?
  private var isWhole = true

  /// Creates a reader; a byte order mark is skipped.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` for UTF-16; any error of the source.
  init(_ source: ByteSource) throws(VaultError) {
    self.source = source
    try source.skipByteOrderMark()
  }

  /// Reads the next record and returns true, or false at the end.
  ///
  /// - Throws: Any error of the source. What is wrong with a record is its ``problem``.
  func next() throws(VaultError) -> Bool {
    while try skipLineEnd() {}
    guard try source.peek() != nil else { return false }
    bytes.removeAll()
    fields.removeAll(keepingCapacity: true)
    problem = nil
    isWhole = true
    line = source.line
    while try readField() {}
    endsFile = try source.peek() == nil
    if !isWhole { problem = "longer than \(InterchangeLimit.record >> 20) MiB" }
    if problem == nil { problem = bytes.withRawBytes(Bytes.problem) }
    return true
  }

  /// Takes a line end if there is one.
  private func skipLineEnd() throws(VaultError) -> Bool {
    if try source.skip(UInt8(ascii: "\n")) { return true }
    guard try source.peek() == UInt8(ascii: "\r") else { return false }
    return try source.skip("\r\n")
  }

  /// Reads a field and returns whether a comma, and so another field, follows.
  private func readField() throws(VaultError) -> Bool {
    let start = bytes.count
    if try source.skip(UInt8(ascii: "\"")) {
      try readQuoted()
      let end = bytes.count
      try readPlain()
      if bytes.count > end { problem = problem ?? "text after a closing quotation mark" }
    } else {
      try readPlain()
    }
    if fields.count < Self.mostFields {
      fields.append(start..<bytes.count)
    } else {
      problem = problem ?? "more than \(Self.mostFields) fields"
      bytes.truncate(to: start)
    }
    return try source.skip(UInt8(ascii: ","))
  }

  /// Reads to the closing quotation mark; two stand for one.
  private func readQuoted() throws(VaultError) {
    let mark = UInt8(ascii: "\"")
    while true {
      try take { $0 != mark }
      guard try source.next() != nil else {
        problem = problem ?? "a quotation mark that is never closed"
        return
      }
      guard try source.skip(mark) else { return }
      append(mark)
    }
  }

  /// Reads to the next comma or line end; a carriage return alone is part of the field.
  private func readPlain() throws(VaultError) {
    while true {
      try take { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      guard try source.peek() == UInt8(ascii: "\r"),
        try !source.peek(2, { Bytes.equal($0, "\r\n") }), let byte = try source.next()
      else { return }
      append(byte)
    }
  }

  @inline(__always)
  private func take(while belongs: (UInt8) -> Bool) throws(VaultError) {
    let limit = InterchangeLimit.record
    if try !source.take(while: belongs, into: &bytes, limit: limit) { isWhole = false }
  }

  private func append(_ byte: UInt8) {
    if bytes.count < InterchangeLimit.record { bytes.append(byte) } else { isWhole = false }
  }
}
