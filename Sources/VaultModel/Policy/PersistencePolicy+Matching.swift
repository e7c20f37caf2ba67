extension PersistencePolicy {
  /// The values that rules examine: those of a space, or of an item's key, which may lack a server.
  struct Subject {
    let host: HostName
    let port: UInt16
    let `protocol`: NetworkProtocol
    let authenticationMethod: AuthenticationMethod

    var isProxy: Bool { `protocol`.isProxy }
    var receivesCredentialSecurely: Bool { authenticationMethod.isSentSecurely(over: `protocol`) }
    var isLoopback: Bool { host.isLoopback }

    init(_ space: ProtectionSpace) {
      self.init(space.host, space.port, space.protocol, space.authenticationMethod)
    }

    init(_ key: InternetPassword.Key) {
      self.init(key.server, key.port, key.protocol, key.authenticationMethod)
    }

    private init(
      _ host: HostName, _ port: UInt16, _ protocol: NetworkProtocol, _ method: AuthenticationMethod
    ) {
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
    if let host, !host.matches(subject.host) { return .host }
    if let `protocol`, `protocol` != subject.protocol { return .protocol }
    if let port, port != subject.port { return .port }
    if let authenticationMethod, authenticationMethod != subject.authenticationMethod {
      return .authenticationMethod
    }
    if let isProxy, isProxy != subject.isProxy { return .proxy }
    if let receivesCredentialSecurely,
      receivesCredentialSecurely != subject.receivesCredentialSecurely
    {
      return .secure
    }
    if let isLoopback, isLoopback != subject.isLoopback { return .loopback }
    return nil
  }
}
