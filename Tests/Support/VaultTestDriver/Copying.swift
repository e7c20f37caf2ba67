import AttackSupport
import VaultAdministration
import Glibc
import SecureMemory
import VaultModel

/// Keeps a vault open, and prints its content for each line of input.
func look(_ arguments: Arguments) throws(VaultError) {
  let vault = try arguments.openVault()
  _ = try vault.findAll(ItemQuery(), withSecrets: true)
  say("open")
  while let line = readLine() {
    do throws(VaultError) {
      if line == "add" { try vault.add(Workload.item("looker", "looker")) }
      if line == "session" {
        try vault.add(Workload.item("looker", "looker"), persistence: .session)
      }
      if line == "pending" {
        let item = Workload.item("looker", "looker")
        let space = try ProtectionSpace(host: item.server.name)
        let credential = Credential(
          user: "looker", secret: Secret("looker"), persistence: .permanent)
        _ = try vault.pending.set(credential, for: space)
      }
      let items = try vault.findAll(ItemQuery(), withSecrets: true)
      let secrets = Set(items.map { $0.secret?.text ?? "" })
      say("\(items.count) \(secrets.sorted().joined(separator: ","))")
    } catch {
      say("error \(error.code)")
    }
  }
}

/// Restores the vault, as another user if one is named.
func restore(_ arguments: Arguments) throws(VaultError) {
  become(arguments)
  let report = try VaultMaintenance.restore(
    from: arguments["backup"], to: arguments["vault"], key: .keyFile(arguments["key"]),
    lockTimeout: .milliseconds(arguments.number("timeout", default: 120_000)))
  say("done")
  say("kept \(report.keptPath ?? "nothing")")
}
