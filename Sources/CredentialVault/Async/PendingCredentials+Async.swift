public import VaultModel

extension PendingCredentials {
  /// Calls the synchronous ``set(_:for:at:)`` without blocking the calling thread.
  public func set(
    _ credential: Credential, for space: ProtectionSpace, at requestPath: RequestPath? = nil
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try set(credential, for: space, at: requestPath)
    }
  }

  /// Calls the synchronous ``confirm(_:)`` without blocking the calling thread.
  @discardableResult
  public func confirm(_ pending: PendingCredential) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in try confirm(pending) }
  }

  /// Calls the synchronous ``reject(_:)`` without blocking the calling thread, even if the task is
  /// cancelled.
  public func reject(_ pending: PendingCredential) async throws(VaultError) {
    try await VaultThread.cleanUp { () throws(VaultError) in try reject(pending) }
  }
}
