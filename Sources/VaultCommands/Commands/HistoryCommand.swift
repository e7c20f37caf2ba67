import CredentialVault
import VaultModel

/// `vaultctl history`: shows the previous secrets of an item, and sets how many are kept.
enum HistoryCommand {
  static let command = Command(
    id: .history, operands: .reference,
    summary: "list an item's previous secrets, or print one",
    example: "vaultctl history git.example.com",
    details: [
      "The newest is number 1. A renamed item keeps them; a removed item takes them to the trash"
        + " and back.",
      "There must be one best match.",
    ],
    groups: [
      .selectors,
      OptionGroup(
        heading: "What to show",
        options: [
          Option(.show, nil, .text("N"), "print only the secret with this number"),
          Option(.force, nil, .none, "print a secret to a terminal even if it is not text"),
        ]),
      OptionGroup(
        heading: "How many the vault keeps (takes no item)",
        options: [
          Option(
            .keep, nil, .text("N"), "keep N of each item, 0 to 100; older ones are removed now")
        ]),
      .freshness, .common,
    ], takesSeveralVaults: true, hints: hints, run: run)

  @Sendable static func hints(_ failure: Failure) -> [VaultError.Code: String] {
    [
      .itemNotFound: "vaultctl list\(failure.vaults) shows the items, and vaultctl history REF the"
        + " previous secrets of one",
      .expired: "vaultctl history REF shows which have not expired",
    ]
  }

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    let selection = try invocation.selection(readsMetadata: true)
    if let limit = try arguments.parsed(.keep, as: Values.historyLimit) {
      guard selection.isEmpty, !arguments.has(.show) else {
        throw VaultError(.invalidArgument, "--keep applies to all items and shows none")
      }
      return try keep(limit, invocation)
    }
    try selection.requireNamed()
    let number = try arguments.parsed(.show, as: Values.count)
    let found = try selection.first(in: invocation.openList()) { (vault) throws(VaultError) in
      try selection.item(in: vault)
    }
    let (item, vault) = (found.item, found.vault)
    let history = try vault.history.entries(of: item)
    if let number {
      let previous = try vault.history.open(history.previous(number), of: item)
      try show(previous, number, invocation)
    } else if invocation.isJSON {
      try invocation.output.document(history: history.numbered, of: item)
    } else {
      if history.isEmpty { try invocation.sayEmpty("the item has no previous secrets") }
      for entry in history.numbered { try invocation.output.line(line(entry)) }
    }
    return .success
  }

  private static func keep(
    _ limit: Int, _ invocation: Invocation
  ) throws(VaultError) -> ExitCode {
    try invocation.openDefaultVault().history.setLimit(limit)
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("history_limit", limit)
      }
    } else if !invocation.isQuiet {
      try invocation.output.line("previous secrets kept per item: \(limit)")
    }
    return .success
  }

  private static func show(
    _ previous: PreviousSecret, _ number: Int, _ invocation: Invocation
  ) throws(VaultError) {
    guard let secret = previous.secret else {
      throw VaultError(.expired, "previous secret \(number) has expired")
    }
    if invocation.isJSON {
      return try invocation.output.document(history: [(number, previous)])
    }
    try invocation.write(onlySecret: secret)
  }

  /// Returns a line for a previous secret:
  /// `1  set 2026-01-31T23:59:59Z  replaced 2026-02-01T00:00:00Z  token  until 2026-03-01T00:00:00Z
  /// (expired)`.
  private static func line(_ entry: (number: Int, previous: PreviousSecret)) -> String {
    let previous = entry.previous
    var parts = [
      "\(entry.number)", "set \(previous.set.rfc3339)", "replaced \(previous.replaced.rfc3339)",
    ]
    if let kind = ItemText.secretKind(previous.kind) { parts.append(kind) }
    if let end = [previous.expires, previous.keptUntil].compactMap({ $0 }).min() {
      parts.append(
        "until \(end.rfc3339)" + (previous.isExpired(at: Clock.now()) ? " (expired)" : ""))
    }
    return parts.joined(separator: "  ")
  }
}

extension [PreviousSecret] {
  /// The elements with the numbers by which users refer to them: the newest is 1.
  var numbered: [(number: Int, previous: PreviousSecret)] {
    enumerated().map { ($0.offset + 1, $0.element) }
  }

  /// Returns the previous secret with a number.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if there are not so many.
  func previous(_ number: Int) throws(VaultError) -> PreviousSecret {
    guard number <= count else {
      throw VaultError(
        .itemNotFound,
        isEmpty
          ? "the item has no previous secrets"
          : "the item's oldest previous secret has number \(count)"
      )
    }
    return self[number - 1]
  }
}

extension Output {
  /// Writes `{"ok":true,"item":{…},"history":[…]}`, the newest first.
  func document(
    history: [(number: Int, previous: PreviousSecret)], of item: Item? = nil
  ) throws(VaultError) {
    try document { (json) throws(VaultError) in
      if let item {
        try json.name("item")
        try json.value(item)
      }
      try json.objects("history", history) { (each, json) throws(VaultError) in
        let (number, previous) = each
        try json.field("number", number)
        try json.field("set", previous.set.rfc3339)
        try json.field("replaced", previous.replaced.rfc3339)
        if let kind = ItemText.secretKind(previous.kind.withoutPIN) {
          try json.field("secret_kind", kind)
        }
        if previous.kind.needsPIN { try json.field("pin", true) }
        if let expires = previous.expires { try json.field("expires", expires.rfc3339) }
        if let end = previous.keptUntil { try json.field("kept_until", end.rfc3339) }
        if previous.isExpired(at: Clock.now()) { try json.field("expired", true) }
        if let secret = previous.secret { try json.field("secret", secret) }
      }
    }
  }
}

/// `vaultctl revert`: restores a previous secret of an item.
enum RevertCommand {
  static let command = Command(
    id: .revert, operands: .reference, summary: "restore a previous secret of an item",
    example: "vaultctl revert git.example.com",
    details: [
      "The expiry is restored with the secret, and the replaced secret becomes a previous one."
        + " There must be one best match.",
      "vaultctl history lists the previous secrets and their numbers.",
    ],
    groups: [
      .selectors,
      OptionGroup(
        heading: "Which secret",
        options: [
          Option(.to, nil, .text("N"), "its number in the history (default: 1, the newest)"),
          OptionGroup.revision,
        ]),
      .common,
    ], takesSeveralVaults: true, hints: HistoryCommand.hints, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    let selection = try invocation.selection(readsMetadata: true)
    try selection.requireNamed()
    let number = try arguments.parsed(.to, as: Values.count) ?? 1
    let revision = try arguments.parsed(.ifRevision, as: Values.revision)
    let vaults = try invocation.openList()
    let found = try selection.first(in: vaults) { (vault) throws(VaultError) in
      try selection.item(in: vault)
    }
    let (item, vault) = (found.item, found.vault)
    let previous = try vault.history.entries(of: item).previous(number)
    let stored = try vault.history.revert(item, to: previous, ifRevision: revision)
    try invocation.confirm("reverted", stored.kept(in: vault), in: vaults.name(of: vault))
    return .success
  }
}
