import SecureMemory
import VaultModel

/// Reads the entries of a comma-separated format.
///
/// A class, because a copy of all its parts for each row would take as long as reading the row.
final class CSVReader: EntryReader {
  private let records: CSVRecords
  private let meanings: [CSVTable.Meaning]
  private let header: [String]
  private let table: CSVTable
  private let options: ReadingOptions

  /// Reads the header.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if there is none, or it is not the format's; as
  ///   ``CSVTable/meanings(of:_:)``; any error of the source.
  init(
    _ source: ByteSource, _ format: InterchangeFormat, _ options: ReadingOptions
  ) throws(VaultError) {
    records = try CSVRecords(source)
    header = try records.header()
    let tables = CSVTable.tables(of: format)
    guard let table = tables.first(where: { [header] in $0.describes(header) }) ?? tables.first
    else { throw VaultError(.unsupported, "\(format.rawValue): not a table") }
    self.table = table
    self.options = options
    meanings = try table.meanings(of: header, options.columns)
  }

  func next() throws(VaultError) -> Entry? {
    guard try records.next() else { return nil }
    let place = records.place
    if let problem = records.problem { return Entry(place, .rejected(problem)) }
    let fields = records.fields
    guard fields.count <= meanings.count else {
      return Entry(place, .rejected("more fields than the header has columns"))
    }
    guard records.isTerminated || fields.count == meanings.count else {
      return Entry(place, .rejected(Entry.cut))
    }
    let mayBeCut = records.endsOpen && meanings.last.map(CSVTable.isRead) ?? false
    guard !mayBeCut || !table.endsEveryLine else {
      return Entry(place, .rejected(Entry.cutAtItsEnd))
    }
    var draft = EntryDraft(.line(records.line), path: table.path, options)
    if mayBeCut { draft.remark(.mayBeCut) }
    do throws(VaultError) {
      try records.withRawBytes { (bytes) throws(VaultError) in
        for (index, field) in fields.enumerated() where !field.isEmpty {
          guard meanings[index] != .formOrigin || !isAddress(bytes, field) else { continue }
          try read(bytes.extracting(field), meanings[index], header[index], into: &draft)
        }
      }
    } catch {
      return draft.entry(rejectedBy: error)
    }
    return draft.entry()
  }

  private func read(
    _ bytes: RawSpan, _ meaning: CSVTable.Meaning, _ column: String, into draft: inout EntryDraft
  ) throws(VaultError) {
    switch meaning {
    case .field(let field):
      // LastPass's address of notes.
      guard field != .url || table.format != .lastPass || !Bytes.equal(bytes, "http://sn") else {
        draft.kind = "secure note"
        return
      }
      try draft.read(bytes, as: field, named: column)
    case .other, .formOrigin:
      let saysNothing = ["0", "false", "False", "FALSE"].contains { Bytes.equal(bytes, $0) }
      if !saysNothing { try draft.addCustom(column, bytes) }
    case .kind:
      draft.kind = Self.kind(try Bytes.text(bytes, "type"))
    case .addresses: try Self.readAddresses(bytes, into: &draft)
    case .fields: try Self.readFields(bytes, into: &draft)
    case .archived:
      if ["true", "1"].contains(try Bytes.text(bytes, "archived").lowercasedASCII) {
        draft.exclusion = .archived
      }
    case .group:
      let group = try Bytes.text(bytes, "group")
      if group.split(separator: "/").contains("Recycle Bin") { draft.exclusion = .trashed }
      // Every entry is below the root.
      let name = group.split(separator: "/", maxSplits: 1).dropFirst().joined()
      draft.addCustom("folder", name)
    }
  }

  /// Returns whether a field says what that of the address says.
  private func isAddress(_ bytes: RawSpan, _ field: Range<Int>) -> Bool {
    guard let index = meanings.firstIndex(of: .field(.url)), index < records.fields.count else {
      return false
    }
    let url = records.fields[index]
    return url.count == field.count
      && zip(url, field).allSatisfy { Bytes.at(bytes, $0) == Bytes.at(bytes, $1) }
  }

  /// Returns what people call an entry by Bitwarden's word for it; empty for a login.
  private static func kind(_ type: String) -> String {
    switch type.lowercasedASCII {
    case "login", "": ""
    case "note", "securenote": "secure note"
    default: type
    }
  }

  /// Splits at commas before what looks like another address: a comma can also be part of one.
  private static func readAddresses(
    _ bytes: RawSpan, into draft: inout EntryDraft
  ) throws(VaultError) {
    var start = 0
    for index in 0..<bytes.byteCount where Bytes.at(bytes, index) == UInt8(ascii: ",") {
      var end = index + 1
      while end < bytes.byteCount, Bytes.at(bytes, end) != UInt8(ascii: ",") { end += 1 }
      guard isAddress(bytes.extracting((index + 1)..<end)) else { continue }
      try draft.addAddress(bytes.extracting(start..<index))
      start = index + 1
    }
    try draft.addAddress(bytes.extracting(start..<bytes.byteCount))
  }

  private static func isAddress(_ bytes: RawSpan) -> Bool {
    if AddressParts(bytes).scheme != nil { return true }
    var hasDot = false
    for index in 0..<bytes.byteCount {
      let byte = Bytes.at(bytes, index)
      if byte == UInt8(ascii: ".") { hasDot = true }
      guard byte.isLetter || byte.isDigit || ".-:/".utf8.contains(byte) else { return false }
    }
    return hasDot
  }

  /// Reads Bitwarden's fields: a line that begins none belongs to the one before.
  private static func readFields(
    _ bytes: RawSpan, into draft: inout EntryDraft
  ) throws(VaultError) {
    var fields: [(name: String, value: Range<Int>)] = []
    var start = 0
    while start < bytes.byteCount {
      let rest = bytes.extracting(start..<bytes.byteCount)
      let end = start + (Bytes.firstIndex(of: UInt8(ascii: "\n"), in: rest) ?? rest.byteCount)
      let colon = (start..<end).first {
        $0 + 1 < end && Bytes.at(bytes, $0) == UInt8(ascii: ":")
          && Bytes.at(bytes, $0 + 1) == UInt8(ascii: " ")
      }
      if let colon {
        fields.append((try Bytes.text(bytes.extracting(start..<colon), "field"), colon + 2..<end))
      } else if let last = fields.popLast() {
        fields.append((last.name, last.value.lowerBound..<end))
      } else {
        fields.append(("field", start..<end))
      }
      start = end + 1
    }
    for field in fields { try draft.addCustom(field.name, bytes.extracting(field.value)) }
  }
}

extension CSVRecords {
  /// The lines of the present record: all of them, because a quotation mark without an end makes
  /// one record of several.
  fileprivate var place: Place { lastLine > line ? .lines(line...lastLine) : .line(line) }

  /// Reads the names of the columns.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if there is no record, or it cannot be read.
  func header() throws(VaultError) -> [String] {
    guard try next() else { throw VaultError(.invalidData, "the file is empty") }
    if let problem { throw VaultError(.invalidData, "line \(line): \(problem)") }
    return texts
  }
}
