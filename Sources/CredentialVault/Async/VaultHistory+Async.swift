public import VaultModel

extension VaultHistory {
  /// Does what the synchronous ``entries(of:secrets:)`` does, without blocking the calling thread.
  public func entries(
    of item: InternetPassword, secrets: Bool = false
  ) async throws(VaultError) -> [PreviousSecret] {
    try await vault.thread.run { () throws(VaultError) in try entries(of: item, secrets: secrets) }
  }

  /// Does what the synchronous ``open(_:of:)`` does, without blocking the calling thread.
  public func open(
    _ previous: PreviousSecret, of item: InternetPassword
  ) async throws(VaultError) -> PreviousSecret {
    try await vault.thread.run { () throws(VaultError) in try open(previous, of: item) }
  }

  /// Does what the synchronous ``revert(_:to:ifRevision:isAccepted:)`` does, without blocking the calling thread.
  @discardableResult
  public func revert(
    _ item: InternetPassword, to previous: PreviousSecret? = nil,
    ifRevision revision: UInt64? = nil, isAccepted: Bool = false
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try revert(item, to: previous, ifRevision: revision, isAccepted: isAccepted)
    }
  }

  /// Does what the synchronous ``limit()`` does, without blocking the calling thread.
  public func limit() async throws(VaultError) -> Int {
    try await vault.thread.run { () throws(VaultError) in try limit() }
  }

  /// Does what the synchronous ``setLimit(_:)`` does, without blocking the calling thread.
  public func setLimit(_ limit: Int) async throws(VaultError) {
    try await vault.thread.run { () throws(VaultError) in try setLimit(limit) }
  }
}
