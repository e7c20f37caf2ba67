import CredentialVault
import Glibc
import VaultCommands
import VaultFleet
import VaultAdministration
import VaultModel

/// `vaultctl fleet sync`: gets what other machines wrote.
enum FleetSync {
  /// The time for which a program that stays waits for a notification, before it asks by itself.
  private static let longestWait = Duration.seconds(60)
  private static let longestPause: UInt32 = 60

  static func run(_ invocation: Invocation) throws(VaultError) {
    let vault = try invocation.openVault()
    guard invocation.arguments.has(.watch) else { return try once(vault, invocation) }
    var pause: UInt32 = 1
    while true {
      do throws(VaultError) {
        let watch = try Fleet.watch(vault, lockTimeout: invocation.lockTimeout())
        while true {
          // After it listens: no commit is missed between the two.
          try once(vault, invocation)
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

  private static func once(_ vault: Vault, _ invocation: Invocation) throws(VaultError) {
    let (before, after) = try vault.maintenance.sync()
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("generation_before", before)
        try json.field("generation", after)
      }
    } else if !invocation.isQuiet, before != after || !invocation.arguments.has(.watch) {
      try invocation.output.line(
        before == after
          ? "generation \(after), nothing new" : "generation \(after), before \(before)")
    }
    try invocation.output.flush()
  }
}
