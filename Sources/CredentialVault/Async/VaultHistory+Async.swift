public import VaultModel

extension VaultHistory {
  /// Calls the synchronous ``entries(of:secrets:)`` without blocking the calling thread.
  public func entries(
    of item: InternetPassword, secrets: Bool = false
  ) async throws(VaultError) -> [PreviousSecret] {
    try await vault.thread.run { () throws(VaultError) in try entries(of: item, secrets: secrets) }
  }

  /// Calls the synchronous ``open(_:of:)`` without blocking the calling thread.
  public func open(
    _ previous: PreviousSecret, of item: InternetPassword
  ) async throws(VaultError) -> PreviousSecret {
    try await vault.thread.run { () throws(VaultError) in try open(previous, of: item) }
  }

  /// Calls the synchronous ``revert(_:to:ifRevision:isAccepted:)`` without blocking the calling
  /// thread.
  @discardableResult
  public func revert(
    _ item: InternetPassword, to previous: PreviousSecret? = nil,
    ifRevision revision: UInt64? = nil, isAccepted: Bool = false
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try revert(item, to: previous, ifRevision: revision, isAccepted: isAccepted)
    }
  }

  /// Calls the synchronous ``limit()`` without blocking the calling thread.
  public func limit() async throws(VaultError) -> Int {
    try await vault.thread.run { () throws(VaultError) in try limit() }
  }

  /// Calls the synchronous ``setLimit(_:)`` without blocking the calling thread.
  public func setLimit(_ limit: Int) async throws(VaultError) {
    try await vault.thread.run { () throws(VaultError) in try setLimit(limit) }
  }
}
