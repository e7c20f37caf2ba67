/// Every option that a command can have, grouped as the commands share them.
///
/// The letters of items are those of macOS's `security` tool.
extension OptionGroup {
  static let common = OptionGroup(
    heading: "Vault",
    options: [
      Option(.vault, nil, .file, "the vault file (else VAULTCTL_VAULT, else the default place)"),
      Option(.keyFile, nil, .file, "unlock with this key file (else VAULTCTL_KEY_FILE)"),
      Option(.passphraseFile, nil, .file, "unlock with the passphrase in this file"),
      Option(.passphraseFD, nil, .text("N"), "unlock with the passphrase read from descriptor N"),
      Option(.recoveryFile, nil, .file, "unlock with the recovery code in this file"),
      Option(.recovery, nil, .none, "ask for a recovery code and unlock with it; init makes one"),
      Option(
        .trustFolder, nil, .folder,
        "use this folder though others can write it (VAULTCTL_TRUSTED_FOLDERS)"
      ),
      Option(.noPrompt, nil, .none, "never ask on the terminal"),
      Option(.lockTimeout, nil, .text("SECS"), "wait so long for other programs (default 10)"),
      Option(.acceptVault, nil, .none, "another vault than the one seen at this path is meant"),
      Option(.json, nil, .none, "write one JSON document, errors included"),
      Option(.quiet, "q", .none, "leave out hints and confirmations"),
      Option(.help, "h", .none, "show this command's help"),
    ])

  /// The common options for Git, which reads no JSON.
  static let commonOfGit = OptionGroup(
    heading: common.heading, options: common.options.filter { $0.name != .json })

  static let plain = OptionGroup(
    heading: "Options",
    options: [
      Option(.json, nil, .none, "write one JSON document, errors included"),
      Option(.quiet, "q", .none, "leave out hints and confirmations"),
      Option(.help, "h", .none, "show this command's help"),
    ])

  /// The parts of an item's key.
  static let key = [
    Option(.server, "s", .text("HOST"), "server"),
    Option(.port, "P", .text("PORT"), "port"),
    Option(.networkProtocol, "r", .words("PROTOCOL", protocols), "protocol, or its keychain code"),
    Option(.realm, "d", .text("REALM"), "realm (the keychain's security domain)"),
    Option(.account, "a", .text("USER"), "account, \"\" for none"),
    Option(.path, "p", .text("PATH"), "path"),
    Option(.auth, "t", .words("METHOD", methods), "authentication method, or its keychain code"),
    Option(.url, nil, .text("URL"), "fills protocol, server, port, path and account at once"),
  ]

  /// The attributes beside the key.
  static let metadata = [
    Option(.label, "l", .text("TEXT"), "label"),
    Option(.comment, "j", .text("TEXT"), "comment"),
    Option(.kind, "D", .text("TEXT"), "kind"),
    Option(.creator, "c", .text("CODE"), "creator, four characters"),
    Option(.type, "C", .text("CODE"), "type, four characters"),
  ]

  static let identity = Option(.id, nil, .text("ID"), "the item whose id begins so (6 or more)")

  /// Selectors with all attributes, for commands that change no attribute.
  static let selectors = OptionGroup(
    heading: "Which items (absent: any; empty: unset; port 0: any)",
    options: key + [identity] + metadata)

  /// Selectors by the key only, because the other letters change something.
  static let keySelectors = OptionGroup(
    heading: "Which item (absent: any; empty: unset; port 0: any)", options: key + [identity])

  static let newItem = OptionGroup(
    heading: "The item", options: key + metadata + [expiry])

  static let changes = OptionGroup(
    heading: "What to change (empty: unset)",
    options: metadata + [
      expiry,
      Option(.setServer, nil, .text("HOST"), "new server"),
      Option(.setPort, nil, .text("PORT"), "new port"),
      Option(.setProtocol, nil, .words("PROTOCOL", protocols), "new protocol"),
      Option(.setRealm, nil, .text("REALM"), "new realm"),
      Option(.setAccount, nil, .text("USER"), "new account"),
      Option(.setPath, nil, .text("PATH"), "new path"),
      Option(.setAuth, nil, .words("METHOD", methods), "new authentication method"),
    ])

  static let expiry = Option(
    .expires, nil, .text("TIME"), "2026-12-31T00:00:00Z, +90d (s m h d w), or never")

  static let revision = Option(
    .ifRevision, nil, .text("N"), "only if the item still has this revision, as show tells it")

  /// The sources of a secret; no option takes a secret itself.
  static let secretSources = OptionGroup(
    heading: "The secret (never an argument)",
    options: [
      Option(.passwordPrompt, "w", .none, "ask on the terminal, twice"),
      Option(.passwordStdin, nil, .none, "read it from standard input"),
      Option(.passwordFD, nil, .text("N"), "read it from descriptor N"),
      Option(.passwordFile, nil, .file, "read it from a file"),
      Option(.exact, nil, .none, "keep the line feed at its end"),
      Option(.allowEmpty, nil, .none, "store it also if it is empty"),
      Option(.generate, nil, .none, "make a random one of 24 letters and digits"),
    ])

  static let showing = OptionGroup(
    heading: "The secret",
    options: [
      Option(.passwordOnly, "w", .none, "print only the secret of the one item that matches"),
      Option(.showPassword, "g", .none, "print the attributes and the secret of that item"),
      Option(.force, nil, .none, "print a secret that is not text to a terminal"),
    ])

  static let showingOne = OptionGroup(
    heading: "The secret",
    options: [
      Option(.showPassword, "g", .none, "print the secret too"),
      Option(.force, nil, .none, "print a secret that is not text to a terminal"),
    ])

  static let kdf = Option(
    .kdf, nil, .text("PASSES:MIB"), "what trying the passphrase costs (default: about 0.5 s here)")

  static let newPassphrase = [
    Option(.newPassphraseFile, nil, .file, "the new passphrase is in this file"),
    Option(.newPassphraseFD, nil, .text("N"), "read the new passphrase from descriptor N"),
    kdf,
  ]

  static let newSlot = OptionGroup(
    heading: "The new slot",
    options: [
      Option(.name, nil, .text("TEXT"), "a name for it"),
      Option(.newKeyFile, nil, .file, "its key file, which is made if it is missing"),
    ] + newPassphrase)

  /// A rule of the policy; all conditions that are named have to hold.
  static let rule = OptionGroup(
    heading: "The rule (policy add)",
    options: [
      Option(.name, nil, .text("NAME"), "what it is called; no two rules have one name"),
      Option(.note, nil, .text("TEXT"), "a remark"),
      Option(.position, nil, .text("N"), "where it stands, 1 is first (default: last)"),
      Option(.host, nil, .text("PATTERN"), "for a host, *.example.com for those below it, or *"),
      Option(.networkProtocol, "r", .words("PROTOCOL", protocols), "for a protocol"),
      Option(.port, "P", .text("PORT"), "for a port"),
      Option(.auth, "t", .words("METHOD", methods), "for an authentication method"),
      Option(.proxy, nil, yesOrNo, "for proxies, or for servers"),
      Option(.secure, nil, yesOrNo, "where the secret would not, or would, travel in clear"),
      Option(.loopback, nil, yesOrNo, "for this machine itself, or for others"),
      Option(.max, nil, persistences, "keep it no more strongly than so"),
      Option(.lifetime, nil, .text("TIME"), "keep a secret so long, 30d (s m h d w)"),
      Option(.afterAcceptance, nil, .none, "keep only what a server has accepted"),
      Option(.refuse, nil, .none, "make it an error to store anything"),
    ])

  /// The request that `policy explain` is asked about, beside the URL and the method.
  static let request = OptionGroup(
    heading: "The request (policy explain; -t too)",
    options: [
      Option(.realm, "d", .text("REALM"), "realm (the keychain's security domain)"),
      Option(.persistence, nil, persistences, "what is asked for (default: permanent)"),
    ])

  static let dryRun = Option(.dryRun, nil, .none, "change nothing: say what would be done")

  private static let yesOrNo = Option.Value.words("yes|no", ["yes", "no"])
  private static let persistences = Option.Value.words(
    "none|session|permanent", ["none", "session", "permanent"])

  /// The protocols for completions; others are accepted.
  static let protocols = [
    "https", "http", "ftp", "ftps", "ssh", "sftp", "git", "imap", "imaps", "smtp", "smtps", "pop3",
    "pop3s", "ldap", "ldaps", "http-proxy", "https-proxy", "ftp-proxy", "socks",
  ]
  static let methods = ["default", "basic", "digest", "ntlm", "negotiate", "form", "bearer"]
}
