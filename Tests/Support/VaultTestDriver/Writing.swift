import AttackSupport
import CKillSwitch
import CredentialVault
import Glibc
import VaultModel

extension Vault {
  /// Performs operation `number` of a workload; a batch is one transaction.
  func perform(_ workload: Workload, _ number: Int) throws(VaultError) {
    guard workload != .batch else {
      return try write { (transaction) throws(VaultError) in
        try workload.perform(number) { (item) throws(VaultError) in
          try transaction.add(item)
        } modify: { (query, secret) throws(VaultError) in
          try transaction.modify(transaction.findUnique(query, secrets: true), [.secret(secret)])
        } remove: { (query) throws(VaultError) in
          try transaction.remove(transaction.findUnique(query, secrets: true))
        }
      }
    }
    try workload.perform(number) { (item) throws(VaultError) in
      try add(item)
    } modify: { (query, secret) throws(VaultError) in
      try modify(findUnique(query), [.secret(secret)])
    } remove: { (query) throws(VaultError) in
      try remove(findUnique(query))
    }
  }
}

extension Arguments {
  var workload: Workload {
    guard let workload = Workload(rawValue: self["workload"]) else { exit(64) }
    return workload
  }
}

/// Performs operations from `first` on, printing the number of each that was committed; `count`
/// operations later the kill switch is armed.
func write(_ arguments: Arguments) throws(VaultError) {
  let vault = try arguments.openVault()
  let actions: [String: kill_switch_action] = [
    "before-commit": kill_switch_before_commit, "anywhere": kill_switch_anywhere,
    "stop": kill_switch_stop,
  ]
  let action = actions[arguments["switch"]]
  var number = arguments.number("first")
  let armedAt = number + arguments.number("count")
  while true {
    if number == armedAt, let action {
      kill_switch_arm(action, Int32(arguments.number("call")), 0)
    }
    try vault.perform(arguments.workload, number)
    say(number)
    number += 1
  }
}

/// Performs one operation whose `call`-th system call fails, and prints the result.
func fail(_ arguments: Arguments) throws(VaultError) {
  let vault = try arguments.openVault()
  let action = arguments["switch"] == "once" ? kill_switch_fail_once : kill_switch_fail_from
  kill_switch_arm(action, Int32(arguments.number("call")), Int32(arguments.number("errno")))
  var outcome = "done"
  do throws(VaultError) {
    try vault.perform(arguments.workload, arguments.number("first"))
  } catch {
    outcome = "\(error.code)"
  }
  let calls = kill_switch_disarm()
  say("\(outcome) \(calls)")
  // The same vault stays usable when the disk is.
  try vault.perform(arguments.workload, arguments.number("second"))
  say("done")
}
