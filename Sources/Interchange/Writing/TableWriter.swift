import SecureMemory
import VaultModel

/// Writes the tables (RFC 4180) of browsers and of Bitwarden.
///
/// Values are written as they are: one that begins like a formula of a spreadsheet may be a
/// password, which has to survive.
struct TableWriter: PasswordWriter {
  /// A format by its columns.
  struct Layout: Sendable {
    let columns: [String]
    /// Whether a field is quoted that does not need it.
    let quotesAll: Bool
    let carried: Set<Attribute>
    /// Whether an item without a server has a place.
    let takesServices: Bool
    /// Whether a note is one there, too.
    var takesNotes = false
    let row: @Sendable (Item, Secret) -> [Field]
  }

  private let sink: ByteSink
  private let layout: Layout

  init(_ sink: ByteSink, _ layout: Layout) {
    self.sink = sink
    self.layout = layout
  }

  func begin() throws(VaultError) {
    try write(layout.columns.map { .text($0) })
  }

  func write(
    _ item: Item, password: Secret, isDefault: Bool
  ) throws(VaultError) -> WritingResult {
    let hasServer = item.key.itemClass == .internetPassword && !item.server.isUnset
    guard hasServer || layout.takesServices else { return .leftOut(.noServer) }
    guard Self.isText(password) else { return .leftOut(.secretNotText) }
    if let key = item.oneTimePasswordKey, !Self.isText(key) { return .leftOut(.secretNotText) }
    try write(layout.row(item, password))
    var losses = item.losses(carrying: layout.carried, isDefault: isDefault)
    if hasServer, item.protocol == .unset { losses.insert(.attribute(.protocol)) }
    // A table with times has one for the password and none for the item.
    if !losses.contains(.times), item.modified != item.secretChanged {
      losses.insert(.attribute(.modified))
    }
    if layout.carried.contains(.custom), !item.custom.allSatisfy(Self.fitsLine) {
      losses.insert(.attribute(.custom))
    }
    if layout.takesNotes, item.isNote { losses.remove(.attribute(.kind)) }
    // The name of an item without a server is its service.
    if !hasServer, !item.label.isEmpty, !item.label.hasSameBytes(as: item.key.service) {
      losses.insert(.attribute(.label))
    }
    return .written(losses)
  }

  func end() throws(VaultError) { try sink.flush() }

  private static func isText(_ secret: Secret) -> Bool {
    secret.withRawBytes { Bytes.problem($0) == nil }
  }

  /// Returns whether a custom attribute is a line `name: value` that is read as the same one; a
  /// reader drops those whose name says that they are secret.
  static func fitsLine(_ attribute: (key: String, value: String)) -> Bool {
    !attribute.key.contains(": ") && !attribute.value.isEmpty
      && !EntryDraft.isSecret(attribute.key)
      && !(attribute.key + attribute.value).utf8.contains { $0 == 10 || $0 == 13 }
  }

  private func write(_ row: [Field]) throws(VaultError) {
    for (index, field) in row.enumerated() {
      if index > 0 { try sink.write(UInt8(ascii: ",")) }
      try write(field)
    }
    try sink.write("\n")
  }

  private func write(_ field: Field) throws(VaultError) {
    let quote = UInt8(ascii: "\"")
    // Blanks at the ends are cut off by some readers.
    let isQuoted =
      layout.quotesAll
      || field.contains { byte in
        byte == quote || byte == UInt8(ascii: ",") || byte <= UInt8(ascii: " ")
      }
    if isQuoted { try sink.write(quote) }
    try field.withBytes { (bytes) throws(VaultError) in
      for index in 0..<bytes.byteCount {
        let byte = Bytes.at(bytes, index)
        if byte == quote { try sink.write(quote) }
        try sink.write(byte)
      }
    }
    if isQuoted { try sink.write(quote) }
  }
}

extension TableWriter.Layout {
  /// The columns of Firefox, in which a realm without a form is a login of HTTP authentication, and
  /// a form's address without a realm one of a page.
  static let firefox = TableWriter.Layout(
    columns: [
      "url", "username", "password", "httpRealm", "formActionOrigin", "guid", "timeCreated",
      "timeLastUsed", "timePasswordChanged",
    ],
    quotesAll: true, carried: [.protocol, .port, .realm, .created, .secretChanged, .modified],
    takesServices: false
  ) { item, secret in
    let origin = item.address(scheme: item.protocol == .httpProxy ? "moz-proxy" : nil)
    let changed = String(item.secretChanged.milliseconds)
    return [
      .text(origin), .text(item.account), .secret(secret), .text(item.realm),
      .text(item.realm.isEmpty ? origin : ""), .text(""), .text(String(item.created.milliseconds)),
      .text(changed), .text(changed),
    ]
  }

  static let chrome = TableWriter.Layout(
    columns: ["name", "url", "username", "password", "note"], quotesAll: false,
    carried: [.protocol, .port, .label, .comment], takesServices: false
  ) { item, secret in
    [
      .text(item.label), .text(item.address() + "/"), .text(item.account), .secret(secret),
      .text(item.comment),
    ]
  }

  static let bitwarden = TableWriter.Layout(
    columns: [
      "folder", "favorite", "type", "name", "notes", "fields", "reprompt", "login_uri",
      "login_username", "login_password", "login_totp",
    ],
    quotesAll: false,
    carried: [.protocol, .port, .label, .comment, .custom, .oneTimePasswordKey],
    takesServices: true, takesNotes: true
  ) { item, secret in
    let hasServer = item.key.itemClass == .internetPassword && !item.server.isUnset
    let others = item.custom.filter { $0.key != "folder" && TableWriter.fitsLine($0) }
      .sorted { $0.key < $1.key }
    return [
      .text(item.custom["folder"] ?? ""), .text(""), .text(item.isNote ? "note" : "login"),
      .text(hasServer ? item.label : item.key.service),
      item.isNote ? .secret(secret) : .text(item.comment),
      .text(others.map { "\($0): \($1)" }.joined(separator: "\n")), .text("0"),
      .text(hasServer ? item.address() : ""), .text(item.account),
      item.isNote ? .text("") : .secret(secret),
      item.oneTimePasswordKey.map { .secret($0) } ?? .text(""),
    ]
  }
}

extension Item {
  /// Whether it is a note, as an import makes it, and has nothing but its name and its text.
  fileprivate var isNote: Bool {
    kind == "secure note" && key.itemClass == .genericPassword && account.isEmpty
      && comment.isEmpty && oneTimePasswordKey == nil
  }
}
