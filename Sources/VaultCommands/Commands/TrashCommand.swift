import VaultAdministration
import VaultModel

/// `vaultctl trash`: lists, restores and empties removed items, and sets how long they are kept.
enum TrashCommand {
  static let command = Command(
    id: .trash,
    operands: Command.Operands(
      synopsis: "[list|restore|empty [REF]]", count: 0...2, words: ["list", "restore", "empty"],
      subjects: [.trash]),
    summary: "list, restore or remove for good what was removed",
    example: "vaultctl trash restore git.example.com",
    details: [
      "Items that rm and Git's erase remove stay in the vault for 30 days, sealed and hidden from"
        + " every lookup, with their previous secrets; of one key, the last ten."
        + " Items that expire, or that a rule of the policy no longer keeps, leave the trash"
        + " too.",
      "trash list, and trash alone, lists them, last removed first: all of them, or those that match.",
      "trash restore restores the one best match as it was; if its place is taken, the exit"
        + " status is 45. If several items of one key were removed, name one by its id.",
      "trash empty removes the matches for good, where a URL's path is that of the item"
        + " itself. Without REF or a selector, it removes everything and also makes the file"
        + " smaller. On a terminal, it asks first.",
      "trash --keep DAYS sets how long this vault keeps removed items.",
      "What programs remove by Apple's functions, by Docker's erase or through the Secret Service is"
        + " gone at once, as those interfaces promise, and so is the secret that Apple's functions"
        + " replace. trash --for-programs yes makes this vault keep that, too.",
    ],
    groups: [
      .selectors,
      OptionGroup(
        heading: "How",
        options: [
          Option(.newest, nil, .text("N"), "trash list: only the N last removed"),
          OptionGroup.dryRun,
          OptionGroup.yes,
        ]),
      OptionGroup(
        heading: "What the vault keeps, and how long (takes no action)",
        options: [
          Option(
            .keep, nil, .text("DAYS"),
            "0 to 365, or 30d or 4w; older ones are removed now, 0 keeps none"),
          Option(
            .forPrograms, nil, .yesOrNo, "whether what programs remove and replace is kept"),
        ]),
      .common,
    ], hints: hints, run: run)

  private static let settings: [GeneralOption] = [.keep, .forPrograms]

  @Sendable private static func hints(_ failure: Failure) -> [VaultError.Code: String] {
    let list =
      "vaultctl trash list\(failure.vaults) shows when each was removed; name one by its id"
    return [
      .itemNotFound: list, .ambiguous: list,
      .duplicateItem: "vaultctl rm, or vaultctl modify with --set-…, makes room for it",
    ]
  }

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    var (action, inner) = invocation.takingAction()
    let arguments = inner.arguments
    let setting = settings.first(where: arguments.has)
    if setting != nil, invocation.arguments.operands.isEmpty { action = nil }
    // Only the item that was named is removed, not another one that is used for the same URL.
    let selection = try inner.selection(readsMetadata: true, isLiteral: action == "empty")
    if let setting, action != nil || !selection.isEmpty {
      throw VaultError(.invalidArgument, "--\(setting.rawValue) applies to all removed items")
    }
    guard !arguments.has(.newest) || action == "list",
      !arguments.has(.dryRun) && !arguments.has(.yes) || action == "empty"
    else { throw VaultError(.invalidArgument, "an option belongs to another action of trash") }
    switch action {
    case nil: try keep(inner)
    case "list": try list(selection, inner)
    case "restore": try restore(selection, inner)
    case "empty": try empty(selection, inner)
    default: throw command.needsChoice
    }
    return .success
  }

  // MARK: Actions

  private static func keep(_ invocation: Invocation) throws(VaultError) {
    let days = try invocation.arguments.parsed(.keep, as: Values.trashDays)
    let forPrograms = try invocation.arguments.parsed(.forPrograms, as: Values.yesOrNo)
    let vault = try invocation.openVault()
    let kept = try vault.writing { transaction throws(VaultError) -> KeptRemovals in
      if let days { try transaction.setTrashDays(days) }
      if let forPrograms { try transaction.setKeepsForPrograms(forPrograms) }
      return KeptRemovals(
        days: try transaction.trashDays, forPrograms: try transaction.keepsForPrograms)
    }
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in try kept.write(to: &json) }
    } else if !invocation.isQuiet {
      try kept.write(to: invocation.output)
    }
  }

  private static func list(
    _ selection: Selection, _ invocation: Invocation
  ) throws(VaultError) {
    let newest = try invocation.arguments.parsed(.newest, as: Values.count)
    let vault = try invocation.openVault()
    let found = try selection.removed(newest: newest) { query throws(VaultError) in
      try vault.trash.items(query)
    }
    guard !invocation.isJSON else {
      return try invocation.output.document(removed: found)
    }
    if found.isEmpty { try invocation.sayEmpty("nothing that was removed can be brought back") }
    for removed in found { try invocation.output.line(line(removed)) }
  }

  private static func restore(
    _ selection: Selection, _ invocation: Invocation
  ) throws(VaultError) {
    try selection.requireNamed()
    let vault = try invocation.openVault()
    let stored = try vault.writing { (transaction) throws(VaultError) in
      try transaction.restore(
        selection.bestRemoved { query throws(VaultError) in try transaction.trash(query) }
      ).kept(in: vault)
    }
    try invocation.confirm("restored", stored)
  }

  private static func empty(
    _ selection: Selection, _ invocation: Invocation
  ) throws(VaultError) {
    let vault = try invocation.openVault()
    if invocation.arguments.has(.dryRun) {
      let found = try selection.removed { query throws(VaultError) in try vault.trash.items(query) }
      guard !found.isEmpty || selection.isEmpty else { throw Selection.nothingRemoved }
      return try invocation.confirm("would remove", found.map(\.item))
    }
    try invocation.requireConsent(to: "Remove for good") { () throws(VaultError) in
      let found = try selection.removed { query throws(VaultError) in try vault.trash.items(query) }
      return found.isEmpty
        ? nil : ["\(ItemText.count(found.count)) in the trash (vaultctl trash lists them)"]
    }
    let gone = try vault.writing {
      (transaction) throws(VaultError) -> [Item] in
      let found = try selection.removed { query throws(VaultError) in
        try transaction.trash(query)
      }
      guard !selection.isEmpty else {
        try transaction.emptyTrash()
        return found.map(\.item)
      }
      guard !found.isEmpty else { throw Selection.nothingRemoved }
      for removed in found { try transaction.remove(removed) }
      return found.map(\.item)
    }
    try invocation.confirm("removed", gone)
    guard selection.isEmpty, !gone.isEmpty else { return }
    do throws(VaultError) {
      _ = try vault.maintenance.compact()
    } catch {
      // The items are removed all the same; only the file is as large as before.
      if !invocation.isQuiet { try invocation.warn("not compacted: \(error.text)") }
    }
  }

  /// Returns a line for a removed item:
  /// `7k3q2m9d0v  https://git.example.com  -  ann  removed 2026-01-31T23:59:59Z  until
  /// 2026-03-02T23:59:59Z`.
  private static func line(_ removed: RemovedItem) -> String {
    [
      ItemText.line(removed.item.id, removed.item.key), "removed \(removed.removed.rfc3339)",
      "until \(removed.restorableUntil.rfc3339)",
    ].joined(separator: "  ")
  }
}

extension Selection {
  fileprivate static var nothingRemoved: VaultError {
    VaultError(.itemNotFound, "nothing in the trash matches")
  }

  /// Returns the removed items that are selected, the most recently removed first.
  ///
  /// - Parameters:
  ///   - newest: The maximum number of items.
  ///   - find: The trash lookup of a vault or of a transaction.
  /// - Returns: None if none matches.
  /// - Throws: Any error of the lookup.
  func removed(
    newest: Int? = nil, _ find: (ItemQuery) throws(VaultError) -> [RemovedItem]
  ) throws(VaultError) -> [RemovedItem] {
    try matchRemoved(newest: newest, find)?.items ?? []
  }

  private func matchRemoved(
    newest: Int? = nil, _ find: (ItemQuery) throws(VaultError) -> [RemovedItem]
  ) throws(VaultError) -> (reading: Reading, items: [RemovedItem])? {
    for reading in readings {
      var query = reading.query
      // The query does not contain the prefix of an id.
      if reading.idPrefix == nil { query.limit = newest }
      let found = try find(query).filter { reading.accepts($0.item) }
      if !found.isEmpty { return (reading, Array(found.prefix(newest ?? .max))) }
    }
    return nil
  }

  /// Returns the one removed item that matches best; if it was removed several times, the last.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/ambiguous`` with the items that
  ///   share the best rank.
  fileprivate func bestRemoved(
    _ find: (ItemQuery) throws(VaultError) -> [RemovedItem]
  ) throws(VaultError) -> RemovedItem {
    guard let (reading, found) = try matchRemoved(find) else { throw Self.nothingRemoved }
    let rank = found.compactMap { reading.query.rank(of: $0.item) }.max()
    let best = found.filter { reading.query.rank(of: $0.item) == rank }
    guard let first = best.first else { throw Self.nothingRemoved }
    let items = Set(best.map(\.item.id))
    guard items.count == 1 else {
      throw VaultError(
        .ambiguous, "\(items.count) items in the trash match", candidates: best.map(\.item))
    }
    return first
  }
}

extension Output {
  /// Writes `{"ok":true,"items":[…]}` of removed items.
  fileprivate func document(removed: [RemovedItem]) throws(VaultError) {
    try document { (json) throws(VaultError) in
      try json.array("items", removed) { (removed, json) throws(VaultError) in
        try json.value(removed.item, removed: removed)
      }
    }
  }
}
