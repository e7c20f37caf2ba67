import CredentialVault
import Glibc
import OneTimePasswords
import SecureMemory
import VaultModel
import VaultTerminal

/// `vaultctl pick`, and `vaultctl` alone on a terminal: a list of the items that narrows as one
/// types.
enum PickCommand {
  static let command = Command(
    id: .pick, operands: Command.Operands(synopsis: "[TEXT]", count: 0...1),
    summary: "pick an item from a list that narrows as you type", example: "vaultctl pick git",
    details: [
      "vaultctl alone does the same on a terminal. Words that are typed narrow the list to the items"
        + " that have all of them in host, account, label, comment or realm. Enter copies the"
        + " secret, as vaultctl copy does. Ctrl-R reveals it and Ctrl-T the one-time password, until"
        + " the next key; Ctrl-E edits the item, Ctrl-X explains it, and Ctrl-D removes it, after a"
        + " question. The arrows, Ctrl-P, Ctrl-N, Page Up and Page Down select, Ctrl-W and Ctrl-U"
        + " erase a word or all that was typed, and Esc or Ctrl-C leaves.",
      "The list is on the terminal's alternate screen, which is erased at the end, also if the"
        + " program is killed: nothing of it is in the scrollback.",
      "For other menus, --print0 writes the list and --null copies what was chosen, by the id in"
        + " front: vaultctl pick --print0 | fzf --read0 | vaultctl pick --null, or vaultctl list |"
        + " rofi -dmenu | vaultctl pick --null, which also works with dmenu. There is no --json:"
        + " vaultctl list --json has everything.",
    ],
    groups: [
      OptionGroup(
        heading: "Other menus",
        options: [
          Option(.print0, nil, .none, "write the list instead, each item followed by NUL"),
          Option(
            .null, nil, .none,
            "copy the item whose line is read from standard input, up to NUL or its end"),
        ]),
      OptionGroup(heading: "The clipboard", options: Copying.options), .freshness,
      .commonOfHelpers,
    ], takesSeveralVaults: true,
    hints: { _ in [.itemNotFound: "vaultctl add URL adds an item, and vaultctl import many"] },
    run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    guard !arguments.has(.print0) || !arguments.has(.null) else {
      throw VaultError(.invalidArgument, "--print0 and --null exclude each other")
    }
    if arguments.has(.null) { return try copyChosen(invocation) }
    guard arguments.has(.print0) || FullScreen.isPossible(terminal: Environment.value("TERM"))
    else {
      throw VaultError(.unavailable, "the terminal (TERM) cannot show a list that changes")
    }
    let vaults = try invocation.openList()
    let found = try items(of: vaults)
    guard !found.isEmpty else { throw VaultError(.itemNotFound, "there are no items") }
    guard arguments.has(.print0) else {
      return try pick(found, vaults, typed: arguments.operands.first ?? "", invocation)
        ?? .success
    }
    for each in found {
      let label = ItemText.ownLabel(of: each.item)
      try invocation.output.write(
        Printable.text(
          ItemText.line(each.item, in: vaults.name(of: each.vault))
            + (label.isEmpty ? "" : "  " + ItemText.quoted(label))))
      try invocation.output.write(byte: 0)
    }
    return .success
  }

  /// Returns the items that can be picked, in the order of the list.
  private static func items(of vaults: VaultList) throws(VaultError) -> [VaultList.Found] {
    try vaults.all { (vault) throws(VaultError) in
      try vault.findAll(.everything).filter {
        !$0.isInvisible && $0.authenticationMethod != .identityPreference
      }
    }.sorted(by: .place)
  }

  /// Copies the item whose line another program wrote.
  private static func copyChosen(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let copying = try Copying(invocation.arguments)
    let line = try SecretInput.readAll(from: STDIN_FILENO, limit: 1 << 16).withBytes { bytes in
      bytes.indices.map { bytes[$0] }.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }
    }
    // Nothing was chosen, as after Esc.
    guard !line.isEmpty else { throw VaultError(.interrupted, "nothing was chosen") }
    let id = String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    guard Reference.isID(id) else {
      throw VaultError(.invalidData, "the line does not begin with the id of an item")
    }
    var arguments = Arguments()
    arguments.add(.general(.id), id)
    let selection = try Selection(arguments, readsMetadata: false)
    let found = try selection.first(in: invocation.openList()) { (vault) throws(VaultError) in
      try selection.item(in: vault)
    }
    try copy(found, copying, invocation)
    return .success
  }

  // MARK: The list on the terminal

  /// Shows the list, and does what its user chooses.
  ///
  /// - Parameters:
  ///   - found: The items.
  ///   - vaults: The vaults that they are in.
  ///   - typed: What is typed already.
  ///   - invocation: The run of the command that shows it.
  ///   - take: Takes the item that is chosen; nil copies its secret.
  /// - Returns: The exit status of what was done; nil if the user left.
  /// - Throws: Any error of it.
  private static func pick(
    _ found: [VaultList.Found], _ vaults: VaultList, typed: String, _ invocation: Invocation,
    take: ((VaultList.Found) throws(VaultError) -> Void)? = nil
  ) throws(VaultError) -> ExitCode? {
    var picker = Picker(found, namesVaults: vaults.namesVaults, typed: typed)
    let choice = try picker.run { (shown, found) throws(VaultError) in
      try reveal(shown, found, invocation)
    }
    guard let (action, chosen) = choice else { return nil }
    switch action {
    case .copy:
      if let take {
        try take(chosen)
      } else {
        try copy(chosen, Copying(invocation.arguments), invocation)
      }
      return .success
    case .edit: return try EditCommand.edit(chosen, of: vaults, invocation)
    case .explain: return try ExplainCommand.explain(place(of: chosen.item), vaults, invocation)
    case .remove: return try RemoveCommand.remove(chosen, of: vaults, invocation)
    }
  }

  /// Offers the list where a lookup found nothing, with what was typed, if there is a terminal.
  ///
  /// - Parameters:
  ///   - vaults: The vaults that were looked in.
  ///   - invocation: The run of the command.
  ///   - take: Takes the item that is chosen; nil copies its secret.
  /// - Returns: The exit status of what was done; nil if nothing was shown, or the user left.
  /// - Throws: Any error of it.
  static func offer(
    _ vaults: VaultList, _ invocation: Invocation,
    take: ((VaultList.Found) throws(VaultError) -> Void)? = nil
  ) throws(VaultError) -> ExitCode? {
    guard invocation.mayPrompt, !invocation.isJSON, !invocation.isQuiet,
      invocation.output.isTerminal, isatty(STDIN_FILENO) == 1,
      FullScreen.isPossible(terminal: Environment.value("TERM")),
      let typed = invocation.arguments.operands.first
    else { return nil }
    let found = try items(of: vaults)
    guard !found.isEmpty else { return nil }
    return try pick(found, vaults, typed: typed, invocation, take: take)
  }

  private static func copy(
    _ found: VaultList.Found, _ copying: Copying, _ invocation: Invocation
  ) throws(VaultError) {
    let item = try opened(found, invocation)
    try copying.copy(
      try SecretReference("", field: Attribute.secret.json).value(of: item), Attribute.secret.json,
      of: item, invocation)
  }

  private static func reveal(
    _ shown: Picker.Shown, _ found: VaultList.Found, _ invocation: Invocation
  ) throws(VaultError) -> (explanation: String, secret: Secret) {
    let item = try opened(found, invocation)
    switch shown {
    case .secret:
      guard let secret = item.secret else {
        throw VaultError(.itemNotFound, "the item has no secret")
      }
      return ("the secret, until the next key", secret)
    case .oneTimePassword:
      guard let key = item.oneTimePasswordKey else {
        throw VaultError(.itemNotFound, "the item has no key of one-time passwords")
      }
      let now = Clock.now()
      let generator = try OneTimePassword(reading: key)
      return (
        "the one-time password, good for \(generator.remaining(at: now)) s",
        try generator.password(at: now)
      )
    }
  }

  private static func opened(
    _ found: VaultList.Found, _ invocation: Invocation
  ) throws(VaultError) -> Item {
    try invocation.opened(Selection.open(found.item, in: found.vault), in: found.vault)
  }

  /// Returns the selection of an item's place and account.
  private static func place(of item: Item) throws(VaultError) -> Selection {
    var arguments = Arguments()
    for attribute in [Attribute.service, .server, .protocol, .port, .account] {
      let text = ItemText.value(attribute, of: item)
      if !text.isEmpty { arguments.add(.attribute(attribute), text) }
    }
    return try Selection(arguments, readsMetadata: false)
  }
}
