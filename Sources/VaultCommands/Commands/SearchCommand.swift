import CredentialVault
import VaultModel

/// `vaultctl search`: lists the items that have a text in one of their attributes.
enum SearchCommand {
  static let command = Command(
    id: .search, operands: Command.Operands(synopsis: "TEXT", count: 1...1),
    summary: "list the items with a text in their attributes", example: "vaultctl search example",
    details: [
      "TEXT is looked for in host, account, label, comment and service, whatever its case, in all"
        + " vaults of the list. Secrets are not opened. Invisible items are only listed with"
        + " --json."
    ],
    groups: [.listing, .freshness, .common], takesSeveralVaults: true, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard let text = invocation.arguments.operands.first, !text.isEmpty else {
      throw VaultError(.invalidArgument, "the text is empty")
    }
    let vaults = try invocation.openList()
    let lastSync = invocation.lastSyncForDocument(of: vaults)
    let found = try items(with: text, in: vaults).filter {
      invocation.isJSON || !$0.item.isInvisible
    }
    // The text may be a secret that was typed by mistake.
    guard !found.isEmpty else { throw VaultError(.itemNotFound, "no item has this text") }
    try invocation.writeList(found, of: vaults, lastSync)
    return .success
  }

  /// Returns the items that have a text in one of their attributes.
  static func items(
    with text: String, in vaults: VaultList
  ) throws(VaultError) -> [VaultList.Found] {
    let wanted = wanted(text)
    return try vaults.all { (vault) throws(VaultError) in
      try vault.findAll(.everything).filter { has($0, wanted) }
    }
  }

  /// Returns the texts that an item may have: the one that was typed and, for a host that is not
  /// ASCII, its A-labels, as items have them.
  private static func wanted(_ text: String) -> [String] {
    let folded = text.lowercased()
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return [folded] }
    do throws(VaultError) {
      return [folded, try HostName(text).name]
    } catch {
      return [folded]
    }
  }

  private static func has(_ item: Item, _ wanted: [String]) -> Bool {
    let key = item.key
    let names = [key.server.name, ItemText.shown(key.server)]
    return (names + [key.account, item.label, item.comment]).contains { value in
      guard !value.isEmpty else { return false }
      let folded = value.lowercased()
      return wanted.contains { folded.contains($0) }
    }
  }
}
