public import CredentialVault
public import VaultModel

extension VaultTrust {
  /// Calls the synchronous ``evaluate(_:for:_:at:)`` without blocking the calling thread.
  public func evaluate(
    _ chain: [Certificate], for space: ProtectionSpace, _ policy: TrustPolicy = TrustPolicy(),
    at time: Timestamp? = nil
  ) async throws(VaultError) -> TrustEvaluation {
    try await vault.waiting { () throws(VaultError) in
      try evaluate(chain, for: space, policy, at: time)
    }
  }

  /// Calls the synchronous ``firstUse(of:for:)`` without blocking the calling thread.
  public func firstUse(
    of leaf: Certificate, for space: ProtectionSpace
  ) async throws(VaultError) -> FirstUse {
    try await vault.waiting { () throws(VaultError) in try firstUse(of: leaf, for: space) }
  }

  /// Calls the synchronous ``pins(for:)`` without blocking the calling thread.
  public func pins(for space: ProtectionSpace) async throws(VaultError) -> PinSet? {
    try await vault.waiting { () throws(VaultError) in try pins(for: space) }
  }

  /// Calls the synchronous ``findAll(for:)`` without blocking the calling thread.
  public func findAll(
    for space: ProtectionSpace? = nil
  ) async throws(VaultError) -> [TrustDecision] {
    try await vault.waiting { () throws(VaultError) in try findAll(for: space) }
  }

  /// Calls the synchronous ``decision(_:)`` without blocking the calling thread.
  public func decision(_ id: ItemID) async throws(VaultError) -> TrustDecision {
    try await vault.waiting { () throws(VaultError) in try decision(id) }
  }

  /// Calls the synchronous ``history(of:)`` without blocking the calling thread.
  public func history(
    of decision: TrustDecision
  ) async throws(VaultError) -> [TrustDecision.Content] {
    try await vault.waiting { () throws(VaultError) in try history(of: decision) }
  }

  /// Calls the synchronous ``accept(_:for:until:persistence:)`` without blocking the calling
  /// thread.
  @discardableResult
  public func accept(
    _ evaluation: TrustEvaluation, for space: ProtectionSpace, until end: Timestamp? = nil,
    persistence: Persistence = .permanent
  ) async throws(VaultError) -> StoreResult {
    try await vault.waiting { () throws(VaultError) in
      try accept(evaluation, for: space, until: end, persistence: persistence)
    }
  }

  /// Calls the synchronous ``recordFirstUse(_:for:replacing:until:persistence:)`` without blocking
  /// the calling thread.
  @discardableResult
  public func recordFirstUse(
    _ evaluation: TrustEvaluation, for space: ProtectionSpace, replacing known: Fingerprint? = nil,
    until end: Timestamp? = nil, persistence: Persistence = .permanent
  ) async throws(VaultError) -> StoreResult {
    try await vault.waiting { () throws(VaultError) in
      try recordFirstUse(
        evaluation, for: space, replacing: known, until: end, persistence: persistence)
    }
  }

  /// Calls the synchronous ``pin(_:for:persistence:)`` without blocking the calling thread.
  @discardableResult
  public func pin(
    _ pins: PinSet, for space: ProtectionSpace, persistence: Persistence = .permanent
  ) async throws(VaultError) -> StoreResult {
    try await vault.waiting { () throws(VaultError) in
      try pin(pins, for: space, persistence: persistence)
    }
  }

  /// Calls the synchronous ``remove(_:isForGood:)`` without blocking the calling thread.
  public func remove(
    _ decision: TrustDecision, isForGood: Bool = false
  ) async throws(VaultError) {
    try await vault.waiting { () throws(VaultError) in try remove(decision, isForGood: isForGood) }
  }
}
