import VaultFile
public import VaultModel

/// The reasons for a policy's decision.
public struct PolicyExplanation: Sendable {
  /// The decision that would be made now.
  public let decision: PersistencePolicy.Decision
  /// The rules that were tried, in order, each with the condition that did not hold; the last one
  /// has none if it decides.
  public let tried: [(rule: PersistencePolicy.Rule, mismatch: PersistencePolicy.Rule.Field?)]
}

/// The policy of a vault: `vault.policy`.
public struct VaultPolicy: Sendable {
  let vault: Vault

  /// Returns the policy that applies now, whoever wrote it.
  ///
  /// - Throws: ``VaultError/Code/locked``; ``VaultError/Code/tooNew`` if a rule has a part that
  ///   this version does not know: then nothing can be stored either.
  public func current() throws(VaultError) -> PersistencePolicy {
    try vault.requireUnlocked()
    return try vault.currentPolicy()
  }

  /// Changes the policy in one write transaction.
  ///
  /// Credentials that are already stored stay as they are until ``apply()``.
  ///
  /// - Parameter change: Gets the rules as they are at that moment, in order.
  /// - Returns: The policy as it is now.
  /// - Throws: Any error of `change`; any error of ``PersistencePolicy/init(rules:)`` for the rules
  ///   that it leaves, and nothing is stored; ``VaultError/Code/unsupported`` for a vault in
  ///   memory; any error of writing the file.
  @discardableResult
  public func update(
    _ change: (inout [PersistencePolicy.Rule]) throws -> Void
  ) throws -> PersistencePolicy {
    try UserClosure.within { (closure) throws(VaultError) in
      try self.change { (rules) throws(VaultError) in
        var changed = rules
        try closure.call { try change(&changed) }
        rules = changed
      }
    }
  }

  /// Changes the policy as ``update(_:)`` does, for a change that throws only ``VaultError``.
  @discardableResult
  package func change(
    _ change: (inout [PersistencePolicy.Rule]) throws(VaultError) -> Void
  ) throws(VaultError) -> PersistencePolicy {
    try vault.requireUnlocked()
    return try vault.requireFile().write { (transaction) throws(VaultError) in
      var rules = try transaction.policy().rules
      try change(&rules)
      let policy = try PersistencePolicy(rules: rules)
      try transaction.setPolicy(policy)
      return policy
    }
  }

  /// Returns the decision on a new credential of a space, and the reasons for it.
  ///
  /// - Throws: As ``current()``.
  public func explain(
    _ space: ProtectionSpace, requested: Persistence = .permanent
  ) throws(VaultError) -> PolicyExplanation {
    let policy = try current()
    return PolicyExplanation(
      decision: policy.decide(space, requested: requested, now: vault.time.now()),
      tried: policy.explain(space))
  }

  /// Explains the decision on a request to keep a generic password of a service, as
  /// ``explain(_:requested:)`` does for a space.
  public func explain(
    service: String, requested: Persistence = .permanent
  ) throws(VaultError) -> PolicyExplanation {
    let policy = try current()
    return PolicyExplanation(
      decision: policy.decide(service: service, requested: requested, now: vault.time.now()),
      tried: policy.explain(service: service))
  }
}
