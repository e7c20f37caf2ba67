import CredentialVault
import VaultModel

/// `vaultctl rm`: removes an item.
enum RemoveCommand {
  static let command = Command(
    id: .remove, operands: .reference, summary: "remove an item",
    details: ["The item has to be the one best match; --all removes all that match."],
    groups: [
      .selectors,
      OptionGroup(
        heading: "How many", options: [Option(.all, nil, .none, "remove all that match")]),
      .common,
    ], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let selection = try invocation.selection(readsMetadata: true)
    guard !selection.isEmpty else {
      throw VaultError(.invalidArgument, "name the item by its id, its URL or its attributes")
    }
    let removesAll = invocation.arguments.has(.all)
    let vault = try invocation.openVault()
    let removed = try vault.transaction { transaction throws(VaultError) -> [InternetPassword] in
      let items =
        removesAll
        ? try selection.items { query throws(VaultError) in try transaction.find(query) }
        : [try selection.item { query throws(VaultError) in try transaction.find(query) }]
      guard !items.isEmpty else { throw selection.notFound() }
      for item in items { try transaction.delete(item) }
      return items
    }
    try invocation.confirm("removed", removed)
    return .success
  }
}
