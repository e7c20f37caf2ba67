import SecureMemory
import VaultStore
public import VaultModel

extension Vault {
  /// One atomic change of the file: all of its changes are committed together, or none is.
  ///
  /// Valid only within the body of ``Vault/write(_:)``.
  public struct Writer: ~Copyable, VaultReading {
    let gate: PolicyGate
    let transaction: FileTransaction

    /// The time of everything in the transaction: the vault's time, read once.
    public var now: Timestamp { transaction.now }
  }

  /// Runs `body` as one write transaction of the file.
  ///
  /// If `body` throws, the file stays as it was; if it changes nothing, nothing is written. Many
  /// items in one transaction cost a small part of as many transactions. The vault itself must not
  /// be called within the body. If the vault's file was replaced by another one meanwhile, the body
  /// runs a second time, on that one, and nothing remains of the first.
  ///
  /// - Throws: Any error of `body`; ``VaultError/Code/locked``, ``VaultError/Code/readOnly``,
  ///   ``VaultError/Code/busy`` after the lock timeout, ``VaultError/Code/inputOutput``, and
  ///   ``VaultError/Code/outcomeUnknown`` if the commit failed and the file cannot be read back.
  public func write<R, E: Error>(
    _ body: (borrowing Writer) throws(E) -> R
  ) throws -> R {
    try UserClosure.within { (closure) throws(VaultError) in
      try writing { (writer) throws(VaultError) in
        try closure.call { try body(writer) }
      }
    }
  }

  /// Calls ``write(_:)`` without blocking; the closure is called on the vault's own thread.
  public func write<R: Sendable>(
    _ body: @Sendable (borrowing Writer) throws -> R
  ) async throws -> R {
    try await perform { vault in try vault.write(body) }
  }

  /// Runs a write transaction as ``write(_:)`` does, for a body that throws only ``VaultError`` and
  /// may keep the writer until it returns.
  package func writing<R>(
    _ body: (consuming Writer) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    _ = try requireFile()
    return try storing(.permanent) { (gate) throws(VaultError) in
      try body(Writer(gate: gate, transaction: gate.file()))
    }
  }
}

// Not Sendable: a transaction belongs to the thread that holds the file's lock.
@available(*, unavailable)
extension Vault.Writer: Sendable {}

/// A closure that a user of the library wrote, called somewhere below functions that throw only
/// ``VaultError``.
///
/// The closure's error leaves ``within(_:)`` unchanged. On the way the functions see
/// ``VaultError/Code/interrupted`` and undo their changes.
package final class UserClosure {
  private var error: (any Error)?

  /// Runs `body`, which calls the closure by ``call(_:)``.
  package static func within<R>(_ body: (UserClosure) throws(VaultError) -> R) throws -> R {
    let closure = UserClosure()
    do throws(VaultError) {
      return try body(closure)
    } catch {
      // An error of the vault's own, met while its changes were undone, is the graver one.
      throw error.code == .interrupted ? closure.error ?? error : error
    }
  }

  package func call<R>(_ closure: () throws -> R) throws(VaultError) -> R {
    // The first of two attempts may have thrown: its file was exchanged.
    error = nil
    do {
      return try closure()
    } catch let error as VaultError {
      throw error
    } catch {
      self.error = error
      throw VaultError(.interrupted, "a closure threw \(type(of: error))")
    }
  }
}

/// The entry point of every change that stores something.
extension Vault {
  /// Runs `body` with a gate that stores under the present policy.
  ///
  /// Requests for permanent storage are decided and written in one write transaction of the file.
  /// Requests for the session are decided after a check whether another process changed the policy.
  ///
  /// - Throws: Any error of `body`; ``VaultError/Code/locked``: while the policy cannot be read,
  ///   nothing is stored; any error of writing the file. The session is then as it was.
  package func storing<R>(
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
