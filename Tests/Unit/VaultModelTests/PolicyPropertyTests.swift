import TestSupport
import Testing

@testable import VaultModel

@Suite("any policy")
struct PolicyPropertyTests {
  // The values to draw from, as text and as the reference writes them; few, so that matches are
  // frequent.
  static let hosts = [
    ("example.com", "example.com"), ("EXAMPLE.com.", "example.com"),
    ("a.example.com", "a.example.com"), ("b.A.example.com", "b.a.example.com"),
    ("badexample.com", "badexample.com"), ("example.com.evil.org", "example.com.evil.org"),
    ("bücher.example", "xn--bcher-kva.example"), ("a.BÜCHER.example", "a.xn--bcher-kva.example"),
    ("localhost", "localhost"), ("x.LocalHost", "x.localhost"), ("127.0.0.1", "127.0.0.1"),
    ("192.0.2.1", "192.0.2.1"), ("::FFFF:c000:201", "::ffff:192.0.2.1"), ("[0::1]", "::1"),
    ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1"),
  ]
  static let patterns = [
    ("*", "*"), ("*.EXAMPLE.com", "*.example.com"), ("*.com", "*.com"),
    ("*.a.example.com", "*.a.example.com"), ("*.Bücher.example.", "*.xn--bcher-kva.example"),
    ("*.localhost", "*.localhost"), ("*.evil.org", "*.evil.org"),
  ]
  static let protocols = ["http", "https", "imap", "http-proxy", "https-proxy", "socks"]
  static let methods = ["default", "basic", "digest", "negotiate", "bearer"]
  static let ports = [80, 443, 1080, 8080]
  static let lifetimes: [Int64] = [1, 1000, 86_400_000, 3_155_760_000_000]

  /// One draw of a rule, twice: for the library and for the reference.
  struct Pair {
    var rule: PersistencePolicy.Rule
    var reference: PolicyReference.Rule

    init(_ number: Int, using random: inout SplitMix) throws {
      let name = "rule \(number)"
      (rule, reference) = (PersistencePolicy.Rule(name: name), PolicyReference.Rule(name: name))
      if random.isOne(of: 2) {
        let texts = random.isOne(of: 2) ? PolicyPropertyTests.patterns : PolicyPropertyTests.hosts
        let (text, canonical) = random.pick(texts)
        (rule.host, reference.host) = (try HostPattern(text), canonical)
      }
      if random.isOne(of: 5) {
        let name = random.pick(PolicyPropertyTests.protocols)
        (rule.protocol, reference.scheme) = (try NetworkProtocol(name), name)
      }
      if random.isOne(of: 5) {
        let port = random.pick(PolicyPropertyTests.ports)
        (rule.port, reference.port) = (UInt16(port), port)
      }
      if random.isOne(of: 5) {
        let name = random.pick(PolicyPropertyTests.methods)
        (rule.authenticationMethod, reference.method) = (try AuthenticationMethod(name), name)
      }
      if random.isOne(of: 5) {
        let isSet = random.isOne(of: 2)
        (rule.isProxy, reference.isProxy) = (isSet, isSet)
      }
      if random.isOne(of: 5) {
        let isSet = random.isOne(of: 2)
        (rule.receivesCredentialSecurely, reference.isSecure) = (isSet, isSet)
      }
      if random.isOne(of: 5) {
        let isSet = random.isOne(of: 2)
        (rule.isLoopback, reference.isLoopback) = (isSet, isSet)
      }
      drawEffects(using: &random)
    }

    private mutating func drawEffects(using random: inout SplitMix) {
      if random.isOne(of: 5) {
        (rule.refuse, reference.refuse) = (true, true)
        return
      }
      if random.isOne(of: 2) {
        let maximum = random.pick(Persistence.allCases)
        (rule.maximumPersistence, reference.maximum) = (maximum, Int(maximum.rawValue))
      }
      if random.isOne(of: 2) {
        let lifetime = random.pick(PolicyPropertyTests.lifetimes)
        (rule.lifetime, reference.lifetime) = (.milliseconds(lifetime), lifetime)
      }
      if random.isOne(of: 3) {
        (rule.persistOnlyAfterAcceptance, reference.afterAcceptance) = (true, true)
      }
    }
  }

  /// Returns up to six valid rules; those with conditions that exclude each other are drawn again.
  static func policy(
    using random: inout SplitMix
  ) throws -> (policy: PersistencePolicy, reference: [PolicyReference.Rule]) {
    var pairs: [Pair] = []
    let count = Int.random(in: 0...6, using: &random)
    while pairs.count < count {
      let pair = try Pair(pairs.count, using: &random)
      if (try? pair.rule.validate()) != nil { pairs.append(pair) }
    }
    return (try PersistencePolicy(rules: pairs.map(\.rule)), pairs.map(\.reference))
  }

  static func space(
    using random: inout SplitMix
  ) throws -> (space: ProtectionSpace, reference: PolicyReference.Space) {
    let (text, canonical) = random.pick(hosts)
    let (scheme, method) = (random.pick(protocols), random.pick(methods))
    let port = random.isOne(of: 2) ? random.pick(ports) : nil
    let space = try ProtectionSpace(
      host: text, port: port, protocol: NetworkProtocol(scheme),
      authenticationMethod: AuthenticationMethod(method))
    return (
      space, PolicyReference.Space(host: canonical, scheme: scheme, port: port, method: method)
    )
  }

  @Test("a policy answers what the plain reference does, and never grants more than its first rule")
  func reference() throws {
    var random = SplitMix(seed: 4)
    var counts: [String: Int] = [:]
    for round in 0..<4000 {
      let (policy, rules) = try Self.policy(using: &random)
      for _ in 0..<5 {
        let (space, plain) = try Self.space(using: &random)
        let requested = random.pick(Persistence.allCases)
        let now = Int64.random(in: -10_000_000_000...10_000_000_000_000, using: &random)
        let decision = policy.decide(
          space, requested: requested, now: Timestamp(milliseconds: now))
        let wanted = PolicyReference.decide(
          rules, plain, requested: Int(requested.rawValue), now: now)
        try #require(Self.answer(decision) == wanted, "round \(round): \(space)")
        #expect(decision.requested == requested && decision.granted <= requested)
        if let rule = decision.rule {
          #expect(decision.granted <= rule.maximumPersistence)
          #expect(!rule.refuse || decision.granted == .none)
        }
        try check(policy.explain(space), rules, plain, decision, "round \(round): \(space)")
        counts[decision.rule == nil ? "no rule" : "a rule", default: 0] += 1
        counts["granted \(wanted.granted) of \(requested)", default: 0] += 1
        if wanted.isRefused { counts["refused", default: 0] += 1 }
        if wanted.until != nil { counts["until", default: 0] += 1 }
        if wanted.afterAcceptance { counts["after acceptance", default: 0] += 1 }
      }
    }
    // Every kind of answer, each often: with a rule or without, 3 + 2 + 1 grants, and three more.
    #expect(counts.count == 11 && counts.values.allSatisfy { $0 > 300 }, "\(counts)")
  }

  /// Checks that the rules before the deciding one are listed, each with the first condition that
  /// also fails in the reference.
  private func check(
    _ tried: [(rule: PersistencePolicy.Rule, mismatch: PersistencePolicy.Rule.Field?)],
    _ rules: [PolicyReference.Rule], _ space: PolicyReference.Space,
    _ decision: PersistencePolicy.Decision, _ context: String
  ) throws {
    let deciding = rules.firstIndex { PolicyReference.reason($0, space) == nil }
    try #require(tried.count == deciding.map { $0 + 1 } ?? rules.count, "\(context)")
    for (tried, rule) in zip(tried, rules) {
      #expect(tried.rule.name == rule.name, "\(context)")
      #expect(tried.mismatch?.rawValue == PolicyReference.reason(rule, space), "\(context)")
    }
    #expect(tried.last { $0.mismatch == nil }?.rule == decision.rule, "\(context)")
  }

  @Test("an item is decided about as the space that it is for, with its port or without")
  func items() throws {
    var random = SplitMix(seed: 5)
    var matched = 0
    for _ in 0..<2000 {
      let (policy, _) = try Self.policy(using: &random)
      let (space, plain) = try Self.space(using: &random)
      let now = Timestamp(milliseconds: 0)
      let wanted = policy.decide(space, requested: .permanent, now: now)
      var key = Item(space: space, account: "ann", secret: nil).key
      key.path = "/path"
      #expect(policy.decide(key, requested: .permanent, now: now) == wanted)
      key.port = UInt16(plain.port ?? 0)
      #expect(policy.decide(key, requested: .permanent, now: now) == wanted)
      matched += wanted.rule == nil ? 0 : 1
    }
    #expect(matched > 500 && matched < 1900, "\(matched)")
  }

  private static func answer(_ decision: PersistencePolicy.Decision) -> PolicyReference.Answer {
    PolicyReference.Answer(
      granted: Int(decision.granted.rawValue), until: decision.expires?.milliseconds,
      afterAcceptance: decision.onlyAfterAcceptance, isRefused: decision.isRefused,
      rule: decision.rule?.name)
  }
}

extension SplitMix {
  fileprivate mutating func pick<T>(_ values: [T]) -> T {
    values[Int.random(in: 0..<values.count, using: &self)]
  }

  /// Returns true once in that many times.
  fileprivate mutating func isOne(of count: Int) -> Bool {
    Int.random(in: 0..<count, using: &self) == 0
  }
}
