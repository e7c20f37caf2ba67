import SecureMemory
import VaultModel

/// Reads the entries of a comma-separated format.
///
/// A class, because a copy of all its parts for each row would take as long as reading the row.
final class CSVReader: EntryReader {
  private let records: CSVRecords
  private let meanings: [CSVTable.Meaning]
  private let header: [String]
  /// Whether a column's name says that its values are secret.
  private let areSecret: [Bool]
  /// Whether a row may have more fields than the header names, in pairs or one by one.
  private let hasMore: Bool
  /// The index of the column of the address.
  private let addressColumn: Int?
  /// The index of the column of the title, if it is before all that can be secret.
  private let titleColumn: Int?
  private let table: CSVTable
  private let options: ReadingOptions
  /// Whether the first record was read as a header, and is an entry.
  private var isEntryRead = false
  private var groups = FolderNames()

  private static let swallowing =
    "a quotation mark that nothing closes may have made one of several rows: double it, as \"\","
    + " in a field between quotation marks"

  /// Reads the header.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if there is none, or it is not the format's; as
  ///   ``CSVTable/meanings(of:_:)``; any error of the source.
  init(
    _ source: ByteSource, _ format: InterchangeFormat, _ options: ReadingOptions
  ) throws(VaultError) {
    records = try CSVRecords(source)
    guard try records.next() else { throw VaultError(.invalidData, "the file is empty") }
    if let problem = records.problem { throw VaultError(.invalidData, "line 1: \(problem)") }
    let tables = CSVTable.tables(of: format)
    let described = tables.first { [records] in $0.describes(records) }
    guard let table = described ?? tables.first else {
      throw VaultError(.unsupported, "\(format.rawValue): not a table")
    }
    self.table = table
    self.options = options
    records.setBackslash(table.backslash)
    isEntryRead = table.mayLackHeader && described == nil && options.columns.isEmpty
    // Without a header, its texts would be the secrets of the first entry.
    guard
      isEntryRead || described != nil || !options.columns.isEmpty
        || table.columns.contains(where: { [records] in records.hasField($0.name) })
    else { throw table.noHeader }
    header = isEntryRead ? table.columns.map(\.name) : records.texts
    areSecret = header.map(EntryDraft.isSecret)
    meanings = try table.meanings(of: header, options.columns)
    hasMore = meanings.last == .formFields || meanings.last == .pairs
    addressColumn = meanings.firstIndex(of: .field(.url))
    titleColumn = meanings.prefix { $0.isShown }.firstIndex(of: .field(.title))
    guard !isEntryRead || records.fields.count >= table.signature.count else {
      throw VaultError(.invalidData, "line 1 has too few fields for \(format.rawValue)")
    }
  }

  func next() throws(VaultError) -> Entry? {
    if isEntryRead {
      isEntryRead = false
    } else {
      guard try records.next() else { return nil }
    }
    let place = records.place
    if let problem = records.problem { return rejected(place, problem) }
    let fields = records.fields
    // A comma that no quotation marks enclose moves the rest of its row: which field is the
    // password is not known then.
    guard hasMore || fields.dropFirst(meanings.count).allSatisfy(\.isEmpty) else {
      return rejected(place, "more fields than the header has columns")
    }
    guard !records.mayHoldRows(of: meanings.count, hasMore: hasMore) else {
      return Entry(place, .rejected(Self.swallowing))
    }
    let fewest = meanings.count - (meanings.last == .pairs ? 1 : 0)
    guard records.isTerminated || fields.count >= fewest else {
      return Entry(place, .rejected(Entry.cut))
    }
    let mayBeCut =
      hasMore
      ? !records.isTerminated
      : records.endsOpen
        && meanings.last.map { CSVTable.mayBeCut($0, isEmpty: fields.last?.isEmpty ?? true) }
          ?? false
    guard !mayBeCut || !table.endsEveryLine else {
      return Entry(place, .rejected(Entry.cutAtItsEnd))
    }
    var draft = EntryDraft(.line(records.line), path: table.path, options)
    draft.kind = table.kind
    if mayBeCut { draft.remark(.mayBeCut) }
    do throws(VaultError) {
      try records.withRawBytes { (bytes) throws(VaultError) in try read(bytes, into: &draft) }
    } catch {
      return draft.entry(rejectedBy: error)
    }
    return draft.entry()
  }

  /// Returns the present record as rejected, with its title if that can be no other field.
  private func rejected(_ place: Place, _ reason: String) -> Entry {
    var entry = Entry(place, .rejected(reason))
    if records.isSplit, let titleColumn, titleColumn < records.fields.count {
      entry.title = records.texts[titleColumn]
    }
    return entry
  }

  private func read(_ bytes: RawSpan, into draft: inout EntryDraft) throws(VaultError) {
    let fields = records.fields
    var group = (id: "", name: "", parent: "")
    for (index, field) in fields.enumerated() where !field.isEmpty {
      let number = min(index, meanings.count - 1)
      let (column, bytes) = (header[number], bytes.extracting(field))
      switch meanings[number] {
      case .otherAccount:
        draft.otherAccounts.append((column, try Bytes.text(bytes, "account")))
      case .groupID: group.id = try Bytes.text(bytes, "group")
      case .groupName: group.name = try Bytes.text(bytes, "group")
      case .groupParent: group.parent = try Bytes.text(bytes, "group")
      case .formOrigin where isAddress(field): break
      case .pairs where number == meanings.count - 1: break
      case _ where table.hasReferences && KeePassReferences.isReference(bytes):
        draft.remark(.otherField, "\(column), which refers to another entry")
      case .other, .field(.custom):
        try draft.addCustom(column, bytes, isSecret: areSecret[number])
      case let meaning: try draft.read(bytes, meaning, column)
      }
    }
    if meanings.last == .pairs {
      for index in stride(from: meanings.count - 1, to: fields.count - 1, by: 2) {
        let name = try Bytes.text(bytes.extracting(fields[index]), "field")
        try draft.addCustom(name, bytes.extracting(fields[index + 1]))
      }
      // A name without a value, or a value without a name.
      if fields.count >= meanings.count, (fields.count - meanings.count) % 2 == 0,
        let last = fields.last
      {
        try draft.addCustom("field", bytes.extracting(last))
      }
    }
    guard !group.id.isEmpty else { return }
    if draft.exclusion == .folder {
      guard groups.add(group.id, group.name, in: group.parent) else {
        throw VaultError(.tooLarge, "too many groups, or too long a name")
      }
    } else {
      draft.addCustom("folder", groups[group.id] ?? group.id)
    }
  }

  /// Returns whether a field says what that of the address says.
  private func isAddress(_ field: Range<Int>) -> Bool {
    guard let addressColumn, addressColumn < records.fields.count else { return false }
    return records.hasSameBytes(records.fields[addressColumn], field)
  }
}

extension CSVRecords {
  /// The lines of the present record: all of them, because a quotation mark without an end makes
  /// one record of several.
  fileprivate var place: Place { lastLine > line ? .lines(line...lastLine) : .line(line) }
}
