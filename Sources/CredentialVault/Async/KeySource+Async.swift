public import VaultModel

extension KeySource {
  /// Does what the synchronous ``loaded()`` does, without blocking the calling thread.
  public func loaded() async throws(VaultError) -> KeySource {
    try await VaultThread().run { () throws(VaultError) in try loaded() }
  }
}
