import CredentialVault
import Glibc
import VaultAdministration
import VaultCommands
import VaultFleet
import VaultModel

/// `vaultctl fleet sync`: gets what other machines wrote.
enum FleetSync {
  /// The time for which a program that stays waits for a notification, before it asks by itself.
  private static let longestWait = Duration.seconds(60)
  private static let longestPause: UInt32 = 60

  static func run(_ invocation: Invocation) throws(VaultError) {
    let replicas = try Replicas(invocation)
    guard invocation.arguments.has("watch") else { return try once(replicas, invocation) }
    var pause: UInt32 = 1
    while true {
      do throws(VaultError) {
        // Commits to all vaults of a server are noticed; of several servers, the first one's.
        let watch = try Fleet.watch(
          replicas.first(), lockTimeout: invocation.lockTimeout())
        while true {
          // After it listens: no commit is missed between the two.
          try once(replicas, invocation)
          pause = 1
          _ = try watch.awaitCommit(for: longestWait)
        }
      } catch {
        // A server that restarts, or another program that writes, is not a reason to end.
        guard error.code == .unavailable || error.code == .busy else { throw error }
        try invocation.warn("\(error.context); trying again in \(pause) s")
        sleep(pause)
        pause = min(pause * 2, longestPause)
      }
    }
  }

  private static func once(
    _ replicas: Replicas, _ invocation: Invocation
  ) throws(VaultError) {
    try replicas.forEach { (vault, name) throws(VaultError) in
      let (before, after) = try vault.maintenance.sync()
      let isSaid = !invocation.isQuiet && (before != after || !invocation.arguments.has("watch"))
      return Replicas.Answer(
        text: isSaid
          ? name
            + (before == after
              ? "generation \(after), nothing new" : "generation \(after), before \(before)")
          : nil,
        fields: [("generation_before", before), ("generation", after)])
    }
    try invocation.output.flush()
  }
}
