import Testing

@testable import VaultModel

@Suite("rule validation")
struct RuleValidationTests {
  typealias Rule = PersistencePolicy.Rule

  struct BadField: Sendable, CustomTestStringConvertible {
    let field: String
    let code: VaultError.Code
    let change: @Sendable (inout Rule) throws -> Void
    var testDescription: String { field }

    init(
      _ field: String, _ code: VaultError.Code = .invalidArgument,
      _ change: @escaping @Sendable (inout Rule) throws -> Void
    ) {
      self.field = field
      self.code = code
      self.change = change
    }
  }

  static let text4097 = String(repeating: "a", count: 4097)

  static let bad = [
    BadField("name") { $0.name = "" },
    BadField("name", .tooLarge) { $0.name = String(repeating: "a", count: 65) },
    BadField("name", .tooLarge) { $0.name = String(repeating: "ü", count: 33) },
    BadField("name") { $0.name = "a\nb" },
    BadField("name") { $0.name = "a\u{0}" },
    BadField("name") { $0.name = "\u{7F}" },
    BadField("name") { $0.name = "\u{9B}31m" },
    BadField("note", .tooLarge) { $0.note = text4097 },
    BadField("note") { $0.note = "a\u{0}b" },
    BadField("host") { $0.host = .exact(.unset) },
    BadField("host") { $0.host = .subdomains(of: .unset) },
    BadField("host") { $0.host = .subdomains(of: try HostName("192.0.2.1")) },
    BadField("host") { $0.host = .subdomains(of: try HostName("::1")) },
    BadField("protocol") { $0.protocol = .unset },
    BadField("protocol") { $0.protocol = NetworkProtocol(rawValue: "HTTPS") },
    BadField("protocol") { $0.protocol = NetworkProtocol(rawValue: "htps") },
    BadField("protocol") { $0.protocol = NetworkProtocol(rawValue: "a b") },
    BadField("port") { $0.port = 0 },
    BadField("auth") { $0.authenticationMethod = .unset },
    BadField("auth") { $0.authenticationMethod = AuthenticationMethod(rawValue: "Basic") },
    BadField("auth") { $0.authenticationMethod = AuthenticationMethod(rawValue: "a b") },
    BadField("proxy") {
      $0.protocol = .https
      $0.isProxy = true
    },
    BadField("proxy") {
      $0.protocol = .socks
      $0.isProxy = false
    },
    BadField("secure") {
      $0.protocol = .https
      $0.receivesCredentialSecurely = false
    },
    BadField("secure") {
      $0.authenticationMethod = .digest
      $0.receivesCredentialSecurely = false
    },
    BadField("secure") {
      $0.protocol = .http
      $0.authenticationMethod = .basic
      $0.receivesCredentialSecurely = true
    },
    BadField("loopback") {
      $0.host = try HostPattern("localhost")
      $0.isLoopback = false
    },
    BadField("loopback") {
      $0.host = try HostPattern("*.example.com")
      $0.isLoopback = true
    },
    BadField("service") { $0.service = "" },
    BadField("service") { $0.service = "a\u{0}" },
    BadField("service", .tooLarge) { $0.service = text4097 },
    BadField("service") {
      $0.service = "npm"
      $0.host = .any
    },
    BadField("service") {
      $0.service = "npm"
      $0.port = 443
    },
    BadField("service") {
      $0.service = "npm"
      $0.isLoopback = false
    },
    BadField("lifetime") { $0.lifetime = .zero },
    BadField("lifetime") { $0.lifetime = .seconds(-1) },
    BadField("lifetime") { $0.lifetime = .microseconds(999) },
    BadField("lifetime") { $0.lifetime = .seconds(Int64.min) },
    BadField("lifetime", .tooLarge) { $0.lifetime = .milliseconds(3_155_760_000_001) },
    BadField("lifetime", .tooLarge) { $0.lifetime = .seconds(Int64.max) },
    BadField("refuse") {
      $0.refuse = true
      $0.maximumPersistence = .session
    },
    BadField("refuse") {
      $0.refuse = true
      $0.lifetime = .seconds(1)
    },
    BadField("refuse") {
      $0.refuse = true
      $0.persistOnlyAfterAcceptance = true
    },
  ]

  @Test("a field that is none is named, and there is no policy with it", arguments: bad)
  func refusals(_ bad: BadField) throws {
    var rule = Rule(name: "rule")
    try bad.change(&rule)
    let error = try #require(throws: VaultError.self) { try rule.validate() }
    #expect(error.code == bad.code)
    #expect(error.context.hasPrefix("\(bad.field): "))
    let fine = Rule(name: "fine")
    let again = try #require(throws: VaultError.self) {
      try PersistencePolicy(rules: [fine, rule])
    }
    #expect(again.code == bad.code && again.context == error.context + " (rule 2)")
  }

  @Test("a stored rule may have conditions that exclude each other, and then matches nothing")
  func stored() throws {
    var rule = Rule(name: "rule")
    rule.protocol = .socks
    rule.isProxy = false
    let policy = try PersistencePolicy(stored: [rule])
    for name in ["socks", "https"] {
      let space = try ProtectionSpace(host: "a.com", protocol: NetworkProtocol(name))
      let now = Timestamp(milliseconds: 0)
      #expect(policy.decide(space, requested: .permanent, now: now).rule == nil)
    }
    rule.port = 0
    #expect(throws: VaultError(.invalidArgument, "")) { try PersistencePolicy(stored: [rule]) }
  }

  @Test("every condition can be bad")
  func everyCondition() {
    let fields = Set(Self.bad.map(\.field))
    #expect(Rule.Field.allCases.allSatisfy { fields.contains($0.rawValue) })
  }

  @Test("what is just within its limits is a rule")
  func limits() throws {
    let changes: [(inout Rule) throws -> Void] = [
      { $0.name = String(repeating: "a", count: 64) },
      { $0.name = "Nichts von Übersee, \"nie\" 日本" },
      { $0.note = String(repeating: "a", count: 4096) },
      { $0.note = "two\nlines" },
      { $0.host = .any },
      { $0.host = try HostPattern("*.com") },
      { $0.port = 1 },
      { $0.port = .max },
      { $0.protocol = NetworkProtocol(rawValue: "x-our.own+1") },
      { $0.authenticationMethod = AuthenticationMethod(rawValue: "x-ours") },
      { $0.lifetime = .milliseconds(1) },
      { $0.lifetime = .milliseconds(3_155_760_000_000) },
      { $0.refuse = true },
      {
        $0.protocol = .http
        $0.receivesCredentialSecurely = true
      },
      {
        $0.authenticationMethod = .basic
        $0.receivesCredentialSecurely = true
      },
      {
        $0.host = .any
        $0.isLoopback = true
      },
      {
        $0.maximumPersistence = .none
        $0.persistOnlyAfterAcceptance = true
        $0.lifetime = .seconds(1)
      },
    ]
    for (index, change) in changes.enumerated() {
      var rule = Rule(name: "rule")
      try change(&rule)
      #expect(throws: Never.self, "\(index)") { try rule.validate() }
      #expect(try PersistencePolicy(rules: [rule]).rules == [rule])
    }
  }

  @Test("a lifetime has whole milliseconds")
  func wholeMilliseconds() {
    var rule = Rule(name: "rule")
    rule.lifetime = .microseconds(1999)
    #expect(rule.lifetime == .milliseconds(1))
    rule.lifetime = nil
    #expect(rule.lifetime == nil)
  }

  @Test("no two rules have one name or one id")
  func twins() throws {
    let rule = Rule(name: "one")
    var renamed = rule
    renamed.name = "two"
    for (rules, field) in [([rule, renamed], "id: "), ([rule, Rule(name: "one")], "name: ")] {
      let error = try #require(throws: VaultError.self) { try PersistencePolicy(rules: rules) }
      #expect(error.code == .invalidArgument && error.context.hasPrefix(field))
    }
    // Names are compared on bytes, like all text.
    let names = ["caf\u{E9}", "cafe\u{301}", "One", "one"]
    #expect(try PersistencePolicy(rules: names.map { Rule(name: $0) }).rules.count == 4)
  }

  @Test("a policy has at most 1000 rules")
  func count() throws {
    let rules = (0...1000).map { Rule(name: "rule \($0)") }
    #expect(try PersistencePolicy(rules: Array(rules[..<1000])).rules.count == 1000)
    let error = try #require(throws: VaultError.self) { try PersistencePolicy(rules: rules) }
    #expect(error.code == .tooLarge && error.context.hasPrefix("rules: "))
  }

  @Test("two rules are equal if all they say is, text on bytes")
  func equality() throws {
    let plain = Rule(name: "caf\u{E9}")
    let changes: [(inout Rule) throws -> Void] = [
      { $0.name = "cafe\u{301}" },
      { $0.note = "n" },
      { $0.host = .any },
      { $0.protocol = .https },
      { $0.port = 1 },
      { $0.authenticationMethod = .basic },
      { $0.isProxy = false },
      { $0.receivesCredentialSecurely = false },
      { $0.isLoopback = false },
      { $0.service = "npm" },
      { $0.maximumPersistence = .session },
      { $0.lifetime = .seconds(1) },
      { $0.persistOnlyAfterAcceptance = true }, { $0.requiresPIN = true },
      { $0.refuse = true },
      { $0.allowsNTLM = false },
      { $0.allowsNegotiateInClear = true },
    ]
    var rules = [plain, Rule(name: plain.name)]
    for change in changes {
      var rule = plain
      try change(&rule)
      #expect(rule.hashValue == plain.hashValue)
      rules.append(rule)
    }
    // One change for each stored property; a new one also has to be compared.
    #expect(changes.count + 1 == Mirror(reflecting: plain).children.count)
    for (i, left) in rules.enumerated() {
      for (j, right) in rules.enumerated() { #expect((left == right) == (i == j), "\(i) \(j)") }
    }
  }
}
