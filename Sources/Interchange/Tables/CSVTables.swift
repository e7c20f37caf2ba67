import VaultModel

extension CSVTable {
  /// The tables in the order in which ``InterchangeFormat/detect(_:)`` tries them: a format whose
  /// columns are a part of another's comes later.
  static let all =
    [
      firefox, bitwarden, lastPass, keePassXC, keePass1, buttercup, roboForm, keeper, nordPass,
      protonPass, oldProtonPass, dashlane, onePassword, apple, chrome, oldChrome,
    ] + dashlaneOthers

  /// Returns the tables of a format; none if it is not comma-separated.
  static func tables(of format: InterchangeFormat) -> [CSVTable] {
    format == .table ? [any] : all.filter { $0.format == format }
  }

  static func columns(
    _ fields: (String, EntryField)..., others: [(String, Meaning)] = []
  ) -> [(name: String, meaning: Meaning)] {
    fields.map { ($0, .field($1)) } + others
  }

  /// The names that `--map` has for the fields.
  private static let any = CSVTable(
    format: .table, columns: EntryField.allCases.map { ($0.rawValue, .field($0)) }, signature: [])

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

  /// Programs that write the same have notes and tags, too.
  static let chrome = CSVTable(
    format: .chrome,
    columns: columns(
      ("name", .title), ("url", .url), ("username", .account), ("password", .password),
      ("note", .comment), ("notes", .comment), ("tags", .tags)),
    signature: ["name", "url", "username", "password"], endsEveryLine: true)

  /// The names of Chrome's own database.
  static let oldChrome = CSVTable(
    format: .chrome,
    columns: columns(
      ("origin_url", .url), ("username_value", .account), ("password_value", .password),
      others: [("signon_realm", .formOrigin)]),
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
      others: [
        ("favorite", .mark), ("reprompt", .mark), ("type", .kind), ("fields", .fields),
        ("login_uri", .addresses),
      ]),
    signature: ["login_uri", "login_password"])

  static let onePassword = CSVTable(
    format: .onePassword,
    columns: columns(
      ("title", .title), ("url", .url), ("website", .url), ("username", .account),
      ("password", .password), ("notes", .comment), ("otpauth", .oneTimePassword),
      ("one-time password", .oneTimePassword), ("tags", .tags),
      others: [("archived", .archived), ("favorite", .mark)]),
    signature: ["title", "username", "password", "tags"], backslash: .beforeMark)

  /// KeePassX 2 has the first six columns.
  static let keePassXC = CSVTable(
    format: .keepassXC,
    columns: columns(
      ("title", .title), ("username", .account), ("password", .password), ("url", .url),
      ("notes", .comment), ("totp", .oneTimePassword), ("last modified", .modified),
      ("created", .created), others: [("group", .group), ("icon", .mark)]),
    signature: ["group", "title", "username", "password"], hasReferences: true)

  static let keePass1 = CSVTable(
    format: .keepassXC,
    columns: columns(
      ("account", .title), ("login name", .account), ("password", .password), ("web site", .url),
      ("comments", .comment)),
    signature: ["account", "login name", "password", "web site"], backslash: .escape,
    hasReferences: true)

  static let lastPass = CSVTable(
    format: .lastPass,
    columns: columns(
      ("username", .account), ("password", .password), ("totp", .oneTimePassword),
      ("extra", .comment), ("name", .title), ("grouping", .folder),
      others: [("url", .markedAddress), ("fav", .mark)]),
    signature: ["url", "username", "password", "extra", "grouping"])
}
