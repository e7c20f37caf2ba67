import AttackSupport
import CKillSwitch
import CredentialVault
import Glibc
import SecureMemory
import VaultModel

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
  let vault = try Vault.create(path: folder + "/v", key: .keyFile(arguments["key"]))
  var expected: [String: Int] = [:]
  func step(_ name: String, _ body: () throws -> Void) throws {
    var outcome = "done"
    do {
      try body()
    } catch let error as VaultError {
      outcome = "\(error.code) \(error.underlying == .sqlite(13) ? "full" : "")"
    }
    let found = try vault.findAll(ItemQuery(), secrets: true)
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
  try File.remove(ballast)
  try step("delete") {
    try vault.remove(vault.findUnique(ItemQuery(key: Workload.item("0", "").key)))
    expected["0"] = nil
  }
  try step("add") { try add("later", 20_000) }
  try vault.close()
  say(try File.names(in: folder).joined(separator: ","))
}
