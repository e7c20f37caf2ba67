import CredentialVault
import VaultCommands
import VaultFleet
import VaultModel

/// `vault-fleet`: `vaultctl` with the commands that ask a fleet's server, and with every command
/// that writes to a replica.
@main
enum Main {
  static func main() {
    Fleet.use()
    let refresh: Program.Refresh = { (vault) throws(VaultError) in try Fleet.sync(vault) }
    Program.main(
      named: "vault-fleet", { name in name == .fleet ? FleetProgram.run : nil }, refreshing: refresh
    )
  }
}
