import AttackSupport
import CKillSwitch
import VaultAdministration
import Glibc
import SecureMemory
import VaultModel

extension Vault {
  /// Performs operation `number` of a workload; a batch is one transaction.
  func perform(_ workload: Workload, _ number: Int) throws(VaultError) {
    guard workload != .batch else {
      return try writing { (transaction) throws(VaultError) in
        try workload.perform(number) { (item) throws(VaultError) in
          try transaction.add(item)
        } modify: { (query, secret) throws(VaultError) in
          try transaction.modify(
            transaction.findUnique(query, withSecrets: true), [.secret(secret)])
        } remove: { (query) throws(VaultError) in
          try transaction.remove(transaction.findUnique(query, withSecrets: true))
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

/// Adds items to a vault on a disk of 1 MiB until that is full, makes room, and continues.
///
/// Prints the outcome of each step, and whether the vault is intact after it.
func fill(_ arguments: Arguments) throws {
  let folder = arguments["folder"]
  let error = unsafe kill_switch_mount(folder, 1 << 20)
  guard error == 0 else { return say("no-disk \(error)") }
  // Another file on the disk, which can be removed.
  let ballast = folder + "/ballast"
  try File.write([UInt8](repeating: 1, count: 256 << 10), to: ballast)
  let key = KeySource.keyFile(arguments["key"])
  let vault = try Vault.create(path: folder + "/v", key: key)
  // Another copy, on a disk with room.
  let other = arguments["vault"] + ".other"
  try vault.maintenance.backup(to: other)
  let copy = try Vault.open(path: other, key: key)
  try copy.add(Workload.item("there", String(repeating: "z", count: 40_000)))
  try copy.close()
  var expected: [String: Int] = [:]
  func step(_ name: String, _ body: () throws -> Void) throws {
    var outcome = "done"
    do {
      try body()
    } catch let error as VaultError {
      outcome = "\(error.code) \(error.underlying == .sqlite(13) ? "full" : "")"
    }
    let found = try vault.findAll(ItemQuery(), withSecrets: true)
    let state = Dictionary(found.map { ($0.account, $0.secret?.count ?? 0) }) { $0 + $1 }
    let isWhole = try state == expected && vault.maintenance.verify().isClean
    say("\(name) \(isWhole ? "whole" : "not-whole") \(outcome)")
  }
  func add(_ account: String, _ count: Int) throws {
    try vault.add(Workload.item(account, String(repeating: "x", count: count)))
    expected[account] = count
  }
  try step("fill") {
    for number in 0..<100 { try add("\(number)", 20_000) }
  }
  guard expected.count > 5 else { return say("too small a disk") }
  try step("modify") {
    let item = try vault.findUnique(ItemQuery(key: Workload.item("0", "").key))
    try vault.modify(item, [.secret(Secret(String(repeating: "y", count: 40_000)))])
    expected["0"] = 40_000
  }
  func merge() throws {
    try VaultMaintenance.merge(other, into: folder + "/v", key: key)
    expected["there"] = 40_000
  }
  try step("merge", merge)
  try File.remove(ballast)
  try step("delete") {
    try vault.remove(vault.findUnique(ItemQuery(key: Workload.item("0", "").key)))
    expected["0"] = nil
  }
  try step("merge", merge)
  try step("add") { try add("later", 20_000) }
  try vault.close()
  say(try File.names(in: folder).joined(separator: ","))
}

/// Rekeys the vault, keeping the slot of the key file.
func rekey(_ arguments: Arguments) throws(VaultError) {
  let vault = try arguments.openVault()
  let done = try vault.keys.changeKey(keeping: [.keyFile(arguments["key"])])
  say("epoch \(done.epoch)")
}
