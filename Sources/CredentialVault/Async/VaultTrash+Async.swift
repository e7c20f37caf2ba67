public import VaultModel

extension VaultTrash {
  /// Does what the synchronous ``items(_:)`` does, without blocking the calling thread.
  public func items(_ query: ItemQuery = ItemQuery()) async throws(VaultError) -> [RemovedItem] {
    try await vault.thread.run { () throws(VaultError) in try items(query) }
  }

  /// Does what the synchronous ``restore(_:)`` does, without blocking the calling thread.
  @discardableResult
  public func restore(_ removed: RemovedItem) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in try restore(removed) }
  }

  /// Does what the synchronous ``empty(_:)`` does, without blocking the calling thread.
  @discardableResult
  public func empty(_ query: ItemQuery = ItemQuery()) async throws(VaultError) -> Int {
    try await vault.thread.run { () throws(VaultError) in try empty(query) }
  }

  /// Does what the synchronous ``days()`` does, without blocking the calling thread.
  public func days() async throws(VaultError) -> Int {
    try await vault.thread.run { () throws(VaultError) in try days() }
  }

  /// Does what the synchronous ``setDays(_:)`` does, without blocking the calling thread.
  public func setDays(_ days: Int) async throws(VaultError) {
    try await vault.thread.run { () throws(VaultError) in try setDays(days) }
  }
}
