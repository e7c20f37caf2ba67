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
      isRefused = other.isRefused
      rule = other.rule
    }

    init(requested: Persistence, rule: Rule, now: Timestamp) {
      self.requested = requested
      self.rule = rule
      isRefused = rule.refuse && requested > .none
      granted = isRefused ? .none : min(requested, rule.maximumPersistence)
      expires = granted == .none ? nil : rule.lifetime.map { now.adding($0) }
      onlyAfterAcceptance = rule.persistOnlyAfterAcceptance && granted == .permanent
    }
  }
}
