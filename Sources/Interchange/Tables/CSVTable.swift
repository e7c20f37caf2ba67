import SecureMemory
import VaultModel

/// The columns of a comma-separated format, by the names in its header.
///
/// Programs change the order of their columns, and add some, without notice; a reader must not
/// depend on either.
struct CSVTable: Sendable {
  /// The meaning of a column's fields.
  enum Meaning: Sendable, Equatable {
    case field(EntryField)
    /// Bitwarden's kind of entry: `login`, `note`.
    case kind
    /// Bitwarden's addresses, joined by commas.
    case addresses
    /// Bitwarden's own fields, `name: value`, one a line.
    case fields
    /// 1Password's mark of what is no longer used.
    case archived
    /// KeePassXC's group, which can be its recycle bin.
    case group
    /// Firefox's address that a form is sent to, mostly that of its page.
    case formOrigin
    /// One that the format does not have: a custom attribute, unless it only says 0 or false.
    case other
  }

  let format: InterchangeFormat
  /// The names in lower case, with their meaning; the first of two that a file has counts.
  let columns: [(name: String, meaning: Meaning)]
  /// The names that only this format has all of.
  let signature: [String]
  var path = Address.PathMeaning.page
  /// Whether its writers also end the last line: others leave that out, as RFC 4180 §2 allows.
  var endsEveryLine = false

  /// Returns the meanings of a header's columns.
  ///
  /// - Parameters:
  ///   - header: The names of the columns, as the file has them.
  ///   - chosen: Fields that the user chose for columns; they come before the table's.
  /// - Returns: As many as there are columns.
  /// - Throws: ``VaultError/Code/invalidData`` if there is no column for the password, or none that
  ///   says what it is for; ``VaultError/Code/invalidArgument`` for a choice of a column that the
  ///   file does not have. No name of the header is repeated: without a header it is a row.
  func meanings(
    of header: [String], _ chosen: [(name: String, field: EntryField)]
  ) throws(VaultError) -> [Meaning] {
    let names = header.map(Self.folded)
    let chosen = chosen.map { (name: Self.folded($0.name), field: $0.field) }
    guard chosen.allSatisfy({ choice in names.contains { $0.hasSameBytes(as: choice.name) } })
    else {
      throw VaultError(
        .invalidArgument, "a field is mapped to a column that the file does not have")
    }
    var taken: Set<String> = []
    var meanings = names.map { name -> Meaning in
      if let choice = chosen.last(where: { $0.name.hasSameBytes(as: name) }) {
        return .field(choice.field)
      }
      guard let column = columns.first(where: { $0.name == name }),
        taken.insert(column.name).inserted
      else { return .other }
      return column.meaning
    }
    // A column that the user chose for a field stands for the table's own.
    let fields = Set(chosen.map(\.field)).subtracting([.custom, .ignored, .url])
    for (index, meaning) in meanings.enumerated() {
      guard case .field(let field) = meaning, fields.contains(field),
        !chosen.contains(where: { $0.name.hasSameBytes(as: names[index]) })
      else { continue }
      meanings[index] = .other
    }
    guard meanings.contains(.field(.password)),
      meanings.contains(where: { [.field(.url), .field(.title), .addresses].contains($0) })
    else {
      throw VaultError(
        .invalidData,
        "line 1 is not the header of \(format.rawValue): it names no column for the password, or"
          + " none for what it is for")
    }
    return meanings
  }

  /// Returns whether anything of a column's fields is taken over.
  static func isRead(_ meaning: Meaning) -> Bool {
    switch meaning {
    case .field(.ignored), .field(.oneTimePassword): false
    default: true
    }
  }

  /// Returns whether a header is this format's.
  func describes(_ header: [String]) -> Bool {
    let names = Set(header.map(Self.folded))
    return signature.allSatisfy(names.contains)
  }

  private static func folded(_ name: String) -> String {
    name.lowercasedASCII.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
  }
}

extension CSVTable {
  /// The tables in the order in which ``InterchangeFormat/detect(_:)`` tries them: a format whose
  /// columns are a part of another's comes later.
  static let all = [
    firefox, bitwarden, lastPass, keePassXC, keePass1, onePassword, apple, chrome, oldChrome,
  ]

  /// Returns the tables of a format; none if it is not comma-separated.
  static func tables(of format: InterchangeFormat) -> [CSVTable] {
    all.filter { $0.format == format }
  }

  private static func columns(
    _ fields: (String, EntryField)..., others: [(String, Meaning)] = []
  ) -> [(name: String, meaning: Meaning)] {
    fields.map { ($0, .field($1)) } + others
  }

  /// Firefox's addresses are origins; times are in milliseconds.
  ///
  /// Its id of an entry, and when it was used last, mean nothing elsewhere.
  static let firefox = CSVTable(
    format: .firefox,
    columns: columns(
      ("url", .url), ("username", .account), ("password", .password), ("httprealm", .realm),
      ("timecreated", .created), ("timepasswordchanged", .modified), ("timelastused", .ignored),
      ("guid", .ignored), others: [("formactionorigin", .formOrigin)]),
    signature: ["url", "username", "password", "httprealm"], path: .scope)

  static let chrome = CSVTable(
    format: .chrome,
    columns: columns(
      ("name", .title), ("url", .url), ("username", .account), ("password", .password),
      ("note", .comment)),
    signature: ["name", "url", "username", "password"], endsEveryLine: true)

  /// The names of Chrome's own database.
  static let oldChrome = CSVTable(
    format: .chrome,
    columns: columns(
      ("origin_url", .url), ("username_value", .account), ("password_value", .password),
      ("signon_realm", .ignored)),
    signature: ["origin_url", "username_value", "password_value"])

  static let apple = CSVTable(
    format: .apple,
    columns: columns(
      ("title", .title), ("url", .url), ("username", .account), ("password", .password),
      ("notes", .comment), ("otpauth", .oneTimePassword)),
    signature: ["title", "url", "username", "password"])

  static let bitwarden = CSVTable(
    format: .bitwarden,
    columns: columns(
      ("folder", .folder), ("collections", .folder), ("name", .title), ("notes", .comment),
      ("login_username", .account), ("login_password", .password),
      ("login_totp", .oneTimePassword),
      others: [("type", .kind), ("fields", .fields), ("login_uri", .addresses)]),
    signature: ["login_uri", "login_password"])

  static let onePassword = CSVTable(
    format: .onePassword,
    columns: columns(
      ("title", .title), ("url", .url), ("website", .url), ("username", .account),
      ("password", .password), ("notes", .comment), ("otpauth", .oneTimePassword),
      ("one-time password", .oneTimePassword), ("tags", .tags),
      others: [("archived", .archived)]),
    signature: ["title", "username", "password", "tags"])

  /// KeePassX 2 has the first six columns.
  static let keePassXC = CSVTable(
    format: .keepassXC,
    columns: columns(
      ("title", .title), ("username", .account), ("password", .password), ("url", .url),
      ("notes", .comment), ("totp", .oneTimePassword), ("last modified", .modified),
      ("created", .created), others: [("group", .group)]),
    signature: ["group", "title", "username", "password"])

  static let keePass1 = CSVTable(
    format: .keepassXC,
    columns: columns(
      ("account", .title), ("login name", .account), ("password", .password), ("web site", .url),
      ("comments", .comment)),
    signature: ["account", "login name", "password", "web site"])

  static let lastPass = CSVTable(
    format: .lastPass,
    columns: columns(
      ("url", .url), ("username", .account), ("password", .password), ("totp", .oneTimePassword),
      ("extra", .comment), ("name", .title), ("grouping", .folder)),
    signature: ["url", "username", "password", "extra", "grouping"])
}
