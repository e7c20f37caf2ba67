import CredentialVault
import VaultModel

/// `vaultctl show`: shows everything about one item.
enum ShowCommand {
  static let command = Command(
    id: .show, operands: .reference, summary: "show all attributes of one item",
    details: ["-g also shows its secret."],
    groups: [.selectors, .showingOne, .common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let selection = try invocation.selection(readsMetadata: true)
    try selection.requireNamed()
    let vault = try invocation.openVault()
    let item: InternetPassword
    if invocation.arguments.has(.showPassword) {
      item = try selection.itemWithSecret(in: vault)
    } else {
      item = try selection.item { query throws(VaultError) in try vault.findAll(query) }
    }
    if invocation.isJSON {
      var json = JSONWriter(invocation.output)
      try json.document(items: [item])
    } else {
      let isDefault = try DefaultCommand.isDefault(item) { space throws(VaultError) in
        try vault.defaultUser(for: space)
      }
      try invocation.output.block(item, more: isDefault ? [("default", "yes")] : [])
    }
    return .success
  }
}
