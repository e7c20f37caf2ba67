import Interchange
import VaultModel

/// The results of an import, entry by entry and counted.
struct ImportReport {
  enum Result: String, CaseIterable {
    case new
    case updated
    case keptBoth = "kept both"
    case identical
    case differs
    case rejected
    case leftOut = "left out"

    /// The name in JSON.
    var name: String { rawValue.replacing(" ", with: "_") }
  }

  struct Row {
    let place: Place
    let result: Result
    let title: String
    let key: Item.Key?
    let reason: String
    let remarks: [Remark: [String]]

    /// Whether something that the entry says is not in the vault.
    let isIncomplete: Bool
  }

  /// The rows that are listed.
  enum Listing {
    /// Those with an unexpected result, or that lack something, at the end.
    case unexpected
    /// All, at the end.
    case every
    /// All, each at once, as a line for this function.
    case shown((String) throws(VaultError) -> Void)
  }

  /// The rows to list at the end.
  private(set) var rows: [Row] = []
  /// The number of rows that are missing from ``rows``, and how many of them lack something.
  private(set) var omitted = (all: 0, incomplete: 0)
  /// The most rows that are kept for the end, and the most of those that lack something.
  static let mostRows = 10_000
  static let mostIncompleteRows = 100_000
  private var completeRows = 0
  private var counts: [Result: Int] = [:]
  private var remarks: [Remark: Int] = [:]
  /// Whether something that the file says is not in the vault.
  private(set) var isIncomplete = false
  /// Whether the file names a program that has passwords which the file has not.
  private var hasHelper = false
  /// Whether an entry was rejected because its text is in another encoding.
  private var hasOtherEncoding = false
  private let listing: Listing

  init(_ listing: Listing) {
    self.listing = listing
  }

  func count(_ result: Result) -> Int { counts[result] ?? 0 }

  func count(_ remark: Remark) -> Int { remarks[remark] ?? 0 }

  var total: Int { counts.values.reduce(0, +) }

  /// Counts a result, and lists it as it was chosen.
  ///
  /// - Throws: Any error of the function that is given lines.
  mutating func add(
    _ entry: Entry, _ result: Result, _ key: Item.Key? = nil, reason: String = ""
  ) throws(VaultError) {
    counts[result, default: 0] += 1
    for remark in entry.remarks.keys { remarks[remark, default: 0] += 1 }
    let lacksSomething = entry.lacksSomething || [.rejected, .differs].contains(result)
    if lacksSomething { isIncomplete = true }
    if case .leftOut(.elsewhere) = entry.content { hasHelper = true }
    if case .rejected("not UTF-8") = entry.content { hasOtherEncoding = true }
    let isExpected = !lacksSomething && [.new, .updated, .identical].contains(result)
    if case .unexpected = listing, isExpected { return }
    let row = Row(
      place: entry.place, result: result, title: entry.title, key: key, reason: reason,
      remarks: entry.remarks, isIncomplete: lacksSomething)
    if case .shown(let show) = listing { return try show(Self.line(row)) }
    // A file of millions of such rows must not fill the memory: the counts have them all.
    if row.isIncomplete {
      guard rows.count - completeRows < Self.mostIncompleteRows else {
        omitted.incomplete += 1
        omitted.all += 1
        return
      }
    } else {
      guard completeRows < Self.mostRows else {
        omitted.all += 1
        return
      }
      completeRows += 1
    }
    rows.append(row)
  }
}

extension ImportReport {
  /// The subject of a report.
  struct Outcome {
    let format: InterchangeFormat
    /// The file that was read; nil for standard input and for folders.
    let file: String?
    let isDryRun: Bool
    let isStrict: Bool
  }

  /// Writes the report, and returns the status that ends the program.
  func write(_ outcome: Outcome, _ invocation: Invocation) throws(VaultError) -> ExitCode {
    let rejected = count(.rejected)
    let isRefused = outcome.isStrict && rejected > 0
    let isImported = !outcome.isDryRun && !isRefused
    let error = isRefused ? refusal(outcome) : nil
    let status = error.map { ExitCode($0.code) } ?? (isIncomplete ? .incomplete : .success)
    if invocation.isJSON {
      try writeJSON(outcome, status, error, isImported: isImported, invocation)
      return status
    }
    try writeText(isImported: isImported, outcome, invocation)
    if let error { Messages.error(error) }
    guard !invocation.isQuiet else { return status }
    if hasHelper { try invocation.hint(Self.movingFromHelper) }
    if hasOtherEncoding { try invocation.hint(Self.converting) }
    if let hint = hint(isImported: isImported, outcome) { try invocation.hint(hint) }
    return status
  }

  private func refusal(_ outcome: Outcome) -> VaultError {
    let rejected = count(.rejected)
    let subject = rejected == 1 ? "1 entry was rejected" : "\(rejected) entries were rejected"
    return VaultError(
      .invalidData, subject + (outcome.isDryRun ? "" : ", so nothing was imported"))
  }

  private static let movingFromHelper =
    "docker-credential-HELPER list shows what a helper has; echo SERVER | docker-credential-HELPER"
    + " get | docker-credential-vaultctl store takes one over"

  private static let converting =
    "iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW converts a file that Windows may have written"

  private func hint(isImported: Bool, _ outcome: Outcome) -> String? {
    guard !outcome.isDryRun else { return nil }
    guard isImported else { return "without --strict the others are imported" }
    guard isIncomplete || total > count(.leftOut), let file = outcome.file else { return nil }
    return isIncomplete
      ? "\(Hint.quoted(file)) alone has what was left out or kept as it was: do not delete it yet"
      : "\(Hint.quoted(file)) still holds its passwords in clear text"
  }

  // MARK: Text

  private func writeText(
    isImported: Bool, _ outcome: Outcome, _ invocation: Invocation
  ) throws(VaultError) {
    let output = invocation.output
    for row in rows where !invocation.isQuiet || row.isIncomplete {
      try output.line(Self.line(row))
    }
    let more = invocation.isQuiet ? omitted.incomplete : omitted.all
    if more > 0 { try output.line("and \(more) more entries, which --report lists") }
    guard !invocation.isQuiet else { return try output.flush() }
    let counted = Result.allCases.filter { $0 == .new || count($0) > 0 }
      .map { "\(count($0)) \($0.rawValue)" }.joined(separator: ", ")
    let verb = isImported ? "imported" : outcome.isDryRun ? "would import" : "not imported"
    try output.line("\(verb): \(counted) (\(outcome.format.rawValue))")
    if total == 0 { try invocation.warn("there are no entries to import") }
    for remark in Remark.allCases where count(remark) > 0 {
      try invocation.warn("\(remark.rawValue): \(count(remark))")
    }
    try output.flush()
  }

  private static func line(_ row: Row) -> String {
    let title = row.title.isEmpty ? "" : "  \(ItemText.quoted(row.title))"
    let subject = row.key.map { "  \(ItemText.line(nil, $0))" } ?? title
    let reasons = (row.reason.isEmpty ? [] : [row.reason]) + losses(row)
    let said = reasons.joined(separator: "; ")
    let reason = said.isEmpty ? "" : subject.isEmpty ? ": \(said)" : "  (\(said))"
    return "\(row.place): \(row.result.rawValue)\(subject)\(reason)"
  }

  /// Returns what of an entry was left out, with the names of parts that have one.
  private static func losses(_ row: Row) -> [String] {
    Remark.allCases.filter(\.isLoss).compactMap { remark in
      guard let names = row.remarks[remark] else { return nil }
      return names.isEmpty
        ? remark.rawValue : "\(remark.rawValue): \(names.joined(separator: ", "))"
    }
  }

  // MARK: JSON

  private func writeJSON(
    _ outcome: Outcome, _ status: ExitCode, _ error: VaultError?, isImported: Bool,
    _ invocation: Invocation
  ) throws(VaultError) {
    try invocation.output.document(
      status: status == .incomplete ? status : nil, error: error
    ) { (json) throws(VaultError) in
      try json.field("format", outcome.format.rawValue)
      try json.field("imported", isImported)
      try json.field("dry_run", outcome.isDryRun)
      try json.object("counts") { (json) throws(VaultError) in
        for result in Result.allCases { try json.field(result.name, count(result)) }
      }
      try json.array("entries", rows) { (row, json) throws(VaultError) in try write(row, &json) }
      if omitted.all > 0 { try json.field("entries_omitted", omitted.all) }
    }
  }

  private func write(_ row: Row, _ json: inout JSONWriter) throws(VaultError) {
    try json.object { (json) throws(VaultError) in
      switch row.place {
      case .line(let number): try json.field("line", number)
      case .lines(let numbers):
        try json.field("line", numbers.lowerBound)
        try json.field("last_line", numbers.upperBound)
      case .entry(let number): try json.field("entry", number)
      case .file(let path): try json.field("file", path)
      }
      try json.field("result", row.result.name)
      if let key = row.key {
        for attribute in Attribute.all where attribute.isOfKey && attribute.isOf(key.itemClass) {
          try json.field(attribute, of: key)
        }
      }
      if !row.reason.isEmpty { try json.field("reason", row.reason) }
      if !row.title.isEmpty { try json.field("title", row.title) }
      let remarks = Remark.allCases.filter { row.remarks[$0] != nil }
      if !remarks.isEmpty { try json.field("remarks", remarks.map(\.rawValue)) }
      let parts = remarks.flatMap { row.remarks[$0] ?? [] }
      if !parts.isEmpty { try json.field("parts", parts) }
    }
  }
}

extension JSONWriter {
  /// Writes a part of a key, if it is set.
  fileprivate mutating func field(
    _ attribute: Attribute, of key: Item.Key
  ) throws(VaultError) {
    switch attribute {
    case .service: try field(attribute.json, key.service)
    case .server: try field(attribute.json, key.server.name)
    case .account: try field(attribute.json, key.account)
    case .protocol: try field(attribute.json, key.protocol.rawValue)
    case .port: if key.port != 0 { try field(attribute.json, key.port) }
    case .realm: if !key.realm.isEmpty { try field(attribute.json, key.realm) }
    case .path: if !key.path.isEmpty { try field(attribute.json, key.path) }
    default: break
    }
  }
}
