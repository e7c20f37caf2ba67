import SecureMemory
import VaultFile
public import VaultModel
import VaultSession

extension Vault {
  /// One atomic change of the file: all of its changes are committed together, or none is.
  ///
  /// Valid only within the body of ``Vault/transaction(_:)``.
  public struct Transaction: ~Copyable {
    let gate: PolicyGate
    let transaction: FileTransaction

    /// The time of everything in the transaction: the vault's time, read once.
    package var now: Timestamp { transaction.now }

    /// Returns the default user of a space, or nil.
    public func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
      try transaction.defaultUser(for: space)
    }

    /// Sets the default user of a space, as ``Vault/setDefaultUser(_:for:)`` does; nil clears it.
    @discardableResult
    public func setDefaultUser(
      _ user: String?, for space: ProtectionSpace
    ) throws(VaultError) -> PersistencePolicy.Decision {
      guard let user else {
        try gate.chooseForGood(nil, for: space)
        return PersistencePolicy.Decision(requested: .none)
      }
      let query = ItemQuery(space)
      let isPermanent = try transaction.find(query).contains(where: { $0.isOf(user) })
      let temporary = try gate.session.find(query, secrets: false)
      guard isPermanent || temporary.contains(where: { $0.isOf(user) }) else {
        throw VaultError(.itemNotFound, "\(space) has no credential of this user")
      }
      return try gate.setDefaultUser(
        user, for: space, requested: isPermanent ? .permanent : .session)
    }
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
  public func transaction<R, E: Error>(
    _ body: (borrowing Transaction) throws(E) -> R
  ) throws -> R {
    try UserClosure.within { (closure) throws(VaultError) in
      try write { (transaction) throws(VaultError) in
        try closure.call { try body(transaction) }
      }
    }
  }

  /// Runs a write transaction as ``transaction(_:)`` does, for a body that throws only
  /// ``VaultError`` and may keep the transaction until it returns.
  package func write<R>(
    _ body: (consuming Transaction) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    _ = try requireFile()
    return try storing(.permanent) { (gate) throws(VaultError) in
      try body(Transaction(gate: gate, transaction: gate.file()))
    }
  }
}

// Not Sendable: a transaction belongs to the thread that holds the file's lock.
@available(*, unavailable)
extension Vault.Transaction: Sendable {}

/// A closure that a user of the library wrote, called somewhere below functions that throw only
/// ``VaultError``.
///
/// The closure's error leaves ``within(_:)`` unchanged. On the way the functions see
/// ``VaultError/Code/interrupted`` and undo their changes.
final class UserClosure {
  private var error: (any Error)?

  /// Runs `body`, which calls the closure by ``call(_:)``.
  static func within<R>(_ body: (UserClosure) throws(VaultError) -> R) throws -> R {
    let closure = UserClosure()
    do throws(VaultError) {
      return try body(closure)
    } catch {
      // An error of the vault's own, met while its changes were undone, is the graver one.
      throw error.code == .interrupted ? closure.error ?? error : error
    }
  }

  func call<R>(_ closure: () throws -> R) throws(VaultError) -> R {
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
