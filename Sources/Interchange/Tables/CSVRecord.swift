import SecureMemory
import VaultModel

/// One record of a table while it is read, in guarded memory.
///
/// It is a state machine over pieces of the file, because a call for each byte of the file would
/// cost more than everything else in an import.
struct CSVRecord: ~Copyable {
  /// The most fields that a record may have.
  static let mostFields = 512

  private enum State {
    case fieldStart
    case plain
    /// After a carriage return, which ends the record if a line feed follows.
    case carriageReturn
    case quoted
    /// After a quotation mark in a quoted field: its end, or the first of two that stand for one.
    case mark
    /// After a backslash in a quoted field, in a file where it escapes what follows.
    case escaped
  }

  /// The meaning of a backslash in a quoted field; RFC 4180 has none for it.
  enum Backslash {
    case literal
    /// It escapes a quotation mark that cannot end the field, as 1Password 7 writes.
    case beforeMark
    /// It escapes a quotation mark or itself, as KeePass 1 writes.
    case escape
  }

  /// The byte between two fields.
  let separator: UInt8
  var backslash: Backslash
  private(set) var bytes = SecretBuffer(capacity: 4096)
  /// The ranges of the fields in ``bytes``.
  private(set) var fields: [Range<Int>] = []
  /// The reason to reject the record; nil if it can be read.
  private(set) var problem: String?
  /// Whether no quotation mark has made one field of several.
  private(set) var isSplit = true
  /// Whether a line end was read.
  private(set) var isTerminated = false
  /// Whether the file ends in the last field, which no quotation mark and no line end closes.
  private(set) var endsOpen = false
  private var state = State.fieldStart
  private var start = 0
  /// The end of the quoted text of the present field, behind which there may be no other.
  private var quotedEnd: Int?
  private var isWhole = true

  init(separator: UInt8, backslash: Backslash = .literal) {
    self.separator = separator
    self.backslash = backslash
  }

  /// Whether the text that was read last, inside quotation marks, is a line feed.
  var endsWithLineFeed: Bool {
    state == .quoted
      && bytes.withRawBytes { bytes in
        bytes.byteCount > start && Bytes.at(bytes, bytes.byteCount - 1) == UInt8(ascii: "\n")
      }
  }

  /// Forgets the record, and begins the next one.
  mutating func removeAll() {
    bytes.removeAll()
    fields.removeAll(keepingCapacity: true)
    (problem, isSplit, isTerminated, endsOpen, isWhole) = (nil, true, false, false, true)
    (state, start, quotedEnd) = (.fieldStart, 0, nil)
  }

  /// Reads up to the line end of the record, and returns how many bytes it has taken.
  mutating func read(_ piece: RawSpan) -> Int {
    var index = 0
    while index < piece.byteCount, !isTerminated {
      let byte = Bytes.at(piece, index)
      switch state {
      case .fieldStart where byte == UInt8(ascii: "\""):
        state = .quoted
        index += 1
      case .fieldStart: state = .plain
      case .plain:
        let end = Self.end(in: piece, from: index) { [separator] in
          $0 == separator || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
        }
        append(piece.extracting(index..<end))
        index = end
        guard index < piece.byteCount else { break }
        endPlain(at: Bytes.at(piece, index))
        index += 1
      case .carriageReturn where byte == UInt8(ascii: "\n"):
        endField()
        isTerminated = true
        index += 1
      case .carriageReturn:
        append(UInt8(ascii: "\r"))
        state = .plain
      case .quoted where backslash == .escape:
        let end = Self.end(in: piece, from: index) {
          $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
        }
        append(piece.extracting(index..<end))
        index = end
        guard index < piece.byteCount else { break }
        state = Bytes.at(piece, index) == UInt8(ascii: "\"") ? .mark : .escaped
        index += 1
      case .escaped:
        append(byte)
        state = .quoted
        index += 1
      case .quoted:
        let rest = piece.extracting(index..<piece.byteCount)
        let mark = Bytes.firstIndex(of: UInt8(ascii: "\""), in: rest)
        append(rest.extracting(first: mark ?? rest.byteCount))
        index += mark ?? rest.byteCount
        guard index < piece.byteCount else { break }
        state = .mark
        index += 1
      case .mark where byte == UInt8(ascii: "\""):
        append(byte)
        state = .quoted
        index += 1
      case .mark where backslash == .beforeMark && isEscaped(before: byte):
        bytes.truncate(to: bytes.count - 1)
        append(UInt8(ascii: "\""))
        state = .quoted
      case .mark:
        quotedEnd = bytes.count
        state = .plain
      }
    }
    return index
  }

  /// Ends the record, at its line end or at that of the file, and looks for what is wrong with it.
  mutating func finish() {
    if !isTerminated {
      if state == .quoted || state == .escaped { reject("a quotation mark that is never closed") }
      if state == .carriageReturn { append(UInt8(ascii: "\r")) }
      endsOpen = state != .mark && quotedEnd == nil
      endField()
    }
    if !isWhole { problem = "longer than \(InterchangeLimit.record >> 20) MiB" }
    if problem == nil { problem = bytes.withRawBytes(Bytes.problem) }
  }

  @inline(__always)
  private static func end(
    in piece: RawSpan, from start: Int, where isEnd: (UInt8) -> Bool
  ) -> Int {
    // The bytes are valid inside the closure, and the index is below their count.
    unsafe piece.withUnsafeBytes { bytes in
      var index = start
      while index < bytes.count, unsafe !isEnd(bytes[index]) { index += 1 }
      return index
    }
  }

  /// Returns whether a quotation mark was part of its field: a backslash is before it, and nothing
  /// that could follow a field behind it.
  private func isEscaped(before byte: UInt8) -> Bool {
    byte != separator && !"\r\n".utf8.contains(byte) && bytes.count > start
      && bytes[bytes.count - 1] == UInt8(ascii: "\\")
  }

  /// Takes a separator, a line feed or a carriage return, which alone is part of the field.
  private mutating func endPlain(at byte: UInt8) {
    guard byte != UInt8(ascii: "\r") else {
      state = .carriageReturn
      return
    }
    endField()
    isTerminated = byte == UInt8(ascii: "\n")
  }

  private mutating func endField() {
    if let quotedEnd, bytes.count > quotedEnd { reject("text after a closing quotation mark") }
    if fields.count < Self.mostFields {
      fields.append(start..<bytes.count)
    } else {
      reject("more than \(Self.mostFields) fields")
      bytes.truncate(to: start)
    }
    (state, start, quotedEnd) = (.fieldStart, bytes.count, nil)
  }

  /// Keeps the first of several reasons.
  private mutating func reject(_ reason: String) {
    problem = problem ?? reason
    isSplit = false
  }

  private mutating func append(_ piece: RawSpan) {
    let room = min(piece.byteCount, InterchangeLimit.record - bytes.count)
    bytes.append(piece.extracting(first: room))
    if room < piece.byteCount { isWhole = false }
  }

  private mutating func append(_ byte: UInt8) {
    if bytes.count < InterchangeLimit.record { bytes.append(byte) } else { isWhole = false }
  }
}
