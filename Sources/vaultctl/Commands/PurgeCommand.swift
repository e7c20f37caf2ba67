import CredentialVault
import VaultModel

/// `vaultctl purge`: removes expired items.
enum PurgeCommand {
  static let command = Command(
    id: .purge, operands: .none, summary: "remove expired items",
    details: [
      "Items expire on their own date, or because a rule of the policy keeps them no longer."
        + " Expired previous secrets are removed too, and items that have been in the trash for"
        + " too long. Nothing is moved to the trash."
    ],
    groups: [OptionGroup(heading: "How", options: [OptionGroup.dryRun]), .common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let vault = try invocation.openVault()
    if invocation.arguments.has(.dryRun) {
      try invocation.confirm("would remove", vault.maintenance.expired())
    } else {
      try invocation.confirm("removed", vault.maintenance.purge())
    }
    return .success
  }
}
