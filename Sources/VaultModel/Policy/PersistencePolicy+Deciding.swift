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

extension PersistencePolicy {
  /// The values that rules check: those of a space, or of an item's key, which may lack a server.
  struct Subject {
    /// The service of a generic password, which has none of the others; nil for other items.
    let service: String?
    let host: HostName
    let port: UInt16
    let `protocol`: NetworkProtocol
    let authenticationMethod: AuthenticationMethod

    var isProxy: Bool { `protocol`.isProxy }
    var receivesCredentialSecurely: Bool { authenticationMethod.isSentSecurely(over: `protocol`) }
    var isLoopback: Bool { host.isLoopback }

    init(_ space: ProtectionSpace) {
      self.init(
        host: space.host, port: space.port, protocol: space.protocol,
        method: space.authenticationMethod)
    }

    init(service: String) {
      self.init(host: .unset, port: 0, protocol: .unset, method: .unset, service: service)
    }

    init(_ key: Item.Key) {
      switch key.itemClass {
      case .internetPassword:
        self.init(
          host: key.server, port: key.port, protocol: key.protocol,
          method: key.authenticationMethod)
      case .genericPassword: self.init(service: key.service)
      }
    }

    private init(
      host: HostName, port: UInt16, protocol: NetworkProtocol, method: AuthenticationMethod,
      service: String? = nil
    ) {
      self.service = service
      self.host = host
      self.port = port == 0 ? `protocol`.defaultPort ?? 0 : port
      self.protocol = `protocol`
      authenticationMethod = method
    }
  }
}

extension PersistencePolicy.Rule {
  /// A condition of a rule; the raw value names it in messages and JSON.
  public enum Field: String, Sendable, CaseIterable {
    /// ``PersistencePolicy/Rule/service``
    case service
    /// ``PersistencePolicy/Rule/host``
    case host
    /// ``PersistencePolicy/Rule/protocol``
    case `protocol`
    /// ``PersistencePolicy/Rule/port``
    case port
    /// ``PersistencePolicy/Rule/authenticationMethod``
    case authenticationMethod = "auth"
    /// ``PersistencePolicy/Rule/isProxy``
    case proxy
    /// ``PersistencePolicy/Rule/receivesCredentialSecurely``
    case secure
    /// ``PersistencePolicy/Rule/isLoopback``
    case loopback
  }

  /// Returns the first condition that does not hold, or nil if the rule matches.
  func mismatch(with subject: PersistencePolicy.Subject) -> Field? {
    if let service, !(subject.service.map { Self.matches(service, $0) } ?? false) {
      return .service
    }
    if let host, !host.matches(subject.host) { return .host }
    if let `protocol`, `protocol` != subject.protocol { return .protocol }
    if let port, port != subject.port { return .port }
    if let authenticationMethod, authenticationMethod != subject.authenticationMethod {
      return .authenticationMethod
    }
    // A service is not in a network, so it meets neither such a condition nor its contrary.
    let isService = subject.service != nil
    if let isProxy, isService || isProxy != subject.isProxy { return .proxy }
    if let receivesCredentialSecurely,
      isService || receivesCredentialSecurely != subject.receivesCredentialSecurely
    {
      return .secure
    }
    if let isLoopback, isService || isLoopback != subject.isLoopback { return .loopback }
    return nil
  }

  /// Returns whether a pattern matches a service, on bytes; a star at its end is any text.
  private static func matches(_ pattern: String, _ service: String) -> Bool {
    guard pattern.utf8.last == UInt8(ascii: "*") else { return pattern.hasSameBytes(as: service) }
    return service.utf8.starts(with: pattern.utf8.dropLast())
  }
}
