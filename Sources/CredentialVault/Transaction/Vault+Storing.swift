import SecureMemory
import VaultFile
package import VaultModel

/// Every change that stores something begins here.
extension Vault {
  /// Runs `body` with what stores under the policy that holds at that moment.
  ///
  /// What is asked for permanently is decided and written in one write transaction of the file; what is asked for the
  /// session is decided after a look whether another process changed the policy.
  ///
  /// - Throws: What `body` throws; ``VaultError/Code/locked``: while the policy cannot be read, nothing is stored; what writing
  ///   the file throws. The session is then as it was.
  func storing<R>(
    _ requested: Persistence, _ body: (PolicyGate) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    try requireUnlocked()
    var gate: PolicyGate?
    do throws(VaultError) {
      guard let file, requested == .permanent else {
        let current = PolicyGate(session, now: time.now()) { () throws(VaultError) in
          try self.currentPolicy()
        }
        gate = current
        return try body(current)
      }
      return try file.write { (transaction) throws(VaultError) in
        // The file was exchanged under the first attempt.
        gate?.undo()
        let current = PolicyGate(session, transaction)
        gate = current
        return try body(current)
      }
    } catch {
      gate?.undo(after: error)
      throw error
    }
  }

  /// The policy as it is in the file now.
  func currentPolicy() throws(VaultError) -> PersistencePolicy {
    try file?.policy() ?? memoryPolicy
  }

  /// Where the time comes from: no clock that was set back makes it earlier than the file's last commit.
  package var time: TimeSource { file?.time ?? .system }
}
