extension PersistencePolicy {
  /// One rule: which spaces it is about, and what may happen to credentials there.
  ///
  /// Every condition that is set has to hold; a rule without any matches everything. A rule without any effect grants
  /// what is asked for, as an exception to the rules after it.
  public struct Rule: Sendable, Hashable {
    /// The identity, which stays when the rule is renamed or moved.
    public let id: ItemID
    /// What people call it: 1 to 64 bytes of UTF-8 without control characters, another for each rule.
    public var name: String
    /// A remark for people, at most 4096 bytes without NUL.
    public var note = ""

    /// Condition: the host; nil for any.
    public var host: HostPattern?
    /// Condition: the protocol; nil for any.
    public var `protocol`: NetworkProtocol?
    /// Condition: the port, where a space without one has its protocol's default; nil for any.
    public var port: UInt16?
    /// Condition: the authentication method, literally, so `basic` is not `default`; nil for any.
    public var authenticationMethod: AuthenticationMethod?
    /// Condition: whether it is a proxy; nil for either.
    public var isProxy: Bool?
    /// Condition: ``ProtectionSpace/receivesCredentialSecurely``; nil for either.
    public var receivesCredentialSecurely: Bool?
    /// Condition: ``Host/isLoopback``; nil for either.
    public var isLoopback: Bool?

    /// Effect: the strongest persistence that is granted.
    public var maximumPersistence = Persistence.permanent
    /// Effect: how long a secret is kept after its last change, 1 ms to 100 years; nil for without end.
    public var lifetime: Duration?
    /// Effect: whether a credential is written only after the server has accepted it.
    public var persistOnlyAfterAcceptance = false
    /// Effect: whether to store one is an error.
    public var refuse = false

    /// Makes a rule that matches everything and grants what is asked for.
    ///
    /// - Parameters:
    ///   - id: A new one unless given.
    ///   - name: As ``name`` says.
    public init(id: ItemID = ItemID(), name: String) {
      self.id = id
      self.name = name
    }

    /// Whether two rules are the same in everything, text by its bytes.
    public static func == (left: Rule, right: Rule) -> Bool {
      left.id == right.id && left.name.hasSameBytes(as: right.name)
        && left.note.hasSameBytes(as: right.note) && left.host == right.host
        && left.protocol == right.protocol && left.port == right.port
        && left.authenticationMethod == right.authenticationMethod
        && left.isProxy == right.isProxy
        && left.receivesCredentialSecurely == right.receivesCredentialSecurely
        && left.isLoopback == right.isLoopback
        && left.maximumPersistence == right.maximumPersistence && left.lifetime == right.lifetime
        && left.persistOnlyAfterAcceptance == right.persistOnlyAfterAcceptance
        && left.refuse == right.refuse
    }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(id)
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

  /// The first condition that does not hold, or nil if the rule matches.
  func mismatch(with subject: PersistencePolicy.Subject) -> Field? {
    if let host, !host.matches(subject.host) { return .host }
    if let `protocol`, `protocol` != subject.protocol { return .protocol }
    if let port, port != subject.port { return .port }
    if let authenticationMethod, authenticationMethod != subject.authenticationMethod {
      return .authenticationMethod
    }
    if let isProxy, isProxy != subject.protocol.isProxy { return .proxy }
    if let receivesCredentialSecurely,
      receivesCredentialSecurely
        != subject.authenticationMethod.isSentSecurely(over: subject.protocol)
    {
      return .secure
    }
    if let isLoopback, isLoopback != subject.host.isLoopback { return .loopback }
    return nil
  }

  /// Checks what the fields' types leave open.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge``, naming the field: a name or note that is not as
  ///   ``name`` and ``note`` say, a port that is 0, a protocol or method that is empty, a lifetime out of its bounds, conditions
  ///   that exclude each other, `refuse` together with another effect.
  public func validate() throws(VaultError) {
    try validateTexts()
    try validateConditions()
    if let lifetime {
      guard lifetime >= .milliseconds(1) else {
        throw VaultError(.invalidArgument, "lifetime: negative, zero or below a millisecond")
      }
      guard lifetime <= Self.longestLifetime else {
        throw VaultError(.tooLarge, "lifetime: longer than 100 years")
      }
    }
    let limits = maximumPersistence < .permanent || lifetime != nil || persistOnlyAfterAcceptance
    guard !refuse || !limits else {
      throw VaultError(.invalidArgument, "refuse: what is refused has no other limits")
    }
  }

  /// 100 years of 365.25 days.
  private static let longestLifetime = Duration.seconds(100 * 31_557_600)

  private func validateTexts() throws(VaultError) {
    guard !name.isEmpty else { throw VaultError(.invalidArgument, "name: empty") }
    guard name.utf8.count <= 64 else {
      throw VaultError(.tooLarge, "name: longer than 64 bytes")
    }
    guard !name.utf8.contains(where: \.isControl) else {
      throw VaultError(.invalidArgument, "name: holds a control character")
    }
    guard note.utf8.count <= InternetPassword.longestText else {
      throw VaultError(.tooLarge, "note: longer than \(InternetPassword.longestText) bytes")
    }
    guard !note.containsNUL else { throw VaultError(.invalidArgument, "note: holds NUL") }
  }

  private func validateConditions() throws(VaultError) {
    guard port != 0 else { throw VaultError(.invalidArgument, "port: not in 1 to 65535") }
    guard `protocol`?.rawValue != "" else {
      throw VaultError(.invalidArgument, "protocol: empty")
    }
    guard authenticationMethod?.rawValue != "" else {
      throw VaultError(.invalidArgument, "auth: empty")
    }
    if let `protocol`, let isProxy, `protocol`.isProxy != isProxy {
      throw VaultError(.invalidArgument, "proxy: contradicts the protocol")
    }
  }
}
