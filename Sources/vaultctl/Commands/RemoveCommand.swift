import CredentialVault
import VaultModel

/// `vaultctl rm`: removes an item.
enum RemoveCommand {
  static let command = Command(
    id: .remove, operands: .reference, summary: "remove an item",
    details: [
      "A URL's path is that of the item itself. The item has to be the one best match; --all removes all that match. The secrets that an item"
        + " had before go with it."
    ],
    groups: [
      .selectors,
      OptionGroup(
        heading: "How many",
        options: [Option(.all, nil, .none, "remove all that match"), OptionGroup.revision]),
      .common,
    ], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    // What is removed was named; another item that is used there was not.
    let selection = try invocation.selection(readsMetadata: true, isLiteral: true)
    try selection.requireNamed()
    let removesAll = invocation.arguments.has(.all)
    let revision = try invocation.arguments.parsed(.ifRevision, as: Values.revision)
    guard revision == nil || !removesAll else {
      throw VaultError(.invalidArgument, "--if-revision is for one item, --all for all that match")
    }
    let vault = try invocation.openVault()
    let removed = try vault.transaction { transaction throws(VaultError) -> [InternetPassword] in
      let items =
        removesAll
        ? try selection.items { query throws(VaultError) in try transaction.findAll(query) }
        : [try selection.item { query throws(VaultError) in try transaction.findAll(query) }]
      guard !items.isEmpty else { throw selection.notFound() }
      for item in items { try transaction.delete(item, ifRevision: revision) }
      return items
    }
    try invocation.confirm("removed", removed)
    return .success
  }
}
