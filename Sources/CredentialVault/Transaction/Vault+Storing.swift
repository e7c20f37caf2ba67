import SecureMemory
import VaultFile
package import VaultModel

/// The entry point of every change that stores something.
extension Vault {
  /// Runs `body` with a gate that stores under the present policy.
  ///
  /// Requests for permanent storage are decided and written in one write transaction of the file.
  /// Requests for the session are decided after a check whether another process changed the policy.
  ///
  /// - Throws: Any error of `body`; ``VaultError/Code/locked``: while the policy cannot be read,
  ///   nothing is stored; any error of writing the file. The session is then as it was.
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
        let current = PolicyGate(session.within(transaction), transaction)
        gate = current
        return try body(current)
      }
    } catch {
      gate?.undo(after: error)
      throw error
    }
  }

  /// Returns the policy as it is in the file now.
  func currentPolicy() throws(VaultError) -> PersistencePolicy {
    try file?.policy() ?? memoryPolicy
  }

  /// The source of the time: a clock that was set back does not make it earlier than the file's
  /// last commit.
  package var time: TimeSource { file?.time ?? .system }
}
