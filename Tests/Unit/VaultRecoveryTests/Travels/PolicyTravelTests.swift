import VaultReports
import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// The policy stays with the vault in every copy of it.
@Suite("a policy's travels")
struct PolicyTravelTests {
  /// Returns more rules than a bucket takes, so that trees are also built again.
  private static func rules() throws -> [PersistencePolicy.Rule] {
    try (0..<150).map { number in
      var rule = PersistencePolicy.Rule(name: "rule \(number)")
      rule.host = try HostPattern("h\(number).example")
      rule.lifetime = .seconds(number + 1)
      return rule
    }
  }

  private func set(
    _ rules: [PersistencePolicy.Rule], in store: FileStore
  ) throws(VaultError) {
    let policy = try PersistencePolicy(rules: rules)
    try store.write { (transaction) throws(VaultError) in try transaction.setPolicy(policy) }
  }

  @Test("the policy is the same after it", arguments: VaultOperation.allCases)
  func travel(_ journey: VaultOperation) throws {
    let fixture = try StoreFixture()
    let rules = try Self.rules()
    var item = Item(server: try HostName("h.example"), secret: Secret("s"))
    item.keptUntil = Timestamp.now().adding(.seconds(3600))
    let added = try fixture.store.add(item)
    try set(rules, in: fixture.store)
    let store = try journey.take(fixture) { (store) throws(VaultError) in
      try set([PersistencePolicy.Rule(name: "newer")], in: store)
    }
    #expect(try store.policy().rules == rules)
    #expect(try store.verify().problems == [])
    let found = try #require(try store.find(ItemQuery(), withSecrets: true).first)
    #expect(found.keptUntil == item.keptUntil && found.secretChanged == added.secretChanged)
    #expect(found.secret?.isEqual(to: Secret("s")) == true)
    // It can also be changed there.
    try set(Array(rules.prefix(2)), in: store)
    #expect(try store.policy().rules == Array(rules.prefix(2)))
  }

  @Test("of a damaged vault a malformed rule is reported as lost, and the others are kept")
  func salvageMalformed() throws {
    let fixture = try StoreFixture()
    let rules = try Array(Self.rules().prefix(3))
    try set(rules, in: fixture.store)
    let bad = PolicyRuleRecord(PersistencePolicy.Rule(name: ""), position: 4).encoded
    try fixture.store.plant(RecordKind.policyRule, bad)
    let (report, store) = try fixture.salvaged()
    #expect(report.lost.map(\.kind) == [.record])
    #expect(try store.policy().rules == rules)
  }

  @Test("of two unproven states of a rule one is kept, and said to be unproven")
  func salvageTwice() throws {
    let fixture = try StoreFixture()
    let first = PersistencePolicy.Rule(name: "first")
    var second = PersistencePolicy.Rule(name: "second")
    try set([first, second], in: fixture.store)
    // Contents that one bucket cannot hold: the same id, and the same name, once more.
    second.name = "renamed"
    for (rule, position) in [(second, 2), (PersistencePolicy.Rule(name: "first"), 3)] {
      let body = PolicyRuleRecord(rule, position: UInt32(position)).encoded
      try fixture.store.plant(RecordKind.policyRule, body)
    }
    #expect(throws: VaultError(.damaged, "")) { try fixture.store.policy() }
    try fixture.loseHead()
    let (report, store) = try fixture.salvaged()
    let policy = try store.policy()
    #expect(policy.rules.map(\.name) == ["first", "second"])
    for rule in policy.rules {
      #expect(report.problems.contains { $0.reason.contains("rule \"\(rule.name)\"") })
    }
  }
}
