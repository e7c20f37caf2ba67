public import VaultModel

extension Vault.Transaction {
  /// The generic passwords, as they are within the transaction.
  public var genericPasswords: GenericPasswords {
    GenericPasswords(transaction: Vault.Transaction(gate: gate, transaction: transaction))
  }

  /// Lookups and changes of generic passwords within a transaction, as ``VaultGenericPasswords``
  /// has them outside; valid only within the body of ``Vault/transaction(_:)``.
  public struct GenericPasswords: ~Copyable {
    let transaction: Vault.Transaction

    /// Returns the item that matches best.
    public func find(
      _ query: GenericPasswordQuery, secrets: Bool = false
    ) throws(VaultError) -> GenericPassword {
      GenericPassword(try transaction.find(query.query, secrets: secrets))
    }

    /// Returns the items that match.
    public func findAll(
      _ query: GenericPasswordQuery = GenericPasswordQuery(), secrets: Bool = false
    ) throws(VaultError) -> [GenericPassword] {
      try transaction.findAll(query.query, secrets: secrets).map(GenericPassword.init)
    }

    /// Adds an item with permanent persistence requested.
    @discardableResult
    public func add(
      _ item: GenericPassword, isAccepted: Bool = false
    ) throws(VaultError) -> GenericStoreResult {
      GenericStoreResult(
        try transaction.gate.add(item.item, requested: .permanent, isAccepted: isAccepted))
    }

    /// Changes the item of the same key or adds it.
    @discardableResult
    public func upsert(
      _ item: GenericPassword, isAccepted: Bool = false
    ) throws(VaultError) -> GenericStoreResult {
      GenericStoreResult(
        try transaction.gate.upsert(item.item, requested: .permanent, isAccepted: isAccepted))
    }

    /// Applies changes to an item.
    @discardableResult
    public func modify(
      _ item: GenericPassword, _ changes: [ItemChange], ifRevision revision: UInt64? = nil,
      isAccepted: Bool = false
    ) throws(VaultError) -> GenericStoreResult {
      GenericStoreResult(
        try transaction.modify(item.item, changes, ifRevision: revision, isAccepted: isAccepted))
    }

    /// Removes an item and its previous secrets.
    public func remove(
      _ item: GenericPassword, ifRevision revision: UInt64? = nil, isForGood: Bool = false
    ) throws(VaultError) {
      try transaction.remove(item.item, ifRevision: revision, isForGood: isForGood)
    }
  }
}

// Not Sendable: a transaction belongs to the thread that holds the file's lock.
@available(*, unavailable)
extension Vault.Transaction.GenericPasswords: Sendable {}
