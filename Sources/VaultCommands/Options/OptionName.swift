import VaultModel

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
  case hasTOTP = "has-totp"
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
  case print0
  case null
  case raw
  case curl
  case columns
  case sort
  case noPager = "no-pager"
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
  case totp
  case totpFD = "totp-fd"
  case totpFile = "totp-file"
  case copy
  case clip

  case withKeyFile = "with-key-file"
  case env
  case envFile = "env-file"
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
  case forPrograms = "for-programs"
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
  case ntlm
  case negotiateInClear = "negotiate-in-clear"
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
