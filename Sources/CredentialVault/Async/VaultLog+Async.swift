public import VaultModel

extension VaultLog {
  /// Calls the synchronous ``changes(since:of:limit:)`` without blocking the calling thread.
  public func changes(
    since start: Timestamp? = nil, of item: ItemID? = nil, limit: Int? = nil
  ) async throws(VaultError) -> [LoggedChange] {
    try await vault.thread.run { () throws(VaultError) in
      try changes(since: start, of: item, limit: limit)
    }
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
