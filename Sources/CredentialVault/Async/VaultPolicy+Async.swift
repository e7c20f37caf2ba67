public import VaultModel

extension VaultPolicy {
  /// Does what the synchronous ``excesses()`` does, without blocking the calling thread.
  public func excesses() async throws(VaultError) -> [PolicyExcess] {
    try await vault.thread.run { () throws(VaultError) in try excesses() }
  }

  /// Does what the synchronous ``apply()`` does, without blocking the calling thread.
  @discardableResult
  public func apply() async throws(VaultError) -> [PolicyExcess] {
    try await vault.thread.run { () throws(VaultError) in try apply() }
  }

  /// Does what the synchronous ``current()`` does, without blocking the calling thread.
  public func current() async throws(VaultError) -> PersistencePolicy {
    try await vault.thread.run { () throws(VaultError) in try current() }
  }

  /// Does what the synchronous ``explain(_:requested:)`` does, without blocking the calling thread.
  public func explain(
    _ space: ProtectionSpace, requested: Persistence = .permanent
  ) async throws(VaultError) -> PolicyExplanation {
    try await vault.thread.run { () throws(VaultError) in try explain(space, requested: requested) }
  }

  /// Does what the synchronous ``update(_:)`` does, without blocking the calling thread.
  ///
  /// The closure is called on the vault's own thread.
  @discardableResult
  public func update(
    _ change: @Sendable (inout [PersistencePolicy.Rule]) throws -> Void
  ) async throws -> PersistencePolicy {
    try await vault.thread.runUserClosure { try update(change) }
  }
}
