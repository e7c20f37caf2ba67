import SecureMemory
import VaultModel

/// The entries whose fields refer to those of others, by `{REF:P@I:…}` with a field's letter and an
/// entry's id.
///
/// The file is read a second time for what they refer to, so that no more is kept of it than that.
///
/// - Source: <https://keepass.info/help/base/fieldrefs.html>.
final class KeePassReferences: XMLEvents.Delegate {
  private static let mostEntries = 100_000
  private static let mark = Array("{ref:".utf8)
  /// The letters of fields in references.
  private static let keys: [UInt8: String] = [
    UInt8(ascii: "T"): "Title", UInt8(ascii: "U"): "UserName", UInt8(ascii: "P"): "Password",
    UInt8(ascii: "A"): "URL", UInt8(ascii: "N"): "Notes",
  ]

  private var entries: [KeePassEntry] = []
  /// The fields that references name, by the id of its entry and the key of the field.
  private var values: [String: [String: Secret]] = [:]

  private var path: [String] = []
  private var text = SecretBuffer()
  /// Whether the text is not longer than a secret.
  private var isWhole = true
  private var id = ""
  private var key = ""
  private var found: [String: Secret] = [:]

  static func isReference(_ value: Secret) -> Bool {
    value.withRawBytes { isReference($0) }
  }

  static func isReference(_ bytes: RawSpan) -> Bool { firstMark(in: bytes) != nil }

  /// Keeps an entry until the file was read.
  ///
  /// - Throws: ``VaultError/Code/tooLarge`` for too many of them.
  func add(_ entry: KeePassEntry) throws(VaultError) {
    guard entries.count < Self.mostEntries else {
      throw VaultError(.tooLarge, "too many entries that refer to others")
    }
    entries.append(entry)
    for (_, value, _) in entry.strings {
      value.withRawBytes { bytes in
        for part in Self.parts(bytes) {
          if case .reference(let id, _) = part { values[id] = [:] }
        }
      }
    }
  }

  /// Returns the entries, with what they refer to if the file can be read again.
  ///
  /// - Throws: Any error of the file.
  func resolved(_ options: ReadingOptions) throws(VaultError) -> [Entry] {
    if !values.isEmpty, let again = try options.again() {
      let parser = try XMLEvents("KeePass's XML", delegate: self)
      var input = SecretBuffer(capacity: 1 << 14)
      repeat {
        input.removeAll()
        try again.takeSome(into: &input)
        try input.withRawBytes { (bytes) throws(VaultError) in
          try parser.parse(bytes, isLast: bytes.isEmpty)
        }
      } while input.count > 0
    }
    return entries.map { $0.read(resolving: resolved) }
  }

  private static let deepest = 8

  /// Returns a value with all that it refers to; nil if something of that is not known, or refers
  /// to others in a circle.
  private func resolved(_ value: Secret) -> Secret? { resolved(value, depth: 0) }

  private func resolved(_ value: Secret, depth: Int) -> Secret? {
    guard Self.isReference(value) else { return value }
    guard depth < Self.deepest else { return nil }
    var whole = SecretBuffer(capacity: value.count)
    let isWhole = value.withRawBytes { bytes in
      Self.parts(bytes).allSatisfy { part in
        switch part {
        case .text(let range): whole.append(bytes.extracting(range))
        case .unknown: return false
        case .reference(let id, let key):
          guard let found = values[id]?[key].flatMap({ resolved($0, depth: depth + 1) }),
            whole.count + found.count <= InterchangeLimit.secret
          else { return false }
          found.withRawBytes { whole.append($0) }
        }
        return true
      }
    }
    return isWhole ? whole.secret(0..<whole.count) : nil
  }

  private enum Part {
    case text(Range<Int>)
    case reference(id: String, key: String)
    /// One by something else than the id of an entry, which only KeePass can search for.
    case unknown
  }

  private static func parts(_ bytes: RawSpan) -> [Part] {
    var (parts, start): ([Part], Int) = ([], 0)
    while start < bytes.byteCount {
      let rest = bytes.extracting(start..<bytes.byteCount)
      guard let mark = firstMark(in: rest) else {
        parts.append(.text(start..<bytes.byteCount))
        break
      }
      if mark.lowerBound > 0 { parts.append(.text(start..<(start + mark.lowerBound))) }
      let body = rest.extracting(mark.upperBound..<rest.byteCount)
      guard let end = Bytes.firstIndex(of: UInt8(ascii: "}"), in: body) else { return [.unknown] }
      parts.append(reference(body.extracting(0..<end)))
      start += mark.upperBound + end + 1
    }
    return parts
  }

  private static func firstMark(in bytes: RawSpan) -> Range<Int>? {
    var start = 0
    while start + mark.count <= bytes.byteCount,
      let brace = Bytes.firstIndex(of: mark[0], in: bytes.extracting(start..<bytes.byteCount))
    {
      let range = (start + brace)..<(start + brace + mark.count)
      guard range.upperBound <= bytes.byteCount else { return nil }
      if zip(range, mark).allSatisfy({ Bytes.at(bytes, $0).lowercasedASCII == $1 }) { return range }
      start = range.lowerBound + 1
    }
    return nil
  }

  /// Reads `P@I:` and the 32 hexadecimal digits of a UUID, in letters of any case.
  private static func reference(_ bytes: RawSpan) -> Part {
    guard bytes.byteCount == 36, let text = Bytes.textOrNil(bytes)?.uppercased(),
      let letter = text.utf8.first, let key = keys[letter], text.dropFirst().hasPrefix("@I:")
    else { return .unknown }
    return .reference(id: String(text.dropFirst(4)), key: key)
  }

  // MARK: The second reading

  func begin(
    _ element: String, attributes: [(name: String, value: String)]
  ) throws(VaultError) {
    path.append(element)
    text.removeAll()
    isWhole = true
    if element == "Entry", !path.contains("History") { (id, found) = ("", [:]) }
  }

  func text(_ bytes: RawSpan) throws(VaultError) {
    guard ["UUID", "Key", "Value"].contains(path.last), !path.contains("History") else { return }
    isWhole = isWhole && text.count + bytes.byteCount <= InterchangeLimit.secret
    if isWhole { text.append(bytes) }
  }

  func end(_ element: String) throws(VaultError) {
    path.removeLast()
    guard !path.contains("History") else { return }
    switch (path.last ?? "", element) {
    case ("Entry", "UUID"):
      // Sixteen bytes in base 64, of which references have the hexadecimal digits.
      id = Self.hexadecimal(text.secret(0..<text.count))
    case ("String", "Key"): key = text.text(0..<text.count) ?? ""
    case ("String", "Value"): if isWhole { found[key] = text.secret(0..<text.count) }
    case ("Group", "Entry"): if values[id] != nil { values[id] = found }
    default: break
    }
  }

  private static func hexadecimal(_ base64: Secret) -> String {
    do throws(VaultError) {
      return String(hexadecimal: try Base64.decode(base64).withRawBytes(Bytes.array)).uppercased()
    } catch {
      // No reference names it.
      return ""
    }
  }
}
