import VaultModel

// Password managers that also write what is no login.
extension CSVTable {
  static let nordPass = CSVTable(
    format: .nordPass,
    columns: columns(
      ("name", .title), ("url", .url), ("username", .account), ("password", .password),
      ("note", .comment), ("folder", .folder), ("totp", .oneTimePassword),
      others: [
        ("type", .kind), ("additional_urls", .addressList), ("cardnumber", .cardNumber),
        ("custom_fields", .fieldList),
      ]),
    signature: ["name", "url", "username", "password", "cardholdername", "cardnumber"])

  static let protonPass = protonPass(["name", "email", "username", "password", "totp", "vault"])

  /// Its first exports did not say which vault an entry was in.
  static let oldProtonPass = protonPass(
    ["type", "name", "username", "password", "totp", "createtime"])

  private static func protonPass(_ signature: [String]) -> CSVTable {
    CSVTable(
      format: .protonPass,
      columns: columns(
        ("name", .title), ("username", .account), ("password", .password), ("note", .comment),
        ("totp", .oneTimePassword), ("createtime", .created), ("modifytime", .modified),
        ("vault", .folder),
        others: [("type", .kind), ("url", .addresses), ("email", .otherAccount)]),
      signature: signature)
  }

  /// The mail address, or another name, is the account of an entry without one.
  static let dashlane = CSVTable(
    format: .dashlane,
    columns: columns(
      ("title", .title), ("url", .url), ("username", .account), ("password", .password),
      ("note", .comment), ("category", .folder), ("otpsecret", .oneTimePassword),
      ("otpurl", .oneTimePassword),
      others: [("username2", .otherAccount), ("username3", .otherAccount)]),
    signature: ["username", "username2", "title", "password", "category"])

  /// The other tables of Dashlane's archive.
  static let dashlaneOthers = [
    CSVTable(
      format: .dashlane, columns: columns(("title", .title), ("note", .comment)),
      signature: ["title", "note"], isExact: true, kind: "secure note"),
    CSVTable(
      format: .dashlane,
      columns: columns(
        ("account_name", .title), ("note", .comment),
        others: [("type", .kind), ("cc_number", .cardNumber), ("account_number", .cardNumber)]),
      signature: ["type", "account_name", "cc_number"], kind: "payment"),
    CSVTable(
      format: .dashlane,
      columns: columns(
        ("name", .title), others: [("type", .kind), ("number", .cardNumber)]),
      signature: ["type", "number", "name", "issue_date"], kind: "document"),
    CSVTable(
      format: .dashlane, columns: columns(("item_name", .title)),
      signature: ["type", "first_name", "last_name", "item_name"], kind: "identity"),
    CSVTable(
      format: .dashlane,
      columns: columns(
        ("name", .title), ("passphrase", .password), ("note", .comment),
        others: [("hidden", .mark)]),
      signature: ["ssid", "passphrase", "name"]),
  ]

  /// A row has as many form fields as its form.
  static let roboForm = CSVTable(
    format: .roboForm,
    columns: columns(
      ("name", .title), ("url", .url), ("login", .account), ("pwd", .password),
      ("note", .comment), ("folder", .folder),
      others: [("rf_fields", .formFields), ("rffieldsv2", .formFields)]),
    signature: ["name", "url", "login", "pwd"])

  static let buttercup = CSVTable(
    format: .buttercup,
    columns: columns(
      ("title", .title), ("username", .account), ("password", .password), ("url", .url),
      ("id", .ignored), ("note", .comment), ("notes", .comment),
      others: [
        ("!type", .kind), ("!group_id", .groupID), ("!group_name", .groupName),
        ("!group_parent", .groupParent),
      ]),
    signature: ["!group_id", "title", "username", "password"])

  /// It writes no header, and a row has as many own fields as its entry.
  static let keeper = CSVTable(
    format: .keeper,
    columns: columns(
      ("folder", .folder), ("title", .title), ("login", .account), ("password", .password),
      ("website address", .url), ("notes", .comment), ("shared folder", .folder),
      others: [("custom fields", .pairs)]),
    signature: ["title", "login", "password", "website address"], mayLackHeader: true)
}
