import SecureMemory
import VaultModel

/// The records of a table, RFC 4180, one at a time.
///
/// Lenient where real files are: LF, CR LF or CR at line ends, a byte order mark, blank lines,
/// records with fewer fields, a quotation mark inside an unquoted field; semicolons, tabs or bars
/// between fields, as Excel writes where a comma is in numbers.
final class CSVRecords {
  private let source: ByteSource
  var record: CSVRecord
  /// The line that the present record begins in.
  private(set) var line = 1
  /// The line that it ends in.
  private(set) var lastLine = 1

  /// Creates a reader; a byte order mark is skipped.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - backslash: What its writer means by a backslash.
  /// - Throws: ``VaultError/Code/invalidData`` for UTF-16; any error of the source.
  init(
    _ source: ByteSource, backslash: CSVRecord.Backslash = .literal
  ) throws(VaultError) {
    try source.skipByteOrderMark()
    self.source = try source.withLineFeeds()
    record = CSVRecord(separator: try Self.separator(of: self.source), backslash: backslash)
  }

  /// Returns the byte between two fields: the one that Excel's line `sep=` names, which is taken,
  /// or the first of comma, semicolon, tab and bar in the first line, outside of quotation marks.
  private static func separator(of source: ByteSource) throws(VaultError) -> UInt8 {
    let named = try source.peek(6) { bytes -> UInt8? in
      let rest = Bytes.range(bytes, after: "sep=")
      return rest.flatMap { $0.count == 2 ? Bytes.at(bytes, $0.lowerBound) : nil }
    }
    if let named {
      _ = try source.skip("sep=")
      _ = try source.next()
      return named
    }
    return try source.peek(ByteSource.bufferSize) { bytes in
      var isQuoted = false
      for index in 0..<bytes.byteCount {
        switch Bytes.at(bytes, index) {
        case UInt8(ascii: "\""): isQuoted.toggle()
        case UInt8(ascii: "\n") where !isQuoted: return UInt8(ascii: ",")
        case let byte where !isQuoted && ",;\t|".utf8.contains(byte): return byte
        default: continue
        }
      }
      return UInt8(ascii: ",")
    }
  }

  /// The ranges of the present record's fields.
  var fields: [Range<Int>] { record.fields }
  /// Whether a line end ends the present record, and not the end of the file.
  var isTerminated: Bool { record.isTerminated }
  /// Whether the file ends in the last field of the present record, which nothing closes.
  var endsOpen: Bool { record.endsOpen }
  /// Whether no quotation mark has made one field of several in the present record.
  var isSplit: Bool { record.isSplit }
  /// The reason to reject the present record; nil if it can be read.
  var problem: String? { record.problem }

  /// Calls `body` with the bytes of the present record.
  func withRawBytes<R>(_ body: (RawSpan) throws(VaultError) -> R) throws(VaultError) -> R {
    try record.bytes.withRawBytes(body)
  }

  /// Changes what a backslash means from the next record on.
  func setBackslash(_ meaning: CSVRecord.Backslash) { record.backslash = meaning }

  /// The byte between two fields, as people call several of it.
  var separatorName: String {
    switch record.separator {
    case UInt8(ascii: ","): "commas"
    case UInt8(ascii: ";"): "semicolons"
    case UInt8(ascii: "\t"): "tabs"
    case UInt8(ascii: "|"): "bars"
    default: "other characters"
    }
  }

  /// Returns whether two fields of the present record say the same.
  func hasSameBytes(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
    record.bytes.withRawBytes { bytes in
      Bytes.equal(bytes.extracting(one), bytes.extracting(other))
    }
  }

  /// Returns whether a field of the present record is this name, in lower case here.
  ///
  /// Nothing of the record becomes text: it may be no header, and hold passwords.
  func hasField(_ name: String) -> Bool {
    record.bytes.withRawBytes { bytes in
      fields.contains { range in
        let field = bytes.extracting(range)
        let range = Bytes.trimmed(field)
        return range.count == name.utf8.count
          && zip(range, name.utf8).allSatisfy { Bytes.at(field, $0).lowercasedASCII == $1 }
      }
    }
  }

  /// The texts of the present record's fields, if it is a header, which is not secret; a field that
  /// is not UTF-8 is empty.
  var texts: [String] { record.fields.map { record.bytes.text($0) ?? "" } }

  /// Reads the next record and returns true, or false at the end.
  ///
  /// - Throws: Any error of the source. The fault of a record is its ``problem``.
  func next() throws(VaultError) -> Bool {
    while try skipLineEnd() {}
    line = source.line
    record.removeAll()
    guard try source.take({ record.read($0) }) else { return false }
    while !record.isTerminated, try source.take({ record.read($0) }) {}
    // The line feed that was taken last belongs to the line that it ends.
    lastLine = source.line - (record.isTerminated || record.endsWithLineFeed ? 1 : 0)
    record.finish()
    return true
  }

  /// Takes a line end if there is one.
  private func skipLineEnd() throws(VaultError) -> Bool {
    switch try source.peek() {
    case UInt8(ascii: "\n"): try source.skip(UInt8(ascii: "\n"))
    case UInt8(ascii: "\r"): try source.skip("\r\n")
    default: false
    }
  }
}

extension ByteSource {
  /// Returns the source, or, if CR alone ends its first line, one that has LF for each CR.
  ///
  /// Excel writes such lines as "CSV (Macintosh)".
  fileprivate func withLineFeeds() throws(VaultError) -> ByteSource {
    let endsWithReturn = try peek(Self.bufferSize) { bytes in
      var isQuoted = false
      for index in 0..<bytes.byteCount {
        switch Bytes.at(bytes, index) {
        case UInt8(ascii: "\""): isQuoted.toggle()
        case UInt8(ascii: "\n") where !isQuoted: return false
        case UInt8(ascii: "\r") where !isQuoted:
          return index + 1 == bytes.byteCount || Bytes.at(bytes, index + 1) != UInt8(ascii: "\n")
        default: continue
        }
      }
      return false
    }
    guard endsWithReturn else { return self }
    // The memory is valid during the call, and no more of it is written than it has.
    return unsafe ByteSource { (memory) throws(VaultError) in
      var count = 0
      _ = try self.take { bytes in
        count = min(memory.count, bytes.byteCount)
        for index in 0..<count {
          let byte = Bytes.at(bytes, index)
          unsafe memory[index] = byte == UInt8(ascii: "\r") ? UInt8(ascii: "\n") : byte
        }
        return count
      }
      return count
    }
  }
}
