import VaultModel

/// Every option that a command can have, grouped as the commands share them.
///
/// The letters of items are those of macOS's `security` tool.
extension OptionGroup {
  static let common = OptionGroup(
    heading: "Vault",
    options: [
      Option(
        .vault, nil, .vault,
        "the vault file (else VAULTCTL_VAULT, else the configuration's, else the default); several"
          + " for commands that look items up"),
      Option(.keyFile, nil, .file, "unlock with this key file (else VAULTCTL_KEY_FILE)"),
      Option(.passphraseFile, nil, .file, "unlock with the passphrase in this file"),
      Option(.passphraseFD, nil, .text("N"), "unlock with the passphrase read from descriptor N"),
      Option(.recoveryFile, nil, .file, "unlock with the recovery code in this file"),
      Option(
        .recovery, nil, .none, "prompt for a recovery code and unlock with it"),
      Option(
        .trustFolder, nil, .folder,
        "use this folder even if others can write to it (VAULTCTL_TRUSTED_FOLDERS)"
      ),
      Option(.noPrompt, nil, .none, "never prompt on the terminal"),
      Option(
        .remember, nil, .optional("TIME"),
        "remember the key of a passphrase that is typed, as unlock does (else VAULTCTL_REMEMBER);"
          + " 15m, 15m,8h, operation or no"),
      Option(
        .lockTimeout, nil, .text("TIME"),
        "wait this long for other programs: seconds, or a time like 2m (default 10)"),
      Option(.acceptVault, nil, .none, "accept a different vault than the one seen at this path"),
      Option(.json, nil, .none, "write one JSON document, errors included"),
      Option(.quiet, "q", .none, "omit hints and confirmations"),
      Option(.help, "h", .none, "show this command's help"),
    ])

  /// The options that may precede the command.
  static let beforeCommand = OptionGroup(
    heading: common.heading,
    options: common.options + [Option(.version, nil, .none, "show the program's version")])

  /// The common options for Git and Docker, each of which reads a form of its own.
  static let commonOfHelpers = OptionGroup(
    heading: common.heading, options: common.options.filter { $0.name != .general(.json) })

  /// The common options for `init`, whose recovery code is made and not asked for.
  static let commonOfInit = OptionGroup(
    heading: common.heading,
    options: common.options.filter { $0.name != .general(.recovery) })

  /// The options of a line that is being typed which decide the names that a completion offers.
  static let typedPlace = OptionGroup(
    heading: common.heading,
    options: common.options.filter { [.general(.vault), .general(.keyFile)].contains($0.name) })

  static let plain = OptionGroup(
    heading: "Options",
    options: [
      Option(.json, nil, .none, "write one JSON document, errors included"),
      Option(.quiet, "q", .none, "omit hints and confirmations"),
      Option(.help, "h", .none, "show this command's help"),
    ])

  /// The parts of an item's key, and the URL that sets most of them.
  static let key =
    [
      .server, .port, .protocol, .realm, .account, .path, .authenticationMethod, .service,
    ].map { Option($0) }
    + [
      Option(
        .url, nil, .name("URL", .urls), "sets protocol, server, port, path and account at once")
    ]

  /// The selectable attributes beside the key.
  static let metadata = Attribute.all
    .filter { !$0.isOfKey && $0 != .expires && $0.option != nil }
    .map { Option($0) }

  static let identity = Option(
    .id, nil, .name("ID", .ids), "the item whose id begins with this (6 or more)")

  static let literal = Option(
    .exact, nil, .none, "take a path as the item's own, and prefer no default user")

  /// Selectors with all attributes, for commands that change no attribute.
  static let selectors = OptionGroup(
    heading: "Which items (absent: any; empty: unset; port 0: any)",
    options: key + [identity, literal] + metadata + [
      Option(.hasExpiry, nil, .yesOrNo, "only items that expire, or only those that do not"),
      Option(
        .hasRefreshToken, nil, .yesOrNo, "only items with a refresh token, or only those without"),
      Option(
        .hasTOTP, nil, .yesOrNo, "only items with one-time passwords, or only those without"),
    ])

  /// Selectors by the key only, because the other letters change something.
  static let keySelectors = OptionGroup(
    heading: "Which item (absent: any; empty: unset; port 0: any)",
    options: key + [identity, literal])

  static let expiring = Option(
    .expiring, nil, .text("TIME"),
    "only those that expire within this time, as 30d, or before a day; the exit status is 47 if"
      + " there are any")

  static let listing = OptionGroup(
    heading: "The list",
    options: [
      Option(
        .columns, nil, .list("NAME,...", ItemColumn.names),
        "these columns: place, vault, or a name that --json has"),
      Option(
        .sort, nil, .words("NAME", ItemColumn.names), "in the order of a column (default: place)"),
      Invocation.noPager,
    ])

  static let newItem = OptionGroup(
    heading: "The item", options: key + metadata + [Option(.expires)])

  static let changes = OptionGroup(
    heading: "What to change (empty: unset)",
    options: metadata + [Option(.expires)]
      + key.compactMap { option in
        guard case .attribute(let attribute) = option.name else { return nil }
        return Option(newValueOf: attribute)
      })

  static let revision = Option(
    .ifRevision, nil, .text("N"), "only if the item still has this revision, as show prints it")

  /// The sources of a secret; no option takes a secret itself.
  static let secretSources = OptionGroup(
    heading: "The secret (never an argument)",
    options: [
      Option(.passwordPrompt, "w", .none, "prompt on the terminal, twice"),
      Option(.passwordStdin, nil, .none, "read it from standard input"),
      Option(.passwordFD, nil, .text("N"), "read it from descriptor N"),
      Option(.passwordFile, nil, .file, "read it from a file"),
      Option(.keepNewline, nil, .none, "keep a line feed at its end"),
      Option(.allowEmpty, nil, .none, "store it even if it is empty"),
      Option(
        .generate, nil, .optional("SPEC"),
        "generate one of 24 random letters and digits; or by SPEC, as 32, 32,symbols,no-ambiguous or"
          + " 6,words for words"),
      Option(.refreshTokenFD, nil, .text("N"), "read its OAuth refresh token from descriptor N"),
      Option(.refreshTokenFile, nil, .file, "read its OAuth refresh token from a file"),
      Option(
        .totp, nil, .none, "prompt for the key of its one-time passwords: otpauth:… or base 32"),
      Option(.totpFD, nil, .text("N"), "read that key from descriptor N"),
      Option(.totpFile, nil, .file, "read that key from a file"),
    ])

  static let showing = OptionGroup(
    heading: "The secret",
    options: [
      Option(.passwordOnly, "w", .none, "print only the secret of the one matching item"),
      Option(.showPassword, "g", .none, "print the attributes and the secret of that item"),
      Option(.raw, nil, .none, "print only the secret, byte for byte, without a line feed"),
      Option(.curl, nil, .none, "print its account and secret as a line of curl's configuration"),
      Option(.force, nil, .none, "print a secret to a terminal even if it is not text"),
      pinDescriptor,
    ])

  static let showingOne = OptionGroup(
    heading: "The secret",
    options: [
      Option(.showPassword, "g", .none, "print the secret too"),
      pinDescriptor,
    ])

  static let pinDescriptor = Option(
    .pinFD, nil, .text("N"), "read the item's PIN from descriptor N (else a prompt)")

  static let kdf = Option(
    .kdf, nil, .text("PASSES:MIB"), "cost of trying the passphrase (default: about 0.5 s here)")

  static let newPassphrase = [
    Option(.newPassphraseFile, nil, .file, "read the new passphrase from this file"),
    Option(.newPassphraseFD, nil, .text("N"), "read the new passphrase from descriptor N"),
    kdf,
  ]

  static let newSlot = OptionGroup(
    heading: "The new slot",
    options: [
      Option(.name, nil, .text("TEXT"), "a name for it"),
      Option(.newKeyFile, nil, .file, "its key file, which is created if it is missing"),
    ] + newPassphrase)

  /// A rule of the policy; all named conditions must hold.
  static let rule = OptionGroup(
    heading: "The rule (policy add)",
    options: [
      Option(.name, nil, .text("NAME"), "its name; no two rules share one"),
      Option(.note, nil, .text("TEXT"), "a note"),
      Option(.position, nil, .text("N"), "its position, 1 is first (default: last)"),
      Option(.service, "for a service; NAME* for those that begin so, * for all"),
      Option(.host, nil, .text("PATTERN"), "for a host; *.example.com for names below it, or *"),
      Option(.protocol, "for a protocol"),
      Option(.port, "for a port"),
      Option(.authenticationMethod, "for an authentication method"),
      Option(.proxy, nil, .yesOrNo, "for proxies, or for servers"),
      Option(.secure, nil, .yesOrNo, "where the secret is not, or is, sent in clear"),
      Option(.loopback, nil, .yesOrNo, "for this machine itself, or for others"),
      Option(.max, nil, persistences, "keep it at most this strongly"),
      Option(
        .lifetime, nil, .text("TIME"), "keep a secret this long, as 30d or +12h (s m h d w y)"),
      Option(.afterAcceptance, nil, .none, "keep only what a server has accepted"),
      Option(
        .requirePIN, nil, .none, "keep only what needs a PIN, and the rest for the session"),
      Option(.refuse, nil, .none, "make it an error to store anything"),
      Option(.ntlm, nil, .yesOrNo, "answer NTLM, or never do (default: for items with -t ntlm)"),
      Option(.negotiateInClear, nil, .none, "answer Negotiate over http to another machine"),
    ])

  /// The request that `policy explain` judges, beside the URL and the method.
  static let request = OptionGroup(
    heading: "The request (policy explain; -t too)",
    options: [
      Option(.realm),
      Option(.persistence, nil, persistences, "what is asked for (default: permanent)"),
    ])

  static let yes = Option(.yes, "y", .none, "do not ask first on the terminal")

  static let dryRun = Option(.dryRun, nil, .none, "change nothing; say what would be done")

  private static let persistences = Option.Value.words(
    nil, ["none", "session", "permanent"])
}
