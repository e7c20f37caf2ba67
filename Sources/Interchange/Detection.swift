import SecureMemory
package import VaultModel

extension InterchangeFormat {
  /// Detects the format of a file by its beginning, which stays in the source.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - hasMap: Whether the user says what columns are, so that any table can be read.
  /// - Returns: The format.
  /// - Throws: ``VaultError/Code/invalidData`` if none is known that begins so; any error of the
  ///   source.
  package static func detect(
    _ source: ByteSource, hasMap: Bool = false
  ) throws(VaultError) -> InterchangeFormat {
    let head = try source.peek(ByteSource.bufferSize) { Secret(copying: $0) }
    guard head.count > 0 else { throw VaultError(.invalidData, "the file is empty") }
    let found = try head.withRawBytes { (bytes) throws(VaultError) -> InterchangeFormat? in
      // "PK" and two numbers begin every zip file.
      if Bytes.range(bytes, after: "PK\u{3}\u{4}") != nil { return .onePUX }
      let mark = Bytes.range(bytes, after: "\u{FEFF}")?.lowerBound ?? 0
      let text = bytes.extracting(mark..<bytes.byteCount)
      return try byMark(text.extracting(Bytes.trimmed(text)))
    }
    if let found { return found }
    let records = try CSVRecords(ByteSource(head))
    if try records.next(), records.problem == nil, let format = try byHeader(records) {
      return format
    }
    if let format = try byLine(ByteSource(head)) { return format }
    if hasMap { return .table }
    guard let columns = records.problem == nil ? records.fields.count : nil, columns > 1 else {
      throw VaultError(
        .invalidData, "the format is not known by the beginning of the file: name it")
    }
    throw VaultError(
      .invalidData,
      "no format has these \(columns) columns, which \(records.separatorName) separate: name it, or"
        + " say with --map what they are")
  }

  /// Returns the format of a table whose columns the header has; of several the one that knows the
  /// most of them.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if two know as many: the user knows which it is.
  private static func byHeader(_ records: CSVRecords) throws(VaultError) -> InterchangeFormat? {
    let tables = CSVTable.all.filter { $0.describes(records) }
    let most = tables.map { $0.knownColumns(of: records) }.max()
    let formats = Set(tables.filter { $0.knownColumns(of: records) == most }.map(\.format))
    return try only(formats, "the columns are")
  }

  /// Returns the only one of the formats; nil if there is none.
  private static func only(
    _ formats: Set<InterchangeFormat>, _ parts: String
  ) throws(VaultError) -> InterchangeFormat? {
    guard formats.count > 1 else { return formats.first }
    let names = formats.map(\.rawValue).sorted().joined(separator: " and ")
    throw VaultError(.invalidData, "\(parts) those of \(names): name the one that it is")
  }

  /// Returns the format that begins with a mark of its own.
  private static func byMark(_ bytes: RawSpan) throws(VaultError) -> InterchangeFormat? {
    guard bytes.byteCount > 0 else { return nil }
    switch Bytes.at(bytes, 0) {
    case UInt8(ascii: "{"):
      // Inside a text, a quotation mark would have a backslash before it.
      let marks: [(StaticString, InterchangeFormat)] = [
        ("\"vaultctl-export\"", .json), ("\"encrypted\"", .bitwardenJSON),
        ("\"parent_uuid\"", .enpass),
        ("\"template_type\"", .enpass), ("\"auths\"", .docker), ("\"credHelpers\"", .docker),
        ("\"credsStore\"", .docker),
      ]
      var found: Set<InterchangeFormat> = []
      for (mark, format) in marks where Bytes.contains(bytes, mark) { found.insert(format) }
      return try only(found, "the names in it are")
    case UInt8(ascii: "<"): return .keepassXML
    case UInt8(ascii: "["): return Bytes.range(bytes, after: "[/") != nil ? .secretTool : nil
    default:
      let marks: [StaticString] = ["keychain: ", "class: "]
      return marks.contains { Bytes.range(bytes, after: $0) != nil } ? .keychainDump : nil
    }
  }

  /// Returns the format of the first line that is not blank and no comment.
  private static func byLine(_ source: ByteSource) throws(VaultError) -> InterchangeFormat? {
    let lines = try LineReader(source)
    while try lines.next() {
      guard lines.problem == nil else { return nil }
      let format = lines.bytes.withRawBytes { bytes -> InterchangeFormat?? in
        let text = bytes.extracting(Bytes.trimmed(bytes))
        guard text.byteCount > 0, Bytes.at(text, 0) != UInt8(ascii: "#") else { return nil }
        let parts = AddressParts(text)
        if parts.scheme != nil { return parts.user == nil ? .some(nil) : .gitCredentials }
        let word = (0..<text.byteCount).first { Bytes.isBlank(Bytes.at(text, $0)) }
        let keyword = Bytes.textOrNil(text.extracting(0..<(word ?? text.byteCount)))
        let keywords = ["machine", "default", "macdef"]
        return keywords.contains(keyword?.lowercasedASCII ?? "") ? .netrc : .some(nil)
      }
      if let format { return format }
    }
    return nil
  }
}
