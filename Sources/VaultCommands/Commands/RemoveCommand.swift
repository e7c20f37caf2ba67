import VaultAdministration
import VaultModel

/// `vaultctl rm`: removes an item.
enum RemoveCommand {
  static let command = Command(
    id: .remove, operands: .reference, summary: "remove an item",
    example: "vaultctl rm ann@git.example.com",
    details: [
      "A URL's path is that of the item itself, and a URL that ends with the slash after its"
        + " host means the item without a path. There must be one best match; --all removes all"
        + " matches. An item's previous secrets are removed with it.",
      "Removed items are in the trash, where vaultctl trash finds them, for as long as the vault"
        + " keeps them. Items that have expired, or that the policy would not keep, are gone at"
        + " once.",
    ],
    groups: [
      .selectors,
      OptionGroup(
        heading: "How many",
        options: [
          Option(.all, nil, .none, "remove all matches"),
          Option(.forGood, nil, .none, "remove permanently, bypassing the trash"),
          OptionGroup.revision,
        ]),
      .common,
    ], takesSeveralVaults: true, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    // Only the item that was named is removed, not another one that is used for the same URL.
    let selection = try invocation.selection(readsMetadata: true, isLiteral: true)
    try selection.requireNamed()
    let removesAll = invocation.arguments.has(.all)
    let removal: Removal = invocation.arguments.has(.forGood) ? .permanent : .recoverable
    let revision = try invocation.arguments.parsed(.ifRevision, as: Values.revision)
    guard revision == nil || !removesAll else {
      throw VaultError(.invalidArgument, "--if-revision is for one item, --all for all matches")
    }
    let vaults = try invocation.openList()
    // All matches of the first vault that has any, as for one item.
    let (found, vault) = try selection.suggesting(from: vaults) { () throws(VaultError) in
      try vaults.firstResult { (vault) throws(VaultError) in
        removesAll ? try selection.requireItems(in: vault) : [try selection.item(in: vault)]
      }
    }
    // An item of the session hides the file's of the same key, which stays unless all are meant.
    let temporary = found.filter { $0.persistence == .session }
    var permanent: [Item] = []
    if removesAll || temporary.isEmpty {
      permanent = try vault.writing { transaction throws(VaultError) -> [Item] in
        let items =
          removesAll
          ? try selection.items { query throws(VaultError) in try transaction.findAll(query) }
          : [try selection.item(in: transaction)]
        guard !items.isEmpty || !temporary.isEmpty else { throw selection.notFound() }
        try transaction.remove(listed: temporary)
        for item in items {
          try transaction.remove(item, ifRevision: revision, removal: removal)
        }
        return items
      }
    } else {
      for item in temporary { try vault.remove(item, ifRevision: revision) }
    }
    try invocation.confirm("removed", temporary + permanent, in: vaults.name(of: vault))
    guard removal == .recoverable, !invocation.isQuiet, !invocation.isJSON else { return .success }
    try hint(permanent, vault, named: vaults.name(of: vault), invocation)
    return .success
  }

  /// Removes an item that was found, after a question.
  static func remove(
    _ found: VaultList.Found, of vaults: VaultList, _ invocation: Invocation
  ) throws(VaultError) -> ExitCode {
    let (item, vault) = (found.item, found.vault)
    try invocation.requireConsent(to: "Remove it") { () throws(VaultError) in
      [ItemText.line(item, in: vaults.name(of: vault))]
    }
    try vault.remove(item, ifRevision: item.revision)
    try invocation.confirm("removed", [item], in: vaults.name(of: vault))
    if !invocation.isQuiet, !invocation.isJSON {
      try hint([item], vault, named: vaults.name(of: vault), invocation)
    }
    return .success
  }

  /// Shows how to restore the item, if that is possible.
  private static func hint(
    _ removed: [Item], _ vault: Vault, named name: String?, _ invocation: Invocation
  ) throws(VaultError) {
    guard let first = removed.first else { return }
    var query = ItemQuery(key: first.key)
    query.id = first.id
    guard try !vault.trash.items(query).isEmpty else { return }
    let option = name.map { " --vault \($0)" } ?? ""
    try invocation.hint(
      removed.count == 1
        ? "vaultctl trash restore \(ItemText.id(first.id))\(option) brings it back"
        : "vaultctl trash list\(option) shows what can be brought back")
  }
}

/// `vaultctl purge`: removes expired items.
enum PurgeCommand {
  static let command = Command(
    id: .purge, operands: .none, summary: "remove expired items",
    example: "vaultctl purge --dry-run",
    details: [
      "Items expire on their own date, or because a rule of the policy keeps them no longer."
        + " Expired previous secrets are removed too, and items that have been in the trash for"
        + " too long. Nothing is moved to the trash.",
      "An item that has a refresh token stays until a rule keeps it no longer: the token gives it a"
        + " new secret.",
    ],
    groups: [OptionGroup(heading: "How", options: [OptionGroup.dryRun]), .common],
    run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let vault = try invocation.openVault()
    var expired = try vault.maintenance.expired()
    let kept = expired.filter { $0.isRenewable(at: Clock.now()) }
    if invocation.arguments.has(.dryRun) {
      expired.removeAll { item in kept.contains { $0.id == item.id } }
      try invocation.confirm("would remove", expired)
    } else {
      try invocation.confirm("removed", vault.maintenance.purge())
    }
    if !kept.isEmpty, !invocation.isQuiet, !invocation.isJSON {
      try invocation.hint(
        "\(ItemText.count(kept.count)) that expired can be renewed by a refresh token, and"
          + " \(kept.count == 1 ? "stays" : "stay"); vaultctl rm removes what is not needed")
    }
    return .success
  }
}

extension Vault.Writer {
  /// Removes items of a session that were listed before the transaction: another process may have
  /// removed one since.
  func remove(listed items: [Item]) throws(VaultError) {
    for item in items {
      do throws(VaultError) {
        try remove(item)
      } catch {
        guard error.code == .itemNotFound else { throw error }
      }
    }
  }
}
