package import VaultAdministration
import SecureMemory
package import VaultModel

/// `vaultctl add`: adds one item.
package enum AddCommand {
  static let command = Command(
    id: .add, operands: Command.Operands(synopsis: "[URL|[USER@]HOST]", count: 0...1),
    summary: "add an item", example: "vaultctl add https://ann@git.example.com",
    details: [
      "Name the server with a URL, as USER@HOST[/PATH], or with -s. A host alone is https unless -r"
        + " names a protocol, and a port needs one: a URL. The account is in the operand or follows -a; -a \"\" makes an"
        + " item without one. Without a source for the secret, add prompts for it on"
        + " the terminal, twice. One line feed at the end of other input is not part of the"
        + " secret.",
      "If an item with the same key (server, port, protocol, realm, account, path, method)"
        + " exists, add refuses; -U changes that item instead. For -U and for URLs, no port and"
        + " the protocol's default port are the same. If -s adds an item that differs from"
        + " another only in this, a warning names the other.",
      "With -t bearer, or --secret-kind token, the secret is a token: over HTTP it answers Bearer,"
        + " and is never sent as a password. A token that a server takes as a password, as Git"
        + " hosts do, is a password.",
      "With -t negotiate, the password logs in with Kerberos: the account is a principal, as"
        + " ann@EXAMPLE.COM. So does a keytab, by --secret-kind keytab --password-file FILE. With -t"
        + " ntlm it answers NTLM, and --account-domain names the domain.",
      "--persistence session keeps the item until the login session ends or the machine sleeps, at"
        + " most for 15 minutes without use and 8 hours in all, unless the configuration's remember"
        + " says otherwise; vaultctl lock ends it at once. Every program of the user that shares"
        + " the vault's session finds it. It needs $XDG_RUNTIME_DIR and the kernel's keyring;"
        + " without them add refuses.",
      "If the policy forbids permanent storage, it is kept for the session or refused. vaultctl"
        + " policy explain URL says why.",
    ],
    groups: [
      .newItem, .secretSources,
      OptionGroup(
        heading: "Its PIN",
        options: [
          Option(.withPIN, nil, .none, "seal the secret by a PIN, which is prompted for"),
          Option(.newPinFD, nil, .text("N"), "the same, with the PIN read from descriptor N"),
        ]),
      OptionGroup(
        heading: "If it exists",
        options: [Option(.update, "U", .none, "change the item that has this key")]),
      OptionGroup(
        heading: "How long",
        options: [
          Option(
            .persistence, nil, .words(nil, ["session", "permanent"]),
            "keep it for the login session (default: permanent)")
        ]),
      .common,
    ], takesSeveralVaults: true, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    guard arguments.text(.secretKind) != "identity" else {
      throw VaultError(
        .invalidArgument, "an identity has certificates: vaultctl identity import FILE --url URL")
    }
    var item = try NewItem.item(arguments)
    var changes = try NewItem.metadataChanges(arguments)
    try NewItem.requireOwn(changes, of: item)
    guard arguments.text(.secretKind) != "keytab" || item.authenticationMethod == .negotiate else {
      throw VaultError(.invalidArgument, "a keytab answers Negotiate alone: add -t negotiate")
    }
    let persistence = try arguments.field(.persistence, as: Values.persistence) ?? .permanent
    guard persistence > .none else {
      throw VaultError(.invalidArgument, "--persistence: not session or permanent")
    }
    let source = try SecretSource(arguments) ?? .terminal
    let further = try FurtherSecrets(arguments, beside: source)
    let vault = try invocation.openDefaultVault()
    if persistence == .session { try requireSharedSession(of: vault) }
    if case .terminal = source, !arguments.has(.update) { try requireNew(item, in: vault) }
    let secret = try source.read(
      prompt: "Password for \(ItemText.subject(item)): ", invocation)
    try requireKeytab(secret, arguments)
    changes += try further.read(invocation)
    _ = item.apply(changes)
    item.secret = secret

    var verb = "added"
    let stored: StoreResult
    let (new, isPlace) = (item, arguments.has(.url) || !arguments.operands.isEmpty)
    if arguments.has(.withPIN) || arguments.has(.newPinFD) {
      guard !arguments.has(.update) else {
        throw VaultError(.invalidArgument, "a PIN of an item that exists: vaultctl pin")
      }
      let pin = try invocation.newPIN(for: new)
      stored = try vault.pins.add(new, pin: pin, persistence: persistence).kept(in: vault)
    } else if persistence == .session {
      (stored, verb) = try keepForSession(
        new, changes, isPlace: isPlace, isUpdate: arguments.has(.update), in: vault)
    } else if arguments.has(.update) {
      (stored, verb) = try update(to: new, changes, isPlace: isPlace, in: vault)
    } else {
      stored = try vault.writing { transaction throws(VaultError) -> StoreResult in
        let stored = try transaction.add(new).kept(in: vault)
        // A URL names a place, whose port can be literal or unset.
        if isPlace, let other = stored.portVariant {
          throw VaultError(
            .duplicateItem, "an item for the same place already exists", candidates: [other])
        }
        return stored
      }
    }
    try invocation.confirm(verb, stored)
    if !invocation.isQuiet, !invocation.isJSON {
      try hint(at: stored.item, invocation)
      if verb == "added" { try hint(atOtherAccounts: stored.item, in: vault, invocation) }
    }
    return .success
  }

  /// Refuses a keytab that is none: nobody would find out before a login fails.
  private static func requireKeytab(
    _ secret: Secret, _ arguments: Arguments
  ) throws(VaultError) {
    guard arguments.text(.secretKind) == "keytab" else { return }
    guard secret.withBytes({ $0.count > 2 && $0[0] == 5 && $0[1] == 2 }) else {
      throw VaultError(.invalidData, "the secret is not a keytab")
    }
  }

  /// Says where an item is not found that its user may expect it at.
  private static func hint(
    at item: Item, _ invocation: Invocation
  ) throws(VaultError) {
    guard item.key.itemClass == .internetPassword else { return }
    if item.protocol == .unset {
      try invocation.hint("it has no protocol, so URLs and Git do not find it: add -r https")
    } else if !item.path.isEmpty, invocation.arguments.text(.path) == nil {
      let path = item.path.hasPrefix("/") ? item.path : "/" + item.path
      try invocation.hint(
        "it is used at and below \(ItemText.quoted(path)) only; for the whole host: vaultctl modify"
          + " \(ItemText.id(item.id)) --set-path \"\"")
    }
  }

  /// Says that an item takes the place of another account's for who names none.
  private static func hint(
    atOtherAccounts item: Item, in vault: Vault, _ invocation: Invocation
  ) throws(VaultError) {
    guard let space = try DefaultCommand.space(of: item), item.answersPassword else { return }
    var query = ItemQuery(key: item.key)
    (query.account, query.realm, query.authenticationMethod) = (.any, .any, .any)
    let others = try vault.findAll(query).filter {
      !$0.account.utf8.elementsEqual(item.account.utf8) && !$0.isNegative && $0.answersPassword
    }
    guard let other = others.max(by: { $0.modified < $1.modified }), !other.account.isEmpty,
      try vault.defaultUser(for: space) == nil
    else { return }
    guard other.realm == item.realm, other.authenticationMethod == item.authenticationMethod else {
      // The server's challenge decides then, if it names a realm.
      return try invocation.hint(
        "\(other.account) has an item there too: vaultctl explain \(Hint.quoted(ItemText.place(item.key))) says"
          + " which one each program gets")
    }
    try invocation.hint(
      "\(other.account) has an item there too, and Git uses the newest unless one is the default:"
        + " vaultctl default set \(ItemText.id(other.id)) prefers \(other.account)")
  }

  /// Refuses an item that exists before its secret is asked for; the write checks it again.
  private static func requireNew(
    _ item: Item, in vault: Vault
  ) throws(VaultError) {
    let known = try vault.findAll(ItemQuery(key: item.key))
    guard known.isEmpty else {
      throw VaultError(
        .duplicateItem, "an item with the same key exists already", candidates: known)
    }
  }

  /// Requires a session that outlives the command.
  package static func requireSharedSession(of vault: Vault) throws(VaultError) {
    do throws(VaultError) {
      try vault.keys.requireSharedSession()
    } catch {
      guard error.meansNoSession else { throw error }
      throw VaultError(
        error.code,
        "the session cannot be shared, and would end with this command: \(error.context)",
        underlying: error.underlying
      ).about(error.subject)
    }
  }

  /// Adds an item to the session, or changes the one there that has the key.
  private static func keepForSession(
    _ item: Item, _ changes: [ItemChange], isPlace: Bool, isUpdate: Bool,
    in vault: Vault
  ) throws(VaultError) -> (StoreResult, verb: String) {
    let known = try known(item) { query throws(VaultError) in try vault.findAll(query) }
    let temporary = known.filter { $0.persistence == .session }
    // An item of the file is hidden by one of its own key only.
    let item = isPlace ? item.placed(among: temporary.isEmpty ? known : temporary) : item
    guard isUpdate else {
      return (try vault.add(item, persistence: .session).kept(in: vault), "added")
    }
    let stored = try vault.upsert(item, persistence: .session).kept(in: vault)
    guard !temporary.isEmpty else { return (stored, "added") }
    return (try vault.modify(stored.item, changes).kept(in: vault), "changed")
  }

  /// Changes the item that has the key, or adds it, and returns the verb for what was done.
  private static func update(
    to item: Item, _ changes: [ItemChange], isPlace: Bool, in vault: Vault
  ) throws(VaultError) -> (StoreResult, verb: String) {
    try vault.writing { transaction throws(VaultError) -> (StoreResult, verb: String) in
      let known = try known(item) { query throws(VaultError) in try transaction.findAll(query) }
      let item = isPlace ? item.placed(among: known) : item
      let stored = try transaction.upsert(item).kept(in: vault)
      guard !known.isEmpty else { return (stored, "added") }
      // The upsert keeps attributes that are given as empty; this clears them.
      return (try transaction.modify(stored.item, changes).kept(in: vault), "changed")
    }
  }

  /// Returns the items that have an item's key, or differ from it only in the port that is unset
  /// or the default.
  private static func known(
    _ item: Item, _ find: (ItemQuery) throws(VaultError) -> [Item]
  ) throws(VaultError) -> [Item] {
    var known = try find(ItemQuery(key: item.key))
    if let other = item.key.withOtherPort { known += try find(ItemQuery(key: other)) }
    return known
  }
}

extension Item {
  /// Returns the item with the key of the one for the same place that programs use: if there are
  /// two, the one with its port.
  fileprivate func placed(among known: [Item]) -> Item {
    guard let taken = known.max(by: { $0.port < $1.port }) else { return self }
    var item = self
    item.key = taken.key
    return item
  }
}

extension Invocation {
  /// Reports what was done to items: a line each, or a document with them.
  ///
  /// - Parameters:
  ///   - verb: The word for it.
  ///   - items: The items.
  ///   - vault: The vault that is named for each.
  /// - Throws: Any error of writing the output.
  func confirm(
    _ verb: String, _ items: [Item], in vault: String? = nil
  ) throws(VaultError) {
    if isJSON {
      try output.document(items: items.map { ($0.withoutSecrets, vault) })
    } else if !isQuiet {
      for item in items { try output.line("\(verb) \(ItemText.line(item, in: vault))") }
    }
  }
}
