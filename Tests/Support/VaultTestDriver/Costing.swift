import AttackSupport
import VaultAdministration
import Glibc
import SecureMemory
import Synchronization
import VaultCrypto
import VaultModel

/// Tries one wrong passphrase on a vault in every possible way, and counts the derivations.
///
/// Prints `NAME CODE COUNT` for each way. Arguments: `vault`, `out`.
func derive(_ arguments: Arguments) throws {
  let (path, wrong) = (arguments["vault"], KeySource.passphrase(Secret("no one's passphrase")))
  func count(_ name: String, _ body: () throws(VaultError) -> Void) {
    let before = SlotKey.derivations.load(ordering: .relaxed)
    var outcome = "success"
    do throws(VaultError) {
      try body()
    } catch {
      outcome = error.code.description
    }
    say("\(name) \(outcome) \(SlotKey.derivations.load(ordering: .relaxed) - before)")
  }
  count("open") { () throws(VaultError) in
    try Vault.open(path: path, key: wrong, minimumCost: .minimum).close()
  }
  count("salvage") { () throws(VaultError) in
    _ = try VaultMaintenance.salvage(path: path, to: arguments["out"], key: wrong, cost: .minimum)
  }
  count("diagnose") { () throws(VaultError) in
    _ = try VaultMaintenance.diagnose(path: path, key: wrong)
  }
  count("check") { () throws(VaultError) in
    _ = try VaultMaintenance.check(backup: path, against: arguments["out"], key: wrong)
  }
}

/// Salvages a vault with that many MiB of address space beyond the process's present use.
///
/// Prints `items N`. Arguments: `vault`, `key`, `out`, `space`.
func salvageInLittleSpace(_ arguments: Arguments) throws {
  guard let used = usedAddressSpace() else { return say("error no-size") }
  let most = rlim_t(used + arguments.number("space") << 20)
  var limit = rlimit(rlim_cur: most, rlim_max: most)
  // The structure is ours.
  guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else {
    return say("error no-limit")
  }
  let report = try VaultMaintenance.salvage(
    path: arguments["vault"], to: arguments["out"], key: .keyFile(arguments["key"]))
  say("items \(report.itemCount)")
  say("complete \(report.isComplete)")
}

/// Returns the used address space in bytes, as the system counts it.
private func usedAddressSpace() -> Int? {
  guard let file = unsafe fopen("/proc/self/statm", "r") else { return nil }
  // The stream is open until here.
  defer { unsafe fclose(file) }
  var line = [CChar](repeating: 0, count: 200)
  // As many bytes as the buffer has, NUL included.
  guard unsafe fgets(&line, Int32(line.count), file) != nil else { return nil }
  let digits = line.prefix { $0 != 32 && $0 != 0 }.map { UInt8(bitPattern: $0) }
  return Int(String(decoding: digits, as: UTF8.self)).map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
}
