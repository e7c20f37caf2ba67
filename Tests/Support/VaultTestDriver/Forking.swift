import AttackSupport
import CKillSwitch
import VaultAdministration
import Glibc
import SecureMemory
import VaultModel

/// Forks while the vault is open, and with `busy=1` while another thread uses it.
///
/// The child tries everything and prints the results; the parent continues.
func forkWhileOpen(_ arguments: Arguments) throws(VaultError) {
  var vault = try arguments.openVault()
  try vault.add(Workload.item("session", "session"), persistence: .session)
  // Values that Swift initializes once, under locks that a child would wait for if another thread
  // held them, are initialized before.
  let closed = Vault.inMemory()
  try closed.close()
  _ = childOutcome(closed)
  try vault.add(Workload.item("before", "before"))
  if arguments.number("busy") == 1 { keepBusy(vault) }
  for _ in 0..<arguments.number("forks", default: 1) {
    let child = kill_switch_fork()
    if child == 0 {
      endIfHanging()
      say(childOutcome(vault))
      // The child's copy of the vault's connection is dropped too, which the parent's must not
      // notice.
      vault = Vault.inMemory()
      // No exit handlers: they are the parent's.
      _exit(0)
    }
    var status: Int32 = 0
    // The child just made; nobody else waits for it.
    unsafe waitpid(child, &status, 0)
    say(status == 0 ? "child ended" : "child failed")
  }
  try vault.modify(
    vault.findUnique(ItemQuery(key: Workload.item("base0", "").key)), [.comment("after the fork")])
  say("done \(try vault.maintenance.verify().isClean)")
  exit(0)
}

/// Ends this process after a while, so that a hang is a result too.
func endIfHanging() {
  // The program that started the driver may have blocked it. The set is ours, and the calls cannot
  // fail for it.
  var signals = sigset_t()
  unsafe sigemptyset(&signals)
  unsafe sigaddset(&signals, SIGALRM)
  unsafe sigprocmask(SIG_UNBLOCK, &signals, nil)
  alarm(120)
}

/// Adds items from another thread until the process ends.
private func keepBusy(_ vault: Vault) {
  var thread = pthread_t()
  // The thread's own reference, for as long as the process lives.
  let context = unsafe Unmanaged.passRetained(vault).toOpaque()
  unsafe pthread_create(
    &thread, nil,
    { context in
      guard let context = unsafe context else { return nil }
      let vault = unsafe Unmanaged<Vault>.fromOpaque(context).takeUnretainedValue()
      var number = 0
      while true {
        do throws(VaultError) {
          try vault.add(Workload.item("busy\(number)", "busy"))
          number += 1
        } catch {
          exit(70)
        }
      }
    }, context)
}

/// Returns the codes that a child gets, one for each kind of operation; `locked` if all are that.
private func childOutcome(_ vault: Vault) -> String {
  let item = Workload.item("base0", "")
  let space = Result { () throws(VaultError) in
    try ProtectionSpace(host: "host0.example.com", realm: "", authenticationMethod: .basic)
  }
  guard case .success(let space) = space else { return "no space" }
  let operations: [() throws -> Void] = [
    { _ = try vault.findAll(ItemQuery(), withSecrets: true) },
    { _ = try vault.findUnique(ItemQuery(key: item.key), withSecrets: true) },
    { try vault.add(Workload.item("child", "child")) },
    {
      try vault.add(Workload.item("child", "child"), persistence: .session)
    },
    { try vault.modify(item, [.comment("child")]) },
    { try vault.remove(item) },
    { try vault.write { (_) throws(VaultError) in } },
    { _ = try vault.credentials(for: space) },
    { _ = try vault.defaults() },
    { try vault.setDefaultUser(nil, for: space) },
    { _ = try vault.maintenance.verify() },
    { _ = try vault.maintenance.information() },
    { _ = try vault.maintenance.backup(to: "/nonexistent") },
    { try vault.unlock(with: .passphrase(Secret("any"))) },
    { _ = try vault.state() },
    { try vault.lock() },
    { try vault.close() },
  ]
  var codes: Set<String> = []
  for operation in operations {
    do {
      try operation()
      codes.insert("done")
    } catch {
      codes.insert((error as? VaultError)?.code.description ?? "another error")
    }
  }
  return codes.sorted().joined(separator: " ")
}
