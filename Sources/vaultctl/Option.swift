/// The options of the program by their long names; one name means one thing in every command.
enum OptionName: String, CaseIterable, Sendable {
  case vault
  case keyFile = "key-file"
  case passphraseFile = "passphrase-file"
  case passphraseFD = "passphrase-fd"
  case recoveryFile = "recovery-file"
  case recovery
  case trustFolder = "trust-folder"
  case noPrompt = "no-prompt"
  case lockTimeout = "lock-timeout"
  case acceptVault = "accept-vault"
  case json
  case quiet
  case help

  case server
  case port
  case networkProtocol = "protocol"
  case realm
  case account
  case path
  case auth
  case url
  case id
  case label
  case comment
  case kind
  case creator
  case type

  case setServer = "set-server"
  case setPort = "set-port"
  case setProtocol = "set-protocol"
  case setRealm = "set-realm"
  case setAccount = "set-account"
  case setPath = "set-path"
  case setAuth = "set-auth"
  case expires
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
  case allowEmpty = "allow-empty"
  case generate

  case both
  case name
  case kdf
  case keepKeyFile = "keep-key-file"
  case keepPassphraseFile = "keep-passphrase-file"
  case keepRecoveryFile = "keep-recovery-file"
  case dropSlot = "drop-slot"
  case dropSlots = "drop-slots"
  case newKeyFile = "new-key-file"
  case newPassphraseFile = "new-passphrase-file"
  case newPassphraseFD = "new-passphrase-fd"

  case all
  case backup
  case strict
  case newest
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
  case lifetime
  case afterAcceptance = "after-acceptance"
  case refuse
  case position
  case persistence
  case dryRun = "dry-run"
}

/// An option as the parser, the help, the manual page and the completions read it.
struct Option: Sendable {
  /// The kind of value that an option takes.
  enum Value: Sendable {
    case none
    case text(String)
    case file
    case folder
    case words(String, [String])
  }

  let name: OptionName
  let letter: Character?
  let value: Value
  let summary: String

  init(_ name: OptionName, _ letter: Character? = nil, _ value: Value = .none, _ summary: String) {
    self.name = name
    self.letter = letter
    self.value = value
    self.summary = summary
  }

  var takesValue: Bool {
    if case .none = value { false } else { true }
  }

  /// The placeholder of the value in help: `HOST`.
  var placeholder: String? {
    switch value {
    case .none: nil
    case .text(let placeholder), .words(let placeholder, _): placeholder
    case .file: "FILE"
    case .folder: "DIR"
    }
  }

  /// The option's spelling in messages: its letter if it has one.
  var spelling: String {
    letter.map { "-\($0)" } ?? "--\(name.rawValue)"
  }

  /// The left column of help: `-s, --server HOST`.
  var synopsis: String {
    let short = letter.map { "-\($0), " } ?? "    "
    return "\(short)--\(name.rawValue)" + (placeholder.map { " \($0)" } ?? "")
  }
}

/// Options that belong together, under the heading that help shows.
struct OptionGroup: Sendable {
  let heading: String
  let options: [Option]
}
