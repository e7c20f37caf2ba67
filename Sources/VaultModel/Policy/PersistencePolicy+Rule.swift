extension PersistencePolicy {
  /// A rule: the spaces or services that it matches, and the limits on credentials there.
  ///
  /// Every condition that is set has to hold; a rule without any matches everything. A rule without
  /// any effect grants the request, as an exception to the rules after it.
  public struct Rule: Sendable, Hashable {
    /// The identity, which stays when the rule is renamed or moved.
    public let id: ItemID
    /// The name for people: 1 to 64 bytes without control characters, different for each rule.
    public var name: String
    /// A remark for people, at most 4096 bytes without NUL.
    public var note = ""

    /// Condition: the service of a generic password; nil for any, and for other items.
    ///
    /// A star at the end stands for any text, so `*` alone matches all generic passwords. A rule
    /// with this condition has no other; one with another condition matches no generic password,
    /// unless that is the host ``HostPattern/any``.
    public var service: String?
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
    /// Condition: whether it is this machine: `localhost`, a name below it, or a loopback address;
    /// nil for either.
    public var isLoopback: Bool?

    /// Effect: the strongest persistence that is granted.
    public var maximumPersistence = Persistence.permanent
    /// Effect: the retention of a secret after its last change, 1 ms to 100 years; nil for without
    /// end.
    ///
    /// Fractions of a millisecond are cut off.
    public var lifetime: Duration? {
      didSet { lifetime = lifetime.map { .milliseconds($0.wholeMilliseconds) } }
    }
    /// Effect: whether a credential is written only after the server has accepted it.
    public var persistOnlyAfterAcceptance = false
    /// Effect: whether a credential is kept permanently only if its secret needs a PIN, and else
    /// for the session.
    public var requiresPIN = false
    /// Effect: whether storing a credential is an error.
    public var refuse = false
    /// Effect: whether NTLM is answered; nil leaves it to items that are stored for it.
    public var allowsNTLM: Bool?
    /// Effect: whether Negotiate is answered over `http` to another machine.
    public var allowsNegotiateInClear = false

    /// Creates a rule that matches everything and grants the request.
    ///
    /// - Parameters:
    ///   - id: A new one unless given.
    ///   - name: As ``name`` says.
    public init(id: ItemID = ItemID(), name: String) {
      self.id = id
      self.name = name
    }

    /// Returns whether two rules are the same in everything, text by its bytes.
    public static func == (left: Rule, right: Rule) -> Bool {
      left.id == right.id && left.name.hasSameBytes(as: right.name)
        && left.note.hasSameBytes(as: right.note) && left.host == right.host
        && left.service.map { Array($0.utf8) } == right.service.map { Array($0.utf8) }
        && left.protocol == right.protocol && left.port == right.port
        && left.authenticationMethod == right.authenticationMethod
        && left.isProxy == right.isProxy
        && left.receivesCredentialSecurely == right.receivesCredentialSecurely
        && left.isLoopback == right.isLoopback
        && left.maximumPersistence == right.maximumPersistence && left.lifetime == right.lifetime
        && left.persistOnlyAfterAcceptance == right.persistOnlyAfterAcceptance
        && left.requiresPIN == right.requiresPIN && left.refuse == right.refuse
        && left.allowsNTLM == right.allowsNTLM
        && left.allowsNegotiateInClear == right.allowsNegotiateInClear
    }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(id)
    }
  }
}
