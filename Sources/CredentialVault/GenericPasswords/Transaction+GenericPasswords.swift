public import VaultModel

extension Vault.Writer {
  /// The generic passwords, as they are within the transaction.
  public var genericPasswords: GenericPasswords {
    GenericPasswords(transaction: Vault.Writer(gate: gate, transaction: transaction))
  }

  /// Lookups and changes of generic passwords within a transaction, as ``VaultGenericPasswords``
  /// has them outside; valid only within the body of ``Vault/write(_:)``.
  public struct GenericPasswords: ~Copyable {
    let transaction: Vault.Writer

    /// Returns the item that matches best.
    public func find(
      _ query: GenericPasswordQuery, withSecrets: Bool = false
    ) throws(VaultError) -> GenericPassword {
      GenericPassword(try transaction.find(query.query, withSecrets: withSecrets))
    }

    /// Returns the items that match.
    public func findAll(
      _ query: GenericPasswordQuery = GenericPasswordQuery(), withSecrets: Bool = false
    ) throws(VaultError) -> [GenericPassword] {
      try transaction.findAll(query.query, withSecrets: withSecrets).map(GenericPassword.init)
    }

    /// Adds an item with permanent persistence requested.
    @discardableResult
    public func add(
      _ item: GenericPassword, afterAcceptance: Bool = false
    ) throws(VaultError) -> GenericStoreResult {
      GenericStoreResult(
        try transaction.gate.add(item.item, requested: .permanent, afterAcceptance: afterAcceptance)
      )
    }

    /// Changes the item of the same key or adds it.
    @discardableResult
    public func upsert(
      _ item: GenericPassword, afterAcceptance: Bool = false
    ) throws(VaultError) -> GenericStoreResult {
      GenericStoreResult(
        try transaction.gate.upsert(
          item.item, requested: .permanent, afterAcceptance: afterAcceptance))
    }

    /// Applies changes to an item.
    @discardableResult
    public func modify(
      _ item: GenericPassword, _ changes: [ItemChange], ifRevision revision: UInt64? = nil,
      afterAcceptance: Bool = false
    ) throws(VaultError) -> GenericStoreResult {
      GenericStoreResult(
        try transaction.modify(
          item.item, changes, ifRevision: revision, afterAcceptance: afterAcceptance))
    }

    /// Removes an item and its previous secrets.
    public func remove(
      _ item: GenericPassword, ifRevision revision: UInt64? = nil, permanently: Bool = false
    ) throws(VaultError) {
      try transaction.remove(item.item, ifRevision: revision, permanently: permanently)
    }
  }
}

// Not Sendable: a transaction belongs to the thread that holds the file's lock.
@available(*, unavailable)
extension Vault.Writer.GenericPasswords: Sendable {}
