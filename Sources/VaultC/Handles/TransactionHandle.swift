import CVault
import CredentialVault
import Glibc
import VaultModel

/// The vault of a transaction while its C function runs.
final class TransactionHandle: Handle, @unchecked Sendable {
  // All state that is not immutable and `Sendable` belongs to the thread that runs the function:
  // ``running(_:)`` returns the handle to no other one.

  let verbs: AnyItemVerbs
  let vault: VaultHandle
  private let thread = pthread_self()
  /// The items that were changed, in the order of the changes.
  private var changed: [(item: ItemHandle, undo: ItemHandle.Undo)] = []

  private init(_ transaction: consuming Vault.Writer, of vault: VaultHandle) {
    verbs = consume transaction
    self.vault = vault
  }

  /// Whether its function runs on this thread.
  var isOfThisThread: Bool { pthread_equal(thread, pthread_self()) != 0 }

  /// Returns the transaction for a pointer while its function runs, on this thread.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is none.
  @safe static func running(_ pointer: OpaquePointer?) throws(VaultError) -> TransactionHandle {
    let handle = try at(pointer)
    guard handle.isOfThisThread else {
      throw VaultError(.invalidArgument, "a transaction belongs to another thread")
    }
    return handle
  }

  /// Changes an item of the vault as ``ItemHandle/change(_:)`` does; if the transaction is not
  /// committed, the item becomes what it was.
  func change(
    _ item: ItemHandle,
    _ body: (inout ItemHandle.Content, borrowing AnyItemVerbs) throws(VaultError) -> Void
  ) throws(VaultError) {
    let undo = try item.changeInTransaction { (content) throws(VaultError) in
      try body(&content, verbs)
    }
    changed.append((item, undo))
  }

  private func undo() {
    for (item, undo) in changed.reversed() { item.undo(undo) }
    changed = []
  }

  /// Runs a C function as one transaction.
  ///
  /// - Throws: An error with the status that the function returns, which is its last failure if
  ///   that has the status; the errors of ``Vault/write(_:)``.
  static func run(
    in vault: VaultHandle, _ function: (OpaquePointer?) -> vault_status_t
  ) throws(VaultError) {
    var refusal: VaultError?
    var last: TransactionHandle?
    do throws(VaultError) {
      try vault.vault.writing { (transaction) throws(VaultError) in
        // The file was exchanged under the first attempt.
        last?.undo()
        refusal = nil
        let handle = TransactionHandle(transaction, of: vault)
        last = handle
        let start = LastError.now
        // A handle is not an address.
        let status = vault.run(handle) { unsafe function(handle.givenOut()) }
        try handle.end()
        guard status != VAULT_OK else { return }
        refusal = .refusal(status, since: start)
        // The vault undoes the changes, whatever the function's own number means to it.
        throw VaultError(.interrupted, "the function of a transaction abandoned it")
      }
    } catch {
      last?.undo()
      // An error of the vault's own, met while its changes were undone, is the graver one.
      throw error.code == .interrupted ? refusal ?? error : error
    }
  }
}

extension VaultError {
  fileprivate static func refusal(
    _ status: vault_status_t, since start: LastError.Moment
  ) -> VaultError {
    let code = Code(rawValue: Int32(bitPattern: status.rawValue))
    if let last = start.laterError, last.code == code { return last }
    return VaultError(
      code, "the function of a transaction abandoned it with the status \(code.rawValue)")
  }
}
