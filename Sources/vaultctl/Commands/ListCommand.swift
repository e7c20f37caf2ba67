import CredentialVault
import VaultModel

/// `vaultctl list`: lists items without their secrets.
enum ListCommand {
  static let command = Command(
    id: .list, operands: .reference, summary: "list all items, or those that match",
    details: [
      "Secrets are not opened. Invisible items are only listed with --json or --invisible."
    ],
    groups: [.selectors, .common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let selection = try invocation.selection(readsMetadata: true)
    let vault = try invocation.openVault()
    var items = try selection.items { query throws(VaultError) in try vault.findAll(query) }
    if !invocation.isJSON, case .any = selection.query.isInvisible {
      items.removeAll(where: \.isInvisible)
    }
    try invocation.list(items)
    return .success
  }
}
