public import VaultModel

extension KeySource {
  /// Calls the synchronous ``loaded()`` without blocking the calling thread.
  public func loaded() async throws(VaultError) -> KeySource {
    try await VaultThread().run { () throws(VaultError) in try loaded() }
  }
}
