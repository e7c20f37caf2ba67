import CredentialVault
import VaultModel

/// `vaultctl move`: moves an item to another vault.
enum MoveCommand {
  static let command = Command(
    id: .move, operands: .reference, summary: "move an item to another vault",
    example: "vaultctl move ann@git.example.com --to team.vault",
    details: [
      "The item keeps its id, its dates, its previous secrets and whatever else it has. The other"
        + " vault stores it first, and then it is removed here, bypassing the trash. If that is"
        + " interrupted, both vaults have it, and the same command ends the move.",
      "There must be one best match, outside of the other vault. That one's policy applies, and an"
        + " item of the same key there is not changed (45). A key that is named by option or"
        + " variable opens both vaults, or --other-key-file the other one.",
    ],
    groups: [
      .selectors,
      OptionGroup(
        heading: "Where to",
        options: [
          Option(.to, nil, .vault, "the other vault"),
          Option(.otherKeyFile, nil, .file, "open it with this key file"),
        ]),
      .common,
    ], takesSeveralVaults: true, hints: hints, run: run)

  @Sendable private static func hints(_ failure: Failure) -> [VaultError.Code: String] {
    var hints: [VaultError.Code: String] = [
      .duplicateItem: "vaultctl show --vault VAULT shows the item that is there",
      .policyRefused: "vaultctl policy explain --vault VAULT URL",
    ]
    if failure.error.subject != .passphrase {
      hints[.locked] =
        "--key-file FILE or --passphrase-file FILE, or --other-key-file FILE for the vault of --to"
    }
    return hints
  }

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard let place = invocation.arguments.text(.to) else {
      throw VaultError(.invalidArgument, "move needs --to VAULT")
    }
    let selection = try invocation.selection(readsMetadata: true, isLiteral: true)
    try selection.requireNamed()
    let (vaults, other) = try invocation.openList(besides: place)
    let found = try selection.first(in: vaults) { (vault) throws(VaultError) in
      try selection.item(in: vault)
    }
    // Before anything is stored.
    for vault in [found.vault, other] { try vault.requireWritable() }
    guard found.item.persistence == .permanent else {
      throw VaultError(.unsupported, "the item is stored for the session, and in no vault's file")
    }
    let moving = try MovingItem(found)
    let stored: Item
    do throws(VaultError) {
      stored = try moving.store(in: other)
    } catch {
      throw error.named(other.path ?? "")
    }
    // Changed meanwhile, it stays: the other vault has what it was.
    try found.vault.remove(moving.item, ifRevision: moving.item.revision, removal: .permanent)
    try invocation.confirm("moved", [stored], in: other.path)
    return .success
  }
}

/// An item with what moves with it to another vault.
private struct MovingItem {
  let item: Item
  private let previous: [PreviousSecret]
  private let isDefault: Bool

  /// Reads an item that was found.
  ///
  /// - Throws: ``VaultError/Code/expired`` if a policy's time is over: nothing opens it any more.
  init(_ found: VaultList.Found) throws(VaultError) {
    item = try found.vault.itemToCopy(found.item)
    guard item.storedSecret != nil || !ItemText.isExpired(item) else {
      throw VaultError(.expired, "the item has expired", candidates: [item])
    }
    previous = try found.vault.history.entries(of: item, withSecrets: true)
    isDefault = try DefaultCommand.isDefault(item) { (space) throws(VaultError) in
      try found.vault.defaultUser(for: space)
    }
  }

  /// Stores it in another vault, unless an interrupted move has.
  ///
  /// - Throws: ``VaultError/Code/duplicateItem`` with the item that has its place;
  ///   ``VaultError/Code/policyRefused`` unless the policy, and the limit of its history, keep
  ///   everything.
  func store(in vault: Vault) throws(VaultError) -> Item {
    try vault.writing { (transaction) throws(VaultError) in
      let stored = try stored(transaction)
      let missing = try transaction.addAll(previous, to: stored)
      guard missing.isEmpty else {
        throw VaultError(
          .policyRefused, "\(missing.count) of the item's previous secrets would not be kept there")
      }
      // A default that the space already has stays.
      if isDefault, let space = stored.space, try transaction.defaultUser(for: space) == nil {
        try transaction.setDefaultUser(stored.account, for: space)
      }
      return stored
    }
  }

  private func stored(_ transaction: borrowing Vault.Writer) throws(VaultError) -> Item {
    var new = item
    if let known = try known(transaction) {
      if known.key == item.key, known.hasSameSecret(as: item),
        item.parts(missingFrom: known).isEmpty
      {
        return known
      }
      // It was changed there since, or the vaults are copies.
      new.id = .unset
    }
    switch try transaction.addImported(new, isExact: true) {
    case .added(let added): return added
    case .taken(let other):
      throw VaultError(
        .duplicateItem, "the vault has another item with this key", candidates: [other])
    }
  }

  /// Returns the item with this one's id; nil if there is none.
  private func known(_ transaction: borrowing Vault.Writer) throws(VaultError) -> Item? {
    do throws(VaultError) {
      return try transaction.item(item.id, hint: item.key, withSecrets: true)
    } catch {
      guard error.code == .itemNotFound else { throw error }
      return nil
    }
  }
}
