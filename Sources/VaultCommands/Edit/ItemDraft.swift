import SecureMemory
import VaultModel
import VaultTerminal

/// An item as a text that a person edits: one attribute a line, as `realm: Team Git`.
///
/// Characters that a line cannot hold are written as `\n`, `\t`, `\r` and `\u{…}`, and a backslash
/// as two. The secret is in it only if it is given, and never passes through a `String`.
struct ItemDraft {
  private enum Field: Hashable {
    case attribute(Attribute)
    case custom(String)

    var name: String {
      switch self {
      case .attribute(let attribute): attribute.option ?? ""
      // A colon ends the name.
      case .custom(let name): "custom \(ItemDraft.escaped(name).replacing(":", with: "\\u{3a}"))"
      }
    }
  }

  private static let secretName = "secret"

  private let fields: [(field: Field, text: String)]
  private let secret: Secret?

  /// - Parameter item: The item, with its secret if that is to be edited too.
  /// - Throws: ``VaultError/Code/invalidData`` if the secret is not a line of text.
  init(_ item: Item) throws(VaultError) {
    let itemClass = item.key.itemClass
    fields =
      Attribute.all.filter { $0.option != nil && $0 != .custom && $0.isOf(itemClass) }
      .map { (.attribute($0), ItemText.value($0, of: item)) }
      + ItemText.sorted(item.custom).map { (.custom($0.key), $0.value) }
    secret = item.secret
    guard secret.map(SecretText.isLine) ?? true else {
      throw VaultError(
        .invalidData, "the secret is not a line of text (vaultctl modify --password-file sets it)")
    }
  }

  /// Writes the text to a descriptor.
  func write(to descriptor: Int32) throws(VaultError) {
    var text =
      "# One attribute a line; an empty one is unset. Lines that begin with # are ignored.\n"
    for (field, value) in fields { text += "\(field.name): \(Self.escaped(value))\n" }
    text += "# custom NAME: VALUE adds a custom attribute.\n"
    try Descriptor.write(text, to: descriptor)
    guard let secret else { return }
    try Descriptor.write("\(Self.secretName): ", to: descriptor)
    try secret.withRawBytes { bytes throws(VaultError) in
      try Descriptor.write(bytes, to: descriptor)
    }
    try Descriptor.write("\n", to: descriptor)
  }

  /// Returns the changes that an edited text makes; none if it says the same.
  ///
  /// A line that is gone unsets its attribute, but the secret is kept without its line, and an item
  /// cannot lose its server or service in this way. An empty text changes nothing.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` with the number of the first line that is wrong, but
  ///   not its text.
  func changes(in edited: Secret) throws(VaultError) -> [ItemChange] {
    var (values, newSecret): ([Field: (text: String, line: Int)], Secret?) = ([:], nil)
    for (index, line) in Self.lines(of: edited).enumerated() {
      let number = index + 1
      guard let line = try Self.parsed(line, number, isSecret: secret != nil) else { continue }
      switch line {
      case .secret(let value):
        guard newSecret == nil else { throw Self.wrong(number, "the password is there twice") }
        guard value.count > 0 || secret?.count == 0 else {
          throw Self.wrong(number, "the secret is empty")
        }
        newSecret = value
      case .field(let name, let text):
        guard let field = field(named: name) else {
          throw Self.wrong(number, "not an attribute of this item")
        }
        guard values[field] == nil else {
          throw Self.wrong(number, "\(field.name) is there twice")
        }
        values[field] = (text, number)
      }
    }
    // An editor that was left with an empty file changes nothing.
    guard !values.isEmpty, let first = fields.first?.field else { return [] }
    guard values[first] != nil else { throw Self.wrong(0, "the line of \(first.name) is gone") }
    var changes = try changes(to: values)
    if let newSecret, let secret, !newSecret.isEqual(to: secret) {
      changes.append(.secret(newSecret))
    }
    return changes
  }

  private func changes(
    to values: [Field: (text: String, line: Int)]
  ) throws(VaultError) -> [ItemChange] {
    var changes: [ItemChange] = []
    for (field, old) in fields {
      let (text, line) = values[field] ?? ("", 0)
      guard !text.utf8.elementsEqual(old.utf8) else { continue }
      switch field {
      case .custom(let name): changes.append(.custom(name, text.isEmpty ? nil : text))
      case .attribute(let attribute):
        do throws(VaultError) {
          changes.append(ItemChange(attribute, try Values.value(text, of: attribute)))
        } catch {
          throw Self.wrong(line, "\(field.name): \(error.context)")
        }
      }
    }
    let known = Set(fields.map(\.field))
    for (field, value) in values.sorted(by: { $0.value.line < $1.value.line }) {
      guard case .custom(let name) = field, !known.contains(field) else { continue }
      changes.append(.custom(name, value.text.isEmpty ? nil : value.text))
    }
    return changes
  }

  private func field(named name: String) -> Field? {
    let custom = "custom "
    if name.hasPrefix(custom), name != custom { return .custom(String(name.dropFirst(7))) }
    return fields.first { $0.field.name == name }?.field
  }

  // MARK: Reading

  private enum Line {
    case field(name: String, text: String)
    case secret(Secret)
  }

  /// Returns the lines without their ends.
  private static func lines(of text: Secret) -> [Secret] {
    text.withRawBytes { bytes in
      var (lines, start): ([Secret], Int) = ([], 0)
      for index in 0...bytes.byteCount {
        let isEnd = index == bytes.byteCount || byte(index, of: bytes) == UInt8(ascii: "\n")
        guard isEnd else { continue }
        let hasReturn = index > start && byte(index - 1, of: bytes) == UInt8(ascii: "\r")
        lines.append(
          Secret(copying: bytes.extracting(start..<(hasReturn ? index - 1 : index))))
        start = index + 1
      }
      return lines
    }
  }

  private static func byte(_ index: Int, of bytes: RawSpan) -> UInt8 {
    // Every caller's index is below the count, and a byte has no alignment.
    unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
  }

  /// Returns what a line says; nil for a comment and an empty line.
  private static func parsed(
    _ line: Secret, _ number: Int, isSecret: Bool
  ) throws(VaultError) -> Line? {
    let start = secretName + ":"
    if isSecret, line.count >= start.utf8.count,
      line.prefix(start.utf8.count).isEqual(to: Secret(start))
    {
      return .secret(value(line, after: start.utf8.count))
    }
    let text = line.withBytes { bytes in
      // The text is copied before the closure ends.
      unsafe bytes.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
    }
    guard let text else { throw wrong(number, "not UTF-8") }
    if text.hasPrefix("#") || text.allSatisfy({ $0 == " " }) { return nil }
    guard let colon = text.firstIndex(of: ":") else { throw wrong(number, "no colon") }
    var value = text[text.index(after: colon)...]
    if value.first == " " { value.removeFirst() }
    guard let name = unescaped(text[..<colon]), let plain = unescaped(value) else {
      throw wrong(number, "a backslash that means nothing")
    }
    return .field(name: name, text: plain)
  }

  private static func value(_ line: Secret, after start: Int) -> Secret {
    line.withRawBytes { bytes in
      let isBlank = bytes.byteCount > start && byte(start, of: bytes) == UInt8(ascii: " ")
      return Secret(copying: bytes.extracting(droppingFirst: start + (isBlank ? 1 : 0)))
    }
  }

  private static func wrong(_ line: Int, _ text: String) -> VaultError {
    VaultError(.invalidData, line > 0 ? "line \(line): \(text)" : text)
  }

  // MARK: Escaping

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.isUnprintable: result += scalar.byNumber
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func unescaped(_ text: Substring) -> String? {
    var (result, rest) = ("", text.unicodeScalars)
    while let scalar = rest.popFirst() {
      guard scalar == "\\" else {
        result.unicodeScalars.append(scalar)
        continue
      }
      switch rest.popFirst() {
      case "\\": result += "\\"
      case "n": result += "\n"
      case "r": result += "\r"
      case "t": result += "\t"
      case "u":
        guard rest.popFirst() == "{", let end = rest.firstIndex(of: "}"),
          let value = UInt32(String(rest[..<end]), radix: 16), let named = Unicode.Scalar(value)
        else { return nil }
        result.unicodeScalars.append(named)
        rest = rest[rest.index(after: end)...]
      default: return nil
      }
    }
    return result
  }
}
