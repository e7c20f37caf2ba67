import Testing

@testable import VaultModel

@Suite("PersistencePolicy")
struct PersistencePolicyTests {
  typealias Rule = PersistencePolicy.Rule

  static let now = Timestamp(milliseconds: 1_000_000)

  /// Returns a rule that was changed by `change`.
  static func rule(_ name: String, _ change: (inout Rule) throws -> Void) rethrows -> Rule {
    var rule = Rule(name: name)
    try change(&rule)
    return rule
  }

  static func space(
    _ url: String, _ method: AuthenticationMethod = .basic
  ) throws -> ProtectionSpace {
    try ProtectionSpace(url: url, authenticationMethod: method)
  }

  /// Returns the decision of a policy of one rule.
  func decide(
    _ rule: Rule, _ requested: Persistence = .permanent
  ) throws -> PersistencePolicy.Decision {
    try PersistencePolicy(rules: [rule])
      .decide(Self.space("https://example.com"), requested: requested, now: Self.now)
  }

  // MARK: Conditions

  struct Condition: Sendable, CustomTestStringConvertible {
    let field: Rule.Field
    let rule: Rule
    let inside: [ProtectionSpace]
    let outside: [ProtectionSpace]
    var testDescription: String { "\(field) \(rule.name)" }
  }

  static func conditions() throws -> [Condition] {
    let (http, https) = (try space("http://example.com"), try space("https://example.com"))
    let proxy = try space("http-proxy://example.com:80")
    let digest = try space("http://example.com", .digest)
    return [
      Condition(
        field: .host, rule: try rule("exact") { $0.host = try HostPattern("example.com") },
        inside: [http, https, proxy, digest],
        outside: [try space("https://a.example.com"), try space("https://example.org")]),
      Condition(
        field: .host, rule: try rule("below") { $0.host = try HostPattern("*.example.com") },
        inside: [try space("https://a.example.com"), try space("ftp://a.b.example.com")],
        outside: [http, https]),
      Condition(
        field: .protocol, rule: rule("http") { $0.protocol = .http }, inside: [http, digest],
        outside: [https, proxy, try space("ftp://example.com")]),
      Condition(
        field: .port, rule: rule("443") { $0.port = 443 },
        inside: [https, try space("https://example.com:443"), try space("http://example.com:443")],
        outside: [http, proxy, try space("https://example.com:8443")]),
      Condition(
        field: .authenticationMethod, rule: rule("basic") { $0.authenticationMethod = .basic },
        inside: [http, https, proxy],
        outside: [digest, try space("https://example.com", .default)]),
      Condition(
        field: .authenticationMethod, rule: rule("default") { $0.authenticationMethod = .default },
        inside: [try space("https://example.com", .default)], outside: [https, digest]),
      Condition(
        field: .proxy, rule: rule("proxy") { $0.isProxy = true },
        inside: [
          proxy, try space("socks5://example.com"), try space("https-proxy://example.com:8080"),
        ], outside: [http, https]),
      Condition(
        field: .proxy, rule: rule("server") { $0.isProxy = false }, inside: [http, https],
        outside: [proxy, try space("socks5://example.com")]),
      Condition(
        field: .secure, rule: rule("secure") { $0.receivesCredentialSecurely = true },
        inside: [https, digest, try space("https-proxy://example.com:8080")],
        outside: [http, proxy, try space("http://example.com", .default)]),
      Condition(
        field: .secure, rule: rule("clear") { $0.receivesCredentialSecurely = false },
        inside: [http, proxy], outside: [https, digest]),
      Condition(
        field: .loopback, rule: rule("loopback") { $0.isLoopback = true },
        inside: [
          try space("http://localhost"), try space("http://a.localhost"),
          try space("https://127.1.2.3"), try space("https://[::1]"),
          try space("https://[::ffff:127.0.0.1]"),
        ], outside: [http, https, try space("https://localhost.example.com")]),
      Condition(
        field: .loopback, rule: rule("elsewhere") { $0.isLoopback = false }, inside: [http, https],
        outside: [try space("http://localhost"), try space("https://[::1]")]),
    ]
  }

  @Test("each condition alone decides which spaces a rule is about", arguments: try conditions())
  func condition(_ condition: Condition) throws {
    let policy = try PersistencePolicy(rules: [condition.rule])
    for space in condition.inside {
      let decision = policy.decide(space, requested: .permanent, now: Self.now)
      #expect(decision.rule == condition.rule, "\(space)")
      #expect(policy.explain(space).map(\.mismatch) == [nil], "\(space)")
    }
    for space in condition.outside {
      let decision = policy.decide(space, requested: .permanent, now: Self.now)
      #expect(decision.rule == nil, "\(space)")
      #expect(policy.explain(space).map(\.mismatch) == [condition.field], "\(space)")
    }
  }

  @Test("every condition is among those, matched and not")
  func everyCondition() throws {
    let conditions = try Self.conditions()
    // No space is in a service.
    #expect(Set(conditions.map(\.field)) == Set(Rule.Field.allCases).subtracting([.service]))
    #expect(conditions.allSatisfy { !$0.inside.isEmpty && !$0.outside.isEmpty })
  }

  @Test("all conditions of a rule have to hold, and the first that does not is the reason")
  func together() throws {
    let rule = try Self.rule("all") {
      $0.host = try HostPattern("*.localhost")
      $0.protocol = .http
      $0.port = 8080
      $0.authenticationMethod = .basic
      $0.isProxy = false
      $0.receivesCredentialSecurely = false
      $0.isLoopback = true
    }
    let policy = try PersistencePolicy(rules: [rule])
    for (url, method, mismatch) in [
      ("http://a.localhost:8080", .basic, nil),
      ("http://localhost:8080", .basic, .host),
      ("ftp://a.localhost:8080", .basic, .protocol),
      ("http://a.localhost", .basic, .port),
      ("http://a.localhost:8080", .digest, .authenticationMethod),
      ("https://localhost", .digest, .host),
    ] as [(String, AuthenticationMethod, Rule.Field?)] {
      let space = try Self.space(url, method)
      #expect(policy.explain(space).map(\.mismatch) == [mismatch], "\(space)")
      let decision = policy.decide(space, requested: .permanent, now: Self.now)
      #expect(decision.rule == (mismatch == nil ? rule : nil), "\(space)")
    }
  }

  @Test("an item without a server is matched only by rules that say nothing of a host")
  func noServer() throws {
    let key = Item.Key(account: "ann", protocol: .https)
    func matches(_ change: (inout Rule) throws -> Void) throws -> Bool {
      try PersistencePolicy(rules: [Self.rule("r", change)])
        .decide(key, requested: .permanent, now: Self.now).rule != nil
    }
    #expect(try matches { _ in })
    #expect(try matches { $0.host = .any })
    #expect(try matches { $0.port = 443 })
    #expect(try matches { $0.isLoopback = false })
    #expect(try !matches { $0.host = try HostPattern("example.com") })
    #expect(try !matches { $0.host = try HostPattern("*.com") })
    #expect(try !matches { $0.isLoopback = true })
  }

  @Test("an item's unset port is its protocol's default, and its own port is not")
  func ports() throws {
    let policy = try PersistencePolicy(rules: [Self.rule("443") { $0.port = 443 }])
    for (port, isMatch) in [(0, true), (443, true), (8443, false)] as [(UInt16, Bool)] {
      let key = Item.Key(server: try HostName("a.com"), protocol: .https, port: port)
      #expect((policy.decide(key, requested: .session, now: Self.now).rule != nil) == isMatch)
    }
  }

  @Test("two protocols whose hashes are the same are told apart")
  func collision() throws {
    // 65537 names do not all have another 16 bits.
    let names = Dictionary(grouping: (0...65_536).map { "x\($0)" }) {
      PersistencePolicy.Fingerprint.hash($0)
    }
    let twins = try #require(names.values.first { $0.count > 1 })
    let (one, other) = (twins[0], twins[1])
    let policy = try PersistencePolicy(
      rules: [Self.rule("one") { $0.protocol = try NetworkProtocol(one) }])
    for (name, isMatch) in [(one, true), (other, false)] {
      let space = try ProtectionSpace(host: "a.com", protocol: NetworkProtocol(name))
      let decision = policy.decide(space, requested: .permanent, now: Self.now)
      #expect((decision.rule != nil) == isMatch)
    }
  }

  // MARK: Effects

  @Test("a rule without an effect grants what was asked for, and says so")
  func noEffect() throws {
    for requested in Persistence.allCases {
      let decision = try decide(Rule(name: "r"), requested)
      #expect(decision.requested == requested && decision.granted == requested)
      #expect(decision.expires == nil && !decision.onlyAfterAcceptance && !decision.isRefused)
      #expect(decision.rule?.name == "r")
    }
  }

  @Test("the strongest persistence of a rule is granted at most, and never more than was asked for")
  func maximum() throws {
    for maximum in Persistence.allCases {
      for requested in Persistence.allCases {
        let decision = try decide(Self.rule("r") { $0.maximumPersistence = maximum }, requested)
        #expect(decision.granted == min(maximum, requested))
        #expect(decision.requested == requested && !decision.isRefused && decision.expires == nil)
      }
    }
  }

  @Test("a lifetime counts from the last change of the secret, for whatever is kept at all")
  func lifetime() throws {
    let rule = Self.rule("r") { $0.lifetime = .seconds(60) }
    let until = Timestamp(milliseconds: 1_060_000)
    #expect(try decide(rule, .permanent).expires == until)
    #expect(try decide(rule, .session).expires == until)
    #expect(try decide(rule, .none).expires == nil)
    #expect(try decide(rule).granted == .permanent)
    let none = Self.rule("r") {
      $0.lifetime = .seconds(60)
      $0.maximumPersistence = .none
    }
    #expect(try decide(none).expires == nil)
  }

  @Test("the end of a lifetime that no clock can show is the last moment of all")
  func farAway() throws {
    let policy = try PersistencePolicy(rules: [Self.rule("r") { $0.lifetime = .seconds(60) }])
    let space = try Self.space("https://example.com")
    for (now, until) in [
      (Int64.max, Int64.max), (.max - 59_999, .max), (.max - 60_001, .max - 1),
      (.min, .min + 60_000),
      (-60_000, 0),
    ] as [(Int64, Int64)] {
      let decision = policy.decide(
        space, requested: .permanent, now: Timestamp(milliseconds: now))
      #expect(decision.expires?.milliseconds == until)
    }
  }

  @Test("acceptance is waited for only where something is written")
  func acceptance() throws {
    let rule = Self.rule("r") { $0.persistOnlyAfterAcceptance = true }
    #expect(try decide(rule, .permanent).onlyAfterAcceptance)
    #expect(try !decide(rule, .session).onlyAfterAcceptance)
    #expect(try !decide(rule, .none).onlyAfterAcceptance)
    #expect(try decide(rule).granted == .permanent)
    let session = Self.rule("r") {
      $0.persistOnlyAfterAcceptance = true
      $0.maximumPersistence = .session
    }
    #expect(try !decide(session).onlyAfterAcceptance)
  }

  @Test("what is refused is granted nothing, and to keep nothing is never refused")
  func refusal() throws {
    let rule = Self.rule("r") { $0.refuse = true }
    for requested in [Persistence.session, .permanent] {
      let decision = try decide(rule, requested)
      #expect(decision.isRefused && decision.granted == .none && decision.expires == nil)
      #expect(!decision.onlyAfterAcceptance && decision.rule == rule)
    }
    let decision = try decide(rule, .none)
    #expect(!decision.isRefused && decision.granted == .none && decision.rule == rule)
  }

  // MARK: Order

  @Test("the first rule that matches decides alone, and an exception stands before its rule")
  func order() throws {
    let exception = try Self.rule("exception") { $0.host = try HostPattern("a.example.com") }
    let refused = try Self.rule("refused") {
      $0.host = try HostPattern("*.example.com")
      $0.refuse = true
    }
    let session = Self.rule("session") { $0.maximumPersistence = .session }
    let policy = try PersistencePolicy(rules: [exception, refused, session])
    func granted(_ host: String) throws -> PersistencePolicy.Decision {
      policy.decide(try Self.space("https://\(host)"), requested: .permanent, now: Self.now)
    }
    #expect(try granted("a.example.com").granted == .permanent)
    #expect(try granted("a.example.com").rule == exception)
    #expect(try granted("b.example.com").isRefused)
    #expect(try granted("b.example.com").rule == refused)
    #expect(try granted("example.com").granted == .session)
    #expect(try granted("example.com").rule == session)
    let turned = try PersistencePolicy(rules: [session, refused, exception])
    for host in ["a.example.com", "b.example.com", "example.com"] {
      let space = try Self.space("https://\(host)")
      #expect(turned.decide(space, requested: .permanent, now: Self.now).rule == session)
    }
  }

  @Test("where no rule matches, what was asked for is granted")
  func noRule() throws {
    let other = try Self.rule("r") {
      $0.host = try HostPattern("example.org")
      $0.refuse = true
    }
    let space = try Self.space("https://example.com")
    for policy in [.empty, try PersistencePolicy(rules: []), try PersistencePolicy(rules: [other])]
    {
      for requested in Persistence.allCases {
        let decision = policy.decide(space, requested: requested, now: Self.now)
        #expect(decision == PersistencePolicy.Decision(requested: requested))
        #expect(decision.granted == requested && decision.rule == nil && !decision.isRefused)
      }
    }
    #expect(PersistencePolicy.empty.explain(space).isEmpty)
  }

  @Test("the rules are explained in order up to the one that decides")
  func explanation() throws {
    let rules = [
      try Self.rule("1") { $0.host = try HostPattern("example.org") },
      Self.rule("2") { $0.port = 8443 },
      Self.rule("3") { $0.protocol = .https },
      Rule(name: "4"),
    ]
    let policy = try PersistencePolicy(rules: rules)
    let secure = policy.explain(try Self.space("https://example.com"))
    #expect(secure.map(\.rule) == Array(rules[..<3]))
    #expect(secure.map(\.mismatch) == [.host, .port, nil])
    let clear = policy.explain(try Self.space("http://example.com"))
    #expect(clear.map(\.mismatch) == [.host, .port, .protocol, nil])
    let none = try PersistencePolicy(rules: Array(rules[..<2]))
      .explain(Self.space("https://example.com"))
    #expect(none.map(\.mismatch) == [.host, .port])
  }
}
