import CredentialVault
import VaultModel

/// `vaultctl revert`: restores a previous secret of an item.
enum RevertCommand {
  static let command = Command(
    id: .revert, operands: .reference, summary: "restore a previous secret of an item",
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
    ], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    let selection = try invocation.selection(readsMetadata: true)
    try selection.requireNamed()
    let number = try arguments.parsed(.to, as: Values.count) ?? 1
    let revision = try arguments.parsed(.ifRevision, as: Values.revision)
    let vault = try invocation.openVault()
    let stored = try vault.write { (transaction) throws(VaultError) in
      let item = try selection.item { query throws(VaultError) in try transaction.findAll(query) }
      let previous = try transaction.history(of: item).previous(number)
      return try transaction.revert(item, to: previous, ifRevision: revision).kept()
    }
    try invocation.confirm("reverted", stored)
    return .success
  }
}
