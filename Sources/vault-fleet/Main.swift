import VaultCommands
import VaultFleet

/// `vault-fleet`: `vaultctl` with the commands that ask a fleet's server, and with every command
/// that writes to a replica.
@main
enum Main {
  static func main() {
    Fleet.use()
    Program.main(writesReplicas: true) { name in name == .fleet ? FleetProgram.run : nil }
  }
}
