import VaultCommands
import VaultFleet
import VaultModel

/// `vaultctl fleet status`: compares replicas with their servers.
enum FleetStatus {
  static func run(_ invocation: Invocation) throws(VaultError) {
    try Replicas(invocation).forEach { (vault, name) throws(VaultError) in
      let (own, state) = try Fleet.compare(vault, lockTimeout: invocation.lockTimeout())
      // Less than its own generation is an error.
      let relation =
        own == state.generation
        ? "as on the server" : "behind the server, which is at generation \(state.generation)"
      return Replicas.Answer(
        text: "\(name)generation \(own), \(relation); the last commit was \(state.age) s ago",
        fields: [
          ("generation", own), ("server_generation", state.generation),
          ("seconds_since_commit", UInt64(clamping: state.age)),
        ])
    }
  }
}
