import AttackSupport
import CKillSwitch
import CredentialVault
import Glibc
import SecureMemory
import VaultModel

/// Keeps a vault open, and for each line that comes in prints what it holds.
func look(_ arguments: Arguments) throws(VaultError) {
  let vault = try arguments.openVault()
  _ = try vault.find(ItemQuery(), secrets: true)
  say("open")
  while let line = readLine() {
    do throws(VaultError) {
      if line == "add" { try vault.add(Workload.item("looker", "looker")) }
      let items = try vault.find(ItemQuery(), secrets: true)
      let secrets = Set(items.map { $0.secret?.text ?? "" })
      say("\(items.count) \(secrets.sorted().joined(separator: ","))")
    } catch {
      say("error \(error.code)")
    }
  }
}

/// Restores the vault, and counts the system calls; `call` is the last one where the switch is `kill`.
func restore(_ arguments: Arguments) throws(VaultError) {
  become(arguments)
  arm(arguments)
  let report = try Vault.restore(
    from: arguments["backup"], to: arguments["vault"], key: .keyFile(arguments["key"]),
    lockTimeout: .milliseconds(arguments.number("timeout", default: 10_000)))
  say("done \(kill_switch_disarm())")
  say("kept \(report.keptPath ?? "nothing")")
}

/// Makes a backup; as ``restore(_:)`` otherwise.
func backUp(_ arguments: Arguments) throws(VaultError) {
  let vault = try arguments.openVault()
  arm(arguments)
  try vault.backup(to: arguments["backup"])
  say("done \(kill_switch_disarm())")
}

private func arm(_ arguments: Arguments) {
  let isKilled = arguments["switch"] == "kill"
  kill_switch_arm(
    isKilled ? kill_switch_anywhere : kill_switch_count, Int32(arguments.number("call")), 0)
}
