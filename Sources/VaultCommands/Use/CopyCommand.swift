import VaultTerminal
import CredentialVault
import Glibc
import SecureMemory
import VaultModel

/// `vaultctl copy`: puts a secret into the clipboard, and clears it later.
enum CopyCommand {
  static let command = Command(
    id: .copy, operands: .reference, summary: "copy a secret to the clipboard for 45 seconds",
    example: "vaultctl copy git.example.com",
    details: [
      "If REF names no item, it may be a part of the host, account, label, comment or service of"
        + " one; if several have it, they are shown as vaultctl pick does, on a terminal.",
      "wl-copy on Wayland, xclip or xsel on X11, or pbcopy gets the secret on its standard input; if"
        + " one fails, the next that is installed does."
        + " Afterwards a process in the background, which has only a hash of the secret, clears the"
        + " clipboard if nothing else was copied meanwhile. A clipboard manager may keep what was"
        + " copied.",
      "--osc52 lets the terminal copy it, also through ssh. A terminal does not tell what its"
        + " clipboard has, so it is cleared whatever was copied meanwhile, and at once when the"
        + " terminal's session ends.",
    ],
    groups: [
      .selectors,
      OptionGroup(
        heading: "The clipboard",
        options: [
          Option(
            .field, nil, .words("FIELD", SecretReference.fields), "copy this (default: secret)")
        ] + Copying.options), .freshness, .common,
    ], takesSeveralVaults: true, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    let selection = try invocation.selection(readsMetadata: true)
    try selection.requireNamed()
    let field = arguments.text(.field) ?? Attribute.secret.json
    let reference = try SecretReference("", field: field)
    let copying = try Copying(arguments)
    let vaults = try invocation.openList()
    do throws(VaultError) {
      let found = try selection.first(in: vaults) { (vault) throws(VaultError) in
        try selection.itemWithSecret(in: vault)
      }
      try copy(found.item, found.vault)
      return .success
    } catch {
      guard error.code == .itemNotFound, error.candidates.isEmpty,
        let status = try copyPart(of: vaults, invocation, copy)
      else { throw error }
      return status
    }

    func copy(_ item: Item, _ vault: Vault) throws(VaultError) {
      let item = try invocation.opened(item, in: vault)
      try copying.copy(try reference.value(of: item), field, of: item, invocation)
    }
  }

  /// Copies from the one item that has the operand as a part of its host, account, label, comment
  /// or service; of several, one is picked on a terminal.
  ///
  /// - Returns: The exit status; nil if there is none.
  /// - Throws: ``VaultError/Code/ambiguous`` for several without a terminal.
  private static func copyPart(
    of vaults: VaultList, _ invocation: Invocation,
    _ copy: @escaping (Item, Vault) throws(VaultError) -> Void
  ) throws(VaultError) -> ExitCode? {
    guard let part = invocation.arguments.operands.first, !part.contains("://") else { return nil }
    let matches = try SearchCommand.items(with: part, in: vaults).filter {
      $0.item.answersPassword && !$0.item.isInvisible
    }
    func copyItem(_ found: VaultList.Found) throws(VaultError) {
      try copy(Selection.open(found.item, in: found.vault), found.vault)
    }
    if matches.count == 1 {
      try copyItem(matches[0])
      return .success
    }
    if let status = try PickCommand.offer(vaults, invocation, take: copyItem) { return status }
    guard !matches.isEmpty else { return nil }
    throw VaultError(
      .ambiguous, "\(matches.count) items have this text", candidates: matches.map(\.item))
  }
}

/// A clipboard that options name, and the time after which it is cleared.
struct Copying {
  static let options: [Option] = [
    Option(
      .clear, nil, .text("TIME"),
      "clear it after so long: seconds, or a time like 2m (default 45; 0 never)"),
    Option(.osc52, nil, .none, "use the terminal's clipboard"),
  ]

  private let clipboard: any Clipboard
  /// Nil for never.
  private let delay: Duration?

  /// Finds the clipboard.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a time that is none;
  ///   ``VaultError/Code/unavailable`` if there is no clipboard.
  init(_ arguments: Arguments) throws(VaultError) {
    let delay = try arguments.parsed(.clear, as: Values.wait) ?? .seconds(45)
    self.delay = delay > .zero ? delay : nil
    clipboard = arguments.has(.osc52) ? try TerminalClipboard() : try DesktopClipboard()
  }

  /// Copies a field of an item, and reports it.
  func copy(
    _ secret: Secret, _ field: String, of item: Item, _ invocation: Invocation
  ) throws(VaultError) {
    if let delay {
      try clipboard.copy(secret, clearedAfter: delay)
    } else {
      try clipboard.copy(secret)
    }
    let seconds = delay.map { max(1, $0.components.seconds) }
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("field", field)
        if let seconds { try json.field("clears_after", seconds) }
      }
    } else if !invocation.isQuiet {
      let end = seconds.map { ", for \($0) s" } ?? ""
      try invocation.output.line("copied the \(field) of \(ItemText.subject(item))\(end)")
      if delay == nil { try invocation.hint("it stays there: clear the clipboard yourself") }
    }
  }
}
