public import VaultModel

extension PendingCredentials {
  /// Does what the synchronous ``set(_:for:at:)`` does, without blocking the calling thread.
  public func set(
    _ credential: Credential, for space: ProtectionSpace, at requestPath: RequestPath? = nil
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try set(credential, for: space, at: requestPath)
    }
  }

  /// Does what the synchronous ``confirm(_:)`` does, without blocking the calling thread.
  @discardableResult
  public func confirm(_ pending: PendingCredential) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in try confirm(pending) }
  }

  /// Does what the synchronous ``reject(_:)`` does, without blocking the calling thread.
  public func reject(_ pending: PendingCredential) async throws(VaultError) {
    try await vault.thread.run { () throws(VaultError) in try reject(pending) }
  }
}
