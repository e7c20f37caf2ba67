extension PersistencePolicy {
  /// The answer to a request to keep a credential.
  public struct Decision: Sendable, Hashable {
    /// The persistence that was requested.
    public let requested: Persistence
    /// The persistence that is granted: never more than was requested, and `none` if it is refused.
    public let granted: Persistence
    /// The end of retention: the lifetime counted from the last change of the secret; nil for
    /// without end, and if nothing is kept.
    public let expires: Timestamp?
    /// Whether a permanent credential may be written only after the server has accepted it.
    public let onlyAfterAcceptance: Bool
    /// Whether a permanent credential has to need a PIN; one that needs none is granted the
    /// session.
    public let onlyWithPIN: Bool
    /// Whether storing it is an error, ``VaultError/Code/policyRefused``; a request for `none`
    /// stores nothing and is never refused.
    public let isRefused: Bool
    /// The rule that decided; nil if none matched.
    public let rule: Rule?

    /// Creates the decision without a rule, which grants the request.
    package init(requested: Persistence) {
      self.requested = requested
      granted = requested
      expires = nil
      onlyAfterAcceptance = false
      onlyWithPIN = false
      isRefused = false
      rule = nil
    }

    /// Returns the same answer for a request for more persistence, of which no more would be
    /// granted.
    package func asked(for requested: Persistence) -> Decision {
      Decision(self, requested: requested)
    }

    private init(_ other: Decision, requested: Persistence) {
      self.requested = requested
      granted = other.granted
      expires = other.expires
      onlyAfterAcceptance = other.onlyAfterAcceptance
      onlyWithPIN = other.onlyWithPIN
      isRefused = other.isRefused
      rule = other.rule
    }

    init(requested: Persistence, rule: Rule, now: Timestamp, needsPIN: Bool) {
      self.requested = requested
      self.rule = rule
      isRefused = rule.refuse && requested > .none
      let most = rule.requiresPIN && !needsPIN ? Persistence.session : .permanent
      granted = isRefused ? .none : min(requested, rule.maximumPersistence, most)
      expires = granted == .none ? nil : rule.lifetime.map { now.adding($0) }
      onlyAfterAcceptance = rule.persistOnlyAfterAcceptance && granted == .permanent
      onlyWithPIN = rule.requiresPIN && min(requested, rule.maximumPersistence) == .permanent
    }
  }
}
