import CVault
import VaultModel

/// The vault that a function of items acts on, or the transaction that it runs on this thread.
struct Scope {
  let vault: VaultHandle
  private let transaction: TransactionHandle?

  fileprivate init(_ vault: VaultHandle, _ transaction: TransactionHandle?) {
    self.vault = vault
    self.transaction = transaction
  }

  /// Returns the scope of a `vault_t`: an open vault, or one that a transaction's function got.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is none, or a transaction's that is over
  ///   or runs on another thread.
  @safe static func at(_ pointer: OpaquePointer?) throws(VaultError) -> Scope {
    // The pointer is only taken apart.
    if let vault = VaultHandle.find(unsafe UnsafeRawPointer(pointer)) { return Scope(vault, nil) }
    let transaction = try TransactionHandle.running(pointer)
    return Scope(transaction.vault, transaction)
  }

  func perform<R>(
    _ body: (borrowing AnyItemVerbs) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    if let transaction { return try body(transaction.verbs) }
    return try body(vault.verbs)
  }
}

extension ItemHandle {
  /// Functions of an item take part in the transaction that its vault runs on their thread.
  var scope: Scope { Scope(vault, vault.running) }

  /// Changes the item as ``change(_:)`` does, in its scope; if a transaction is not committed, the
  /// item becomes what it was.
  func changeInScope(
    _ body: (inout Content, borrowing AnyItemVerbs) throws(VaultError) -> Void
  ) throws(VaultError) {
    if let transaction = vault.running { return try transaction.change(self, body) }
    try change { (content) throws(VaultError) in try body(&content, vault.verbs) }
  }
}

/// Runs the body of a function in the scope of a `vault_t`, as ``status(_:)`` does.
@safe func status(
  in vault: OpaquePointer?, _ body: (borrowing AnyItemVerbs) throws(VaultError) -> Void
) -> vault_status_t {
  // The pointer is only taken apart.
  status { () throws(VaultError) in try Scope.at(vault).perform(body) }
}

/// Finds an item in the scope of a `vault_t` and writes a handle to the caller's place.
func giveOut(
  at item: UnsafeMutablePointer<OpaquePointer?>?, in vault: OpaquePointer?,
  _ find: (borrowing AnyItemVerbs) throws(VaultError) -> Item
) -> vault_status_t {
  unsafe giveOut(at: item) { () throws(VaultError) in
    let scope = try Scope.at(vault)
    return ItemHandle(try scope.perform(find), in: scope.vault)
  }
}

/// Changes an item in the scope of a `vault_t` and writes a handle to the caller's place, if there
/// is one.
func giveOutIfWanted(
  at item: UnsafeMutablePointer<OpaquePointer?>?, in vault: OpaquePointer?,
  _ change: (borrowing AnyItemVerbs) throws(VaultError) -> ItemHandle.Content
) -> vault_status_t {
  unsafe giveOutIfWanted(at: item) { () throws(VaultError) in
    let scope = try Scope.at(vault)
    return (try scope.perform(change), scope.vault)
  }
}

/// Finds items in the scope of a `vault_t` and writes an array of handles, and their number, to the
/// caller's places.
func giveOut(
  at items: UnsafeMutablePointer<UnsafeMutablePointer<OpaquePointer?>?>?,
  _ count: UnsafeMutablePointer<Int>?, in vault: OpaquePointer?,
  _ find: (borrowing AnyItemVerbs) throws(VaultError) -> [ItemHandle.Content]
) -> vault_status_t {
  unsafe giveOut(at: items, count) { () throws(VaultError) in
    let scope = try Scope.at(vault)
    return (try scope.perform(find), scope.vault)
  }
}
