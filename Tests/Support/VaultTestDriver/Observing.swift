import AttackSupport
import CFaultVFS
import CKillSwitch
import CredentialVault
import Glibc
import SecureMemory
import VaultModel

/// The events that an observer got, as one word each.
private final class EventLog: Sendable {
  private let words = Lock<[String]>([])

  func hear(_ event: VaultEvent) {
    // No test depends on more than the kind.
    let word = "\(event)".prefix { $0 != ":" }.replacing(" ", with: "-")
    words.withLock { $0.append(String(word)) }
  }

  /// Returns the events since the last call; `-` if there were none.
  func take() -> String {
    words.withLock { words in
      defer { words = [] }
      return words.isEmpty ? "-" : words.joined(separator: ",")
    }
  }
}

/// Adds an item again and again, each time with another call of SQLite's failing.
///
/// Prints the fault, the outcome, the observer's events of the add and of the following lookup, and
/// whether that finds the item.
func observeFailing(_ arguments: Arguments) throws(VaultError) {
  guard fault_vfs_install() else { throw VaultError(.internalError, "SQLite takes no VFS") }
  let vault = try arguments.openVault()
  let told = EventLog()
  let observation = vault.events.observe { told.hear($0) }
  for fault in Fault.all {
    var (call, calls) = (0, 0)
    repeat {
      call += 1
      let item = Workload.item("\(fault.name) \(call)", "new")
      var outcome = "done"
      fault_vfs_fail(fault.method, Int32(call), fault.extent, fault.result)
      do throws(VaultError) {
        try vault.add(item)
      } catch {
        outcome = "\(error.code)"
      }
      calls = Int(fault_vfs_calm())
      let added = told.take()
      let isThere = try !vault.findAll(ItemQuery(key: item.key)).isEmpty
      say("\(fault.name) \(outcome) \(added) \(told.take()) \(isThere)")
    } while calls >= call
  }
  observation.cancel()
}

/// Forks in the middle of notifying an observer of three changes; the child must not get the other
/// two.
func forkWhileObserved(_ arguments: Arguments) throws(VaultError) {
  let vault = try arguments.openVault()
  let (calls, isChild) = (Lock(0), Lock(false))
  let observation = vault.events.observe { _ in
    let count = calls.withLock { count in
      count += 1
      return count
    }
    guard count == 1 else { return }
    let child = kill_switch_fork()
    guard child != 0 else {
      endIfHanging()
      return isChild.withLock { $0 = true }
    }
    var status: Int32 = 0
    // The child just made; nobody else waits for it.
    unsafe waitpid(child, &status, 0)
    say(status == 0 ? "child ended" : "child failed")
  }
  try vault.writing { (transaction) throws(VaultError) in
    for number in 0..<3 { try transaction.add(Workload.item("observed\(number)", "new")) }
  }
  let count = calls.withLock { $0 }
  guard isChild.withLock({ $0 }) else {
    observation.cancel()
    return say("parent \(count)")
  }
  // Neither of the two may wait for a lock that the parent held at the fork.
  observation.cancel()
  vault.events.observe { _ in say("told in the child") }.cancel()
  say("child \(count)")
  // No exit handlers: they are the parent's.
  _exit(0)
}
