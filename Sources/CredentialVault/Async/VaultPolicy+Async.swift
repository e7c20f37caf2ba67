public import VaultModel

extension VaultPolicy {
  /// Calls the synchronous ``excesses()`` without blocking the calling thread.
  public func excesses() async throws(VaultError) -> [PolicyExcess] {
    try await vault.thread.run { () throws(VaultError) in try excesses() }
  }

  /// Calls the synchronous ``apply()`` without blocking the calling thread.
  @discardableResult
  public func apply() async throws(VaultError) -> [PolicyExcess] {
    try await vault.thread.run { () throws(VaultError) in try apply() }
  }

  /// Calls the synchronous ``current()`` without blocking the calling thread.
  public func current() async throws(VaultError) -> PersistencePolicy {
    try await vault.thread.run { () throws(VaultError) in try current() }
  }

  /// Calls the synchronous ``explain(_:requested:)`` without blocking the calling thread.
  public func explain(
    _ space: ProtectionSpace, requested: Persistence = .permanent
  ) async throws(VaultError) -> PolicyExplanation {
    try await vault.thread.run { () throws(VaultError) in try explain(space, requested: requested) }
  }

  /// Calls the synchronous ``explain(service:requested:)`` without blocking the calling thread.
  public func explain(
    service: String, requested: Persistence = .permanent
  ) async throws(VaultError) -> PolicyExplanation {
    try await vault.thread.run { () throws(VaultError) in
      try explain(service: service, requested: requested)
    }
  }

  /// Calls the synchronous ``update(_:)`` without blocking the calling thread.
  ///
  /// The closure is called on the vault's own thread.
  @discardableResult
  public func update(
    _ change: @Sendable (inout [PersistencePolicy.Rule]) throws -> Void
  ) async throws -> PersistencePolicy {
    try await vault.thread.runUserClosure { try update(change) }
  }
}
