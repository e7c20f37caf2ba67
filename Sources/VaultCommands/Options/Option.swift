import VaultModel

/// An option as the parser, the help, the manual page and the completions read it.
struct Option: Sendable {
  /// The kind of value that an option takes.
  enum Value: Sendable {
    case none
    case text(String)
    /// A text that may be missing, and otherwise follows an equals sign.
    case optional(String)
    case file
    case folder
    /// A vault's file, one of the configuration's or any.
    case vault
    /// One of these words; the placeholder is nil if the words stand for themselves.
    case words(String?, [String])
    /// One or more of these words, between commas.
    case list(String, [String])
    /// A name that the vault has.
    case name(String, CompletionSubject)
    /// A reference to an item behind a name and an equals sign.
    case binding(String)
  }

  let name: OptionName
  let letter: Character?
  let value: Value
  let summary: String

  init(
    _ name: GeneralOption, _ letter: Character? = nil, _ value: Value = .none, _ summary: String
  ) {
    self.name = .general(name)
    self.letter = letter
    self.value = value
    self.summary = summary
  }

  /// Creates the option of an attribute; its line in help is the table's unless another is given.
  @inline(never)
  init(_ attribute: Attribute, _ summary: String? = nil) {
    name = .attribute(attribute)
    letter = attribute.letter.map(Character.init)
    value = Value(attribute)
    self.summary = summary ?? attribute.summary
  }

  /// Creates the option that gives an attribute a new value.
  init(newValueOf attribute: Attribute) {
    name = .newValue(attribute)
    letter = nil
    value = Value(attribute)
    summary = "new " + attribute.name
  }

  /// Whether a value has to follow.
  var takesValue: Bool {
    switch value {
    case .none, .optional: false
    case .text, .file, .folder, .vault, .words, .list, .name, .binding: true
    }
  }

  /// Whether a value may follow after an equals sign.
  var mayTakeValue: Bool {
    if case .optional = value { true } else { false }
  }

  /// The placeholder of the value in help: `HOST`.
  var placeholder: String? {
    switch value {
    case .none: nil
    case .words(let placeholder, let words): placeholder ?? words.joined(separator: "|")
    case .text(let placeholder), .optional(let placeholder), .list(let placeholder, _),
      .name(let placeholder, _), .binding(let placeholder):
      placeholder
    case .file, .vault: "FILE"
    case .folder: "DIR"
    }
  }

  /// The option's spelling in messages: its letter if it has one.
  var spelling: String {
    letter.map { "-\($0)" } ?? "--\(name.text)"
  }

  /// The left column of help: `-s, --server SERVER`.
  var synopsis: String {
    let short = letter.map { "-\($0), " } ?? "    "
    let start = "\(short)--\(name.text)"
    return start + (placeholder.map { mayTakeValue ? "[=\($0)]" : " \($0)" } ?? "")
  }
}

/// Options that belong together, under the heading that help shows.
struct OptionGroup: Sendable {
  let heading: String
  let options: [Option]
}

extension Option.Value {
  /// Returns the kind of an attribute's option, by the attribute's form.
  init(_ attribute: Attribute) {
    self =
      switch attribute.form {
      case .host: .name("SERVER", .hosts)
      case .networkProtocol: .words("PROTOCOL", Self.protocols)
      case .method: .words("METHOD", Self.methods)
      case .port: .text("PORT")
      case .code: .text("CODE")
      case .flag: Self.yesOrNo
      case .secretKind:
        .words(nil, Values.secretKinds)
      case .time, .moment: .text("TIME")
      case .text where attribute == .account: .name(attribute.placeholder ?? "TEXT", .accounts)
      case .text where attribute == .service: .name(attribute.placeholder ?? "TEXT", .services)
      case .text, .data, .id, .revision, .secret, .custom:
        .text(attribute.placeholder ?? "TEXT")
      }
  }

  static let yesOrNo = Self.words(nil, ["yes", "no"])

  /// The protocols for completions; others are accepted.
  static let protocols = [
    "https", "http", "ftp", "ftps", "ssh", "sftp", "git", "imap", "imaps", "smtp", "smtps", "pop3",
    "pop3s", "ldap", "ldaps", "http-proxy", "https-proxy", "ftp-proxy", "socks",
  ]
  static let methods = ["default", "basic", "digest", "ntlm", "negotiate", "form", "bearer"]
}
