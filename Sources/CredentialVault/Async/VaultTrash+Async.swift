public import VaultModel

extension VaultTrash {
  /// Calls the synchronous ``items(_:)`` without blocking the calling thread.
  public func items(_ query: ItemQuery = ItemQuery()) async throws(VaultError) -> [RemovedItem] {
    try await vault.thread.run { () throws(VaultError) in try items(query) }
  }

  /// Calls the synchronous ``restore(_:)`` without blocking the calling thread.
  @discardableResult
  public func restore(_ removed: RemovedItem) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in try restore(removed) }
  }

  /// Calls the synchronous ``empty(_:)`` without blocking the calling thread.
  @discardableResult
  public func empty(_ query: ItemQuery = ItemQuery()) async throws(VaultError) -> Int {
    try await vault.thread.run { () throws(VaultError) in try empty(query) }
  }

  /// Calls the synchronous ``days()`` without blocking the calling thread.
  public func days() async throws(VaultError) -> Int {
    try await vault.thread.run { () throws(VaultError) in try days() }
  }

  /// Calls the synchronous ``setDays(_:)`` without blocking the calling thread.
  public func setDays(_ days: Int) async throws(VaultError) {
    try await vault.thread.run { () throws(VaultError) in try setDays(days) }
  }
}
