import CredentialVault
import SecureMemory
import VaultModel

/// `vaultctl find`: finds items, and prints a secret.
enum FindCommand {
  static let command = Command(
    id: .find, operands: .reference, summary: "find items, or print a secret",
    example: "vaultctl find -w ann@git.example.com",
    details: [
      "Without -w and -g, find lists the matching items, best match first. With -w or -g, there"
        + " must be one best match; if several match equally well, they are named on standard"
        + " error and nothing is printed.",
      "A port that is the default of the given protocol also finds items without a port; a"
        + " password method also finds items with the method default.",
      "A URL finds what networking code gets there: items with a path at that path and below it,"
        + " longest path first, and items without a path last. A URL that ends with its host"
        + " finds items of any path; one that ends with the slash after the host finds items"
        + " without a path.",
      "-w writes a secret that is text as a line, for people and $(…). --raw writes it byte for byte"
        + " and never adds a line feed. One that is not text is written as with --raw, and on a"
        + " terminal only with --force.",
      "--curl writes the line of curl's configuration that has the account and the secret, escaped"
        + " as curl reads them: vaultctl find --curl REF | curl --config - URL.",
      "vaultctl REF is the same as vaultctl find REF if REF is no command's name, nor nearly one. On"
        + " a terminal, find shows the list of vaultctl pick if nothing matches.",
      "REF may also be a host of any protocol, a service or a label. If a URL or REF matches items"
        + " of several users equally well, the default user's is meant. --exact takes a path as the"
        + " item's own, and prefers no user.",
    ],
    groups: [.selectors, .showing, .freshness, .common], aliases: ["get"], takesSeveralVaults: true,
    run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    let selection = try invocation.selection(readsMetadata: true)
    guard !arguments.has(.curl) || !invocation.isJSON else {
      throw VaultError(.invalidArgument, "--curl has a form of its own")
    }
    guard forms.contains(where: arguments.has) else {
      let vaults = try invocation.openList()
      let lastSync = invocation.lastSyncForDocument(of: vaults)
      let found = try selection.items(in: vaults)
      guard !found.isEmpty else {
        if let status = try PickCommand.offer(vaults, invocation) { return status }
        throw try selection.notFound(in: vaults)
      }
      try invocation.write(found, of: vaults, lastSync)
      return .success
    }
    guard forms.count(where: arguments.has) < 2 else {
      let names =
        arguments.has(.passwordOnly) && arguments.has(.showPassword)
        ? "-w and -g" : "-w, -g, --raw and --curl"
      throw VaultError(.invalidArgument, "\(names) exclude each other")
    }
    let vaults = try invocation.openList()
    do throws(VaultError) {
      let found = try selection.first(in: vaults) { (vault) throws(VaultError) in
        try selection.itemWithSecret(in: vault)
      }
      try write(found.item, of: found.vault, in: vaults, invocation)
      return .success
    } catch {
      guard error.code == .itemNotFound, error.candidates.isEmpty else { throw error }
      let status = try PickCommand.offer(vaults, invocation) { (chosen) throws(VaultError) in
        let item = try Selection.open(chosen.item, in: chosen.vault)
        try write(item, of: chosen.vault, in: vaults, invocation)
      }
      guard let status else { throw error }
      return status
    }
  }

  /// The options that print a secret, one at most.
  private static let forms: [GeneralOption] = [.passwordOnly, .showPassword, .raw, .curl]

  /// Writes an item with its secret, in the form that the options name.
  private static func write(
    _ item: Item, of vault: Vault, in vaults: VaultList, _ invocation: Invocation
  ) throws(VaultError) {
    let arguments = invocation.arguments
    let lastSync = invocation.lastSyncForDocument(of: vaults)
    let item = try invocation.opened(item, in: vault)
    let name = vaults.name(of: vault)
    if arguments.has(.curl) {
      try invocation.output.write(CurlConfiguration.line(for: item))
    } else if invocation.isJSON {
      try invocation.output.document(items: [(item, name)], lastSync: lastSync)
    } else if arguments.has(.showPassword) {
      try invocation.output.block(item, more: name.map { [("vault", $0)] } ?? [])
    } else {
      guard let secret = item.secret else {
        throw VaultError(.itemNotFound, "the item has no secret")
      }
      try invocation.write(onlySecret: secret, isRaw: arguments.has(.raw))
    }
  }
}

extension Invocation {
  /// Returns the command line's selection.
  ///
  /// If options name a place already and -w was given, the user meant an operand as its value.
  func selection(
    readsMetadata: Bool, isLiteral: Bool = false
  ) throws(VaultError) -> Selection {
    let isFlagged = arguments.has(.passwordOnly) || arguments.has(.passwordPrompt)
    let namesPlace =
      arguments.has(.server) || arguments.has(.service) || arguments.has(.url)
      || arguments.has(GeneralOption.id)
    if isFlagged, namesPlace, let operand = arguments.operands.first, !operand.contains("://") {
      throw VaultError(
        .invalidArgument, "-w takes no value: secrets are never read from arguments")
    }
    return try Selection(arguments, readsMetadata: readsMetadata, isLiteral: isLiteral)
  }

  /// Writes items as lines or as a document, with their vaults if there are several.
  func write(
    _ found: [VaultList.Found], of list: VaultList, _ lastSync: Timestamp?
  ) throws(VaultError) {
    let items = found.map { ($0.item, list.name(of: $0.vault)) }
    if isJSON {
      try output.document(items: items, lastSync: lastSync)
    } else {
      for (item, vault) in items { try output.line(ItemText.line(item, in: vault)) }
    }
  }

  /// Writes a secret alone: text as a line unless it is to be raw, and other bytes as they are,
  /// since one more of them would be another secret.
  ///
  /// - Throws: As ``checkPrintable(_:)``.
  func write(onlySecret secret: Secret, isRaw: Bool = false) throws(VaultError) {
    try checkPrintable(secret)
    try output.write(secret)
    if !isRaw, output.isTerminal || SecretText.isText(secret) { try output.write("\n") }
  }

  /// Refuses to print bytes that are not text on a terminal, which could take them as commands.
  func checkPrintable(_ secret: Secret) throws(VaultError) {
    guard !isJSON, output.isTerminal, !arguments.has(.force), !SecretText.isText(secret) else {
      return
    }
    throw VaultError(.invalidData, "the secret is not text (--force prints it anyway)")
  }
}

/// `vaultctl list`: lists items without their secrets.
enum ListCommand {
  static let command = Command(
    id: .list, operands: .reference, summary: "list all items, or those that match",
    example: "vaultctl list --columns server,account --sort server",
    details: [
      "--expiring 30d lists what has expired or will within that time, --expiring 2027-01-31 what"
        + " will before that day. Its exit status is 47 if there is any, and 0 if not.",
      "Secrets are not opened. Invisible items are only listed with --json or --invisible.",
      "On a terminal, the list is a table that fits it, sorted by host, in colour unless NO_COLOR"
        + " is set. Elsewhere each item is a line that is never cut.",
    ],
    groups: [
      .selectors, .listing,
      OptionGroup(heading: "What expires", options: [OptionGroup.expiring]), .freshness, .common,
    ], aliases: ["ls"], takesSeveralVaults: true, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let selection = try invocation.selection(readsMetadata: true)
    let vaults = try invocation.openList()
    let lastSync = invocation.lastSyncForDocument(of: vaults)
    var found = try selection.items(in: vaults)
    if !invocation.isJSON, case .any = selection.options.query.isInvisible {
      found.removeAll(where: \.item.isInvisible)
    }
    guard let end = try invocation.arguments.parsed(.expiring, as: Values.end) else {
      try invocation.writeList(found, of: vaults, lastSync)
      return .success
    }
    found.removeAll { $0.item.expires.map { $0 > end } ?? true }
    try invocation.writeList(found, of: vaults, lastSync)
    return found.isEmpty ? .success : .expired
  }
}

/// `vaultctl show`: shows everything about one item.
enum ShowCommand {
  static let command = Command(
    id: .show, operands: .reference, summary: "show all attributes of one item",
    example: "vaultctl show git.example.com",
    details: ["-g also shows its secret."],
    groups: [.selectors, .showingOne, .freshness, .common], takesSeveralVaults: true, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let selection = try invocation.selection(readsMetadata: true)
    try selection.requireNamed()
    let vaults = try invocation.openList()
    let lastSync = invocation.lastSyncForDocument(of: vaults)
    let opensSecret = invocation.arguments.has(.showPassword)
    let found = try selection.first(in: vaults) { (vault) throws(VaultError) in
      opensSecret ? try selection.itemWithSecret(in: vault) : try selection.item(in: vault)
    }
    let name = vaults.name(of: found.vault)
    let item = opensSecret ? try invocation.opened(found.item, in: found.vault) : found.item
    if invocation.isJSON {
      try invocation.output.document(items: [(item, name)], lastSync: lastSync)
    } else {
      let isDefault = try DefaultCommand.isDefault(found.item) { space throws(VaultError) in
        try found.vault.defaultUser(for: space)
      }
      try invocation.output.block(
        item,
        more: (isDefault ? [("default", "yes")] : []) + (name.map { [("vault", $0)] } ?? []))
    }
    return .success
  }
}
