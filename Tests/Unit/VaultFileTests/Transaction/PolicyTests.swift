import VaultReports
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel
@testable import VaultStore

@testable import SealedTree

/// The policy's rules as records of the file.
@Suite("the policy in the file")
struct PolicyTests {
  typealias Rule = PersistencePolicy.Rule

  private static func rules(_ count: Int) throws -> [Rule] {
    try (0..<count).map { number in
      var rule = Rule(name: "rule \(number)")
      rule.host = try HostPattern("*.h\(number).example")
      rule.maximumPersistence = number.isMultiple(of: 2) ? .session : .permanent
      return rule
    }
  }

  private func set(_ rules: [Rule], in store: FileStore) throws(VaultError) {
    let policy = try PersistencePolicy(rules: rules)
    try store.write { (transaction) throws(VaultError) in try transaction.setPolicy(policy) }
  }

  private func generation(_ store: FileStore) throws -> UInt64 {
    try store.information().generation
  }

  @Test("a new vault has no rule")
  func none() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    #expect(try store.policy() == .empty)
    try set([], in: store)
    #expect(try generation(store) == 1)
  }

  @Test("rules keep their order, whatever is added, moved, changed and removed")
  func order() throws {
    let fixture = try StoreFixture()
    var rules = try Self.rules(5)
    func expectKept() throws {
      try set(rules, in: fixture.store)
      #expect(try fixture.store.policy().rules == rules)
      #expect(try fixture.store.shape().bodies(RecordKind.policyRule).count == rules.count)
      #expect(try Golden.read(fixture).list("rules").count == rules.count)
    }
    try expectKept()
    rules.insert(Rule(name: "first"), at: 0)
    try expectKept()
    rules.swapAt(1, 4)
    rules[2].note = "changed"
    try expectKept()
    // A name that moves from one rule to another.
    (rules[0].name, rules[1].name) = (rules[1].name, rules[0].name)
    try expectKept()
    rules.removeFirst(3)
    try expectKept()
    let store = try fixture.reopened()
    #expect(try store.policy().rules == rules)
    try set([], in: store)
    #expect(try store.policy() == .empty)
    #expect(try store.shape().records.isEmpty && store.verify().problems == [])
  }

  @Test("the same policy again writes nothing, and of another one only what differs")
  func same() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    var rules = try Self.rules(3)
    try set(rules, in: store)
    #expect(try generation(store) == 2)
    try set(rules, in: store)
    #expect(try generation(store) == 2)
    let before = try store.shape().bodies(RecordKind.policyRule)
    rules[1].refuse = true
    try set(rules, in: store)
    #expect(try generation(store) == 3)
    #expect(try store.shape().bodies(RecordKind.policyRule).intersection(before).count == 2)
  }

  @Test("a transaction sees its own policy, and one that throws leaves the file's")
  func transaction() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let rules = try Self.rules(2)
    try set(rules, in: store)
    let other = try PersistencePolicy(rules: [Rule(name: "other")])
    #expect(throws: VaultError(.interrupted, "")) {
      try store.write { (transaction) throws(VaultError) in
        #expect(try transaction.policy().rules == rules)
        try transaction.setPolicy(other)
        #expect(try transaction.policy() == other)
        throw VaultError(.interrupted, "by the test")
      }
    }
    #expect(try store.policy().rules == rules)
    try store.write { (transaction) throws(VaultError) in
      try transaction.setPolicy(other)
      _ = try transaction.add(Item(account: "beside"))
    }
    #expect(try store.policy() == other)
    // A commit of something else keeps the policy.
    _ = try store.add(Item(account: "after"))
    #expect(try store.policy() == other)
  }

  @Test("1000 rules lie in a tree of their own, and leave it again")
  func tree() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    _ = try store.add(Item(server: try HostName("h.example"), account: "a"))
    let rules = try Self.rules(PersistencePolicy.mostRules)
    try set(rules, in: store)
    #expect(try store.policy().rules == rules)
    let trees = try store.shape().trees
    #expect(trees.map(\.level) == [0, 1, 2])
    #expect(trees[1].host == [0] && trees[2].host == [0] && trees[2].account.isEmpty)
    #expect(try store.verify().problems == [])
    #expect(try Golden.read(fixture).list("rules").count == 1000)
    try set(Array(rules.suffix(3)), in: store)
    #expect(try store.shape().trees.count == 1)
    #expect(try store.policy().rules == Array(rules.suffix(3)))
    #expect(try store.verify().problems == [])
  }

  // MARK: Unknown parts

  @Test("a rule with a field that is not known makes the policy too new, and nothing else")
  func tooNew() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    var rules = try Self.rules(2)
    try set(rules, in: store)
    let item = try store.add(Item(account: "a", secret: Secret("s")))
    var writer = FieldWriter(keeping: [UnknownField(tag: 54, value: [1])])
    let later = PolicyRuleRecord(Rule(name: "of a later version"), position: 3).encoded
    try store.plant(RecordKind.policyRule, later + writer.finish())

    let error = #expect(throws: VaultError.self) { try store.policy() }
    #expect(error?.code == .tooNew)
    #expect(error?.context.contains("rule \"of a later version\" has field 54") == true)
    rules.removeLast()
    #expect(throws: VaultError(.tooNew, "")) { try set(rules, in: store) }
    #expect(throws: VaultError(.tooNew, "")) { try set([], in: store) }
    #expect(
      try store.find(ItemQuery(), withSecrets: true).first?.secret?.isEqual(to: Secret("s")) == true
    )
    _ = try store.modify(item.id, hint: item.key, [.label("still writable")])
    #expect(try store.verify().problems == [])
    #expect(try store.shape().bodies(RecordKind.policyRule).contains(later + [54, 1, 1]))
    #expect(try Golden.read(fixture).list("rules").count == 3)
  }

  @Test("a malformed rule is damage, which verify and a backup find", arguments: 0..<3)
  func malformed(_ kind: Int) throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try set(Self.rules(2), in: store)
    _ = try store.add(Item(account: "a", secret: Secret("s")))
    var rule = Rule(name: "bad")
    switch kind {
    case 0: rule.name = ""
    case 1: rule.port = 0
    default: rule.note = "a\0b"
    }
    var body = PolicyRuleRecord(rule, position: 3).encoded
    // A port of 0 is not a field; another number without a meaning is.
    if kind == 1 { body += [48, 1, 3] }
    try store.plant(RecordKind.policyRule, body)
    #expect(throws: VaultError(.damaged, "")) { try store.policy() }
    #expect(throws: VaultError(.damaged, "")) { try set([], in: store) }
    #expect(try store.verify().problems.map(\.kind) == [.record])
    #expect(throws: VaultError(.damaged, "")) {
      try store.backUp(to: fixture.folder.file("copy.vault"))
    }
    #expect(try store.find(ItemQuery()).count == 1)
  }

  @Test("two rules of one name or id are no policy")
  func twice() throws {
    for rules in [
      [Rule(name: "a"), Rule(name: "a")],
      [Rule(id: ItemID(high: 1, low: 1), name: "a"), Rule(id: ItemID(high: 1, low: 1), name: "b")],
    ] {
      let fixture = try StoreFixture()
      let store = fixture.store
      for rule in rules {
        try store.plant(RecordKind.policyRule, PolicyRuleRecord(rule, position: 1).encoded)
      }
      #expect(throws: VaultError(.damaged, "")) { try store.policy() }
    }
  }

  @Test("rules whose positions are the same have the order of their ids")
  func samePosition() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let rules = [3, 1, 2].map { Rule(id: ItemID(high: 0, low: $0), name: "rule \($0)") }
    for rule in rules {
      try store.plant(RecordKind.policyRule, PolicyRuleRecord(rule, position: 9).encoded)
    }
    #expect(try store.policy().rules.map(\.name) == ["rule 1", "rule 2", "rule 3"])
  }

  @Test("a rule in another bucket than its own is found by verify")
  func misplaced() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    // Enough for several buckets, one of which has the rules.
    try store.write { (transaction) throws(VaultError) in
      for number in 0..<200 {
        _ = try transaction.add(Item(server: HostName("h\(number).example")))
      }
    }
    for number in 0..<8 as Range<UInt64> {
      let rule = Rule(id: ItemID(high: number, low: 1), name: "rule \(number)")
      let body = PolicyRuleRecord(rule, position: 1).encoded
      try store.write { (transaction) throws(VaultError) in
        try transaction.editor.insert(
          Record(kind: RecordKind.policyRule, body: body),
          at: .keys(host: rule.id.bytes, account: [], rest: []))
      }
    }
    let problems = try store.verify().problems
    #expect(!problems.isEmpty && problems.allSatisfy { $0.kind == .record })
  }
}
