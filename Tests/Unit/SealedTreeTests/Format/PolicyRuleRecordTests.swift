import TestSupport
import Testing
import VaultModel

@testable import SealedTree

@Suite("PolicyRuleRecord")
struct PolicyRuleRecordTests {
  /// Changes that each make a different rule.
  static let changes: [@Sendable (inout PersistencePolicy.Rule) throws -> Void] = [
    { $0.name = "Größe ✓" },
    { $0.note = "a\nnote" },
    { $0.host = .any },
    { $0.host = try HostPattern("Bücher.example") },
    { $0.host = try HostPattern("*.example.com") },
    { $0.host = try HostPattern("[::1]") },
    { $0.protocol = .https },
    { $0.protocol = try NetworkProtocol("gopher") },
    { $0.port = 1 },
    { $0.port = .max },
    { $0.authenticationMethod = .default },
    { $0.authenticationMethod = .basic },
    { $0.isProxy = true },
    { $0.isProxy = false },
    { $0.receivesCredentialSecurely = true },
    { $0.receivesCredentialSecurely = false },
    { $0.isLoopback = true },
    { $0.isLoopback = false },
    { $0.maximumPersistence = .none },
    { $0.maximumPersistence = .session },
    { $0.lifetime = .milliseconds(1) },
    { $0.lifetime = .seconds(100 * 31_557_600) },
    { $0.persistOnlyAfterAcceptance = true },
    { $0.requiresPIN = true },
    { $0.refuse = true },
    { $0.allowsNTLM = true },
    { $0.allowsNTLM = false },
    { $0.allowsNegotiateInClear = true },
  ]

  private func read(_ record: PolicyRuleRecord) throws -> PolicyRuleRecord {
    let body = record.encoded
    return try PolicyRuleRecord(decoding: body, 0..<body.count)
  }

  @Test("a rule with any one field is read back, and is told from every other")
  func fields() throws {
    let plain = PersistencePolicy.Rule(name: "plain")
    var seen: Set<[UInt8]> = [PolicyRuleRecord(plain, position: 1).encoded]
    for change in Self.changes {
      var rule = plain
      try change(&rule)
      let record = PolicyRuleRecord(rule, position: 7)
      let found = try read(record)
      #expect(found.rule == rule && found.position == 7 && found.unknownTag == nil)
      #expect(seen.insert(record.encoded).inserted)
    }
  }

  @Test("rules of many fields are read back")
  func many() throws {
    var random = SplitMix(seed: 4)
    for position in 1...300 as ClosedRange<UInt32> {
      var rule = PersistencePolicy.Rule(name: "rule \(position)")
      for change in Self.changes where Bool.random(using: &random) { try change(&rule) }
      if rule.refuse {
        rule.maximumPersistence = .permanent
        rule.lifetime = nil
        rule.persistOnlyAfterAcceptance = false
        rule.requiresPIN = false
      }
      if rule.isProxy != nil { rule.protocol = nil }
      let found = try read(PolicyRuleRecord(rule, position: position))
      #expect(found.rule == rule && found.position == position)
    }
  }

  @Test("the first field that is not known is told, and what it may allow is not judged")
  func unknown() throws {
    var rule = PersistencePolicy.Rule(name: "later")
    rule.refuse = true
    rule.lifetime = .seconds(1)
    let unknown = [UnknownField(tag: 54, value: [1]), UnknownField(tag: 99, value: [2])]
    let known = PolicyRuleRecord(rule, position: 1).encoded
    #expect(throws: VaultError(.damaged, "")) {
      try PolicyRuleRecord(decoding: known, 0..<known.count)
    }
    var writer = FieldWriter(keeping: unknown)
    let body = known + writer.finish()
    let found = try PolicyRuleRecord(decoding: body, 0..<body.count)
    #expect(found.unknownTag == 54 && found.rule == rule)
  }
}
