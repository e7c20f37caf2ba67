import Foundation
import ProgramTesting
import TestTraits
import Testing
import VaultModel

@Suite("the page on the persistence policy", .waiting)
struct PolicyPageTests {
  let page: Markdown

  init() throws {
    page = Markdown(try Project.text(of: "Documentation/persistence-policy.md"))
  }

  func table(_ title: String) throws -> [[String]] {
    try #require(page.tables.first { $0[0][0] == title })
  }

  /// Returns the texts in backquotes.
  func codes(_ cell: String) -> [String] {
    cell.matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  @Test("its shell sessions run as written, and print what they say")
  func sessions() throws {
    let sandbox = try Sandbox()
    try #require(sandbox.makeVault().status == 0)
    let result = try ShellSession(page).run(
      in: sandbox, environment: ["PW": "correct horse battery staple"])
    #expect(result.status == 0)
    #expect(result.errors == "")
  }

  // MARK: The decision

  @Test("its decision table is what a policy decides")
  func decisions() throws {
    let table = try table("the rule that decides says")
    let requests = [Persistence.none, .session, .permanent]
    #expect(
      table[0].dropFirst() == ["asked for `none`", "asked for `session`", "asked for `permanent`"])
    #expect(table.count > 10)
    let space = try ProtectionSpace(url: "https://example.com")
    for row in table.dropFirst() {
      let policy = try policy(row[0])
      for (cell, requested) in zip(row.dropFirst(), requests) {
        let decision = policy.decide(
          space, requested: requested, now: Timestamp(milliseconds: 0))
        #expect(words(decision) == cell, "\(row[0]), \(requested)")
        #expect((decision.rule == nil) == (row[0] == "(no rule matches)"))
      }
    }
  }

  /// Returns a policy of one rule that has these options of `vaultctl policy add`.
  func policy(_ cell: String) throws -> PersistencePolicy {
    guard cell != "(no rule matches)" else { return .empty }
    var rule = PersistencePolicy.Rule(name: "rule")
    var words = codes(cell).flatMap { $0.split(separator: " ") }[...]
    #expect(words.isEmpty == (cell == "(nothing)"))
    while let option = words.popFirst() {
      switch option {
      case "--max": rule.maximumPersistence = words.popFirst() == "session" ? .session : .none
      case "--lifetime": rule.lifetime = try span(words.popFirst() ?? "")
      case "--after-acceptance": rule.persistOnlyAfterAcceptance = true
      case "--require-pin": rule.requiresPIN = true
      case "--refuse": rule.refuse = true
      default: Issue.record("\(option)")
      }
    }
    return try PersistencePolicy(rules: [rule])
  }

  func span(_ text: Substring) throws -> Duration {
    let unit = try #require(["h": 3600, "d": 86_400][text.suffix(1)])
    return .seconds(try #require(Int(text.dropLast())) * unit)
  }

  /// Returns a decision at the beginning of 1970 in the table's words.
  func words(_ decision: PersistencePolicy.Decision) -> String {
    if decision.isRefused { return "refused" }
    var words = "\(decision.granted)"
    if let end = decision.expires {
      let hours = end.milliseconds / 3_600_000
      words += hours.isMultiple(of: 24) ? " for \(hours / 24)d" : " for \(hours)h"
    }
    return words + (decision.onlyAfterAcceptance ? " once accepted" : "")
      + (decision.onlyWithPIN ? " with a PIN, else session" : "")
  }

  // MARK: Hosts

  @Test("its host patterns match what it says, and nothing that it says they do not")
  func patterns() throws {
    let table = try table("pattern")
    #expect(table.count > 8)
    for row in table.dropFirst() {
      guard let text = codes(row[0]).first else {
        for wrong in codes(row[2]) {
          #expect(throws: VaultError(.invalidArgument, ""), "\(wrong)") { try HostPattern(wrong) }
        }
        continue
      }
      let pattern = try HostPattern(text)
      for host in codes(row[1]) { #expect(try pattern.matches(HostName(host)), "\(text): \(host)") }
      for host in codes(row[2]) {
        #expect(try !pattern.matches(HostName(host)), "\(text): \(host)")
      }
    }
  }

  @Test("its Swift lines are those of a test, byte for byte")
  func swift() throws {
    let code = try #require(page.blocks.first { $0.language == "swift" }?.text)
    let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : "    \($0)" }
    let source = try Project.text(of: "Tests/Unit/CredentialVaultTests/PolicyExampleTests.swift")
    #expect(source.contains(") throws {\n" + lines.joined(separator: "\n") + "  }\n"))
  }
}
