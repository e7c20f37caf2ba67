import VaultModel

/// The long names of the options that set no attribute.
package enum GeneralOption: String, CaseIterable, Sendable {
  case vault
  case keyFile = "key-file"
  case passphraseFile = "passphrase-file"
  case passphraseFD = "passphrase-fd"
  case recoveryFile = "recovery-file"
  case recovery
  case trustFolder = "trust-folder"
  case noPrompt = "no-prompt"
  case remember
  case lockTimeout = "lock-timeout"
  case acceptVault = "accept-vault"
  case json
  case quiet
  case help

  case url
  case id
  case hasExpiry = "has-expiry"
  case hasRefreshToken = "has-refresh-token"
  case update
  case ifRevision = "if-revision"
  case to

  case passwordOnly = "password-only"
  case showPassword = "show-password"
  case show
  case force
  case passwordPrompt = "password-prompt"
  case passwordStdin = "password-stdin"
  case passwordFD = "password-fd"
  case passwordFile = "password-file"
  case exact
  case columns
  case sort
  case keepNewline = "keep-newline"
  case allowEmpty = "allow-empty"
  case generate
  case length
  case symbols
  case noAmbiguous = "no-ambiguous"
  case alphabet
  case words
  case refreshTokenFD = "refresh-token-fd"
  case refreshTokenFile = "refresh-token-file"

  case withKeyFile = "with-key-file"
  case env
  case fd
  case file
  case cleanEnv = "clean-env"
  case input
  case output
  case field
  case clear
  case osc52

  case both
  case name
  case kdf
  case keepKeyFile = "keep-key-file"
  case keepPassphraseFile = "keep-passphrase-file"
  case keepRecoveryFile = "keep-recovery-file"
  case removeSlot = "remove-slot"
  case removeSlots = "remove-slots"
  case yes
  case newKeyFile = "new-key-file"
  case newPassphraseFile = "new-passphrase-file"
  case newPassphraseFD = "new-passphrase-fd"

  case all
  case backup
  case strict
  case newest
  case since
  case limit
  case reverse
  case forGood = "for-good"
  case keep
  case item
  case check
  case manual = "man"
  case version

  case note
  case host
  case proxy
  case secure
  case loopback
  case max
  case timeout
  case lifetime
  case afterAcceptance = "after-acceptance"
  case requirePIN = "require-pin"
  case refuse
  case position
  case readOnly = "read-only"
  case owner
  case persistence
  case dryRun = "dry-run"
  case onConflict = "on-conflict"
  case map
  case rejectFile = "reject-file"
  case report
  case stdout
  case prefer
  case otherKeyFile = "other-key-file"
  case apply
  case undo
  case watch
  case fresh
  case maxAge = "max-age"

  case expiring
  case key
  case filePassphraseFile = "file-passphrase-file"
  case filePassphraseFD = "file-passphrase-fd"
  case format
  case chain
  case anchors
  case at
  case fingerprint
  case until
  case firstUse = "first-use"
  case pin
  case pinFD = "pin-fd"
  case newPinFD = "new-pin-fd"
  case withPIN = "with-pin"
  case admin
  case adminKeyFile = "admin-key-file"
}

/// The name of an option; one name means one thing in every command.
enum OptionName: Hashable, Sendable {
  case general(GeneralOption)
  /// Selects items by an attribute, or sets it.
  case attribute(Attribute)
  /// Sets an attribute whose own option selects: `--set-server`.
  case newValue(Attribute)

  /// The long name without its hyphens.
  var text: String {
    switch self {
    case .general(let option): option.rawValue
    case .attribute(let attribute): attribute.option ?? ""
    case .newValue(let attribute): "set-" + (attribute.option ?? "")
    }
  }
}

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

  /// The option of an attribute; its line in help is the table's unless another is given.
  @inline(never)
  init(_ attribute: Attribute, _ summary: String? = nil) {
    name = .attribute(attribute)
    letter = attribute.letter.map(Character.init)
    value = Value(attribute)
    self.summary = summary ?? attribute.summary
  }

  /// The option that gives an attribute a new value.
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
