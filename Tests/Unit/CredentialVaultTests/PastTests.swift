import VaultAdministration
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import CredentialVault
@testable import SealedTree
@testable import VaultCrypto
@testable import VaultStore

/// Previous secrets, and removed items with theirs.
@Suite("Policy: what is kept of items as they were")
struct PastTests {
  let clocked: ClockedVault
  var clock: TestClock { clocked.clock }
  var vault: Vault { clocked.vault }

  init() throws {
    clocked = try ClockedVault()
    for user in ["ann", "bob"] {
      for host in ["a.example.com", "b.example.org"] {
        try vault.set(credential(user, "before"), for: space(host))
        try vault.set(credential(user, "one"), for: space(host))
      }
    }
    // Removed: bob's.
    for item in try vault.findAll(ItemQuery()) where item.account == "bob" {
      try vault.remove(item)
    }
  }

  private func item(_ host: String) throws -> Item {
    try #require(vault.findAll(ItemQuery(space(host))).first)
  }

  /// Returns kind, user and host of all previous secrets and removed items.
  private func past() throws -> [String] {
    try vault.requireFile().content().past.map {
      "\($0.kind) \($0.key.account) \($0.key.server)"
    }.sorted()
  }

  private static let other = [
    "previousSecret ann b.example.org", "previousSecret bob b.example.org",
    "removedItem bob b.example.org",
  ]

  @Test("goes where the policy came to keep nothing, and stays elsewhere")
  func applied() throws {
    #expect(try past().count == 6)
    var rule = PersistencePolicy.Rule(name: "session")
    rule.host = try HostPattern("*.example.com")
    rule.maximumPersistence = .session
    try vault.policy.update { [rule] in $0 = [rule] }
    let listed = try vault.policy.excesses().map { "\($0.kind.rawValue) \($0.key.account)" }
      .sorted()
    #expect(
      listed == ["item ann", "previous-secret ann", "previous-secret bob", "removed-item bob"])
    try vault.policy.apply()
    #expect(try past() == Self.other)
    let moved = try item("a.example.com")
    #expect(try moved.persistence == .session && vault.history.entries(of: moved).isEmpty)
    #expect(try vault.policy.excesses().isEmpty)
  }

  @Test("goes when its own secret has become too old")
  func old() throws {
    var rule = PersistencePolicy.Rule(name: "an hour")
    rule.host = try HostPattern("*.example.com")
    rule.lifetime = .seconds(3600)
    try vault.policy.update { [rule] in $0 = [rule] }
    let hour = clock.now.adding(.seconds(3600))
    clock.pass(.seconds(1800))
    let due = try vault.policy.excesses().filter { $0.kind != .item }
    #expect(due.map(\.remedy) == [.shorten(hour), .shorten(hour), .shorten(hour)])
    try vault.policy.apply()
    #expect(try past().count == 6)
    #expect(
      try vault.trash.items(ItemQuery(space("a.example.com"))).map(\.restorableUntil) == [hour])
    let limited = try vault.history.entries(of: item("a.example.com"), withSecrets: true)
    #expect(limited.map(\.keptUntil) == [hour] && limited[0].secret?.count == 6)
    #expect(try vault.history.entries(of: item("b.example.org")).map(\.keptUntil) == [nil])
    try vault.set(credential("ann", "two"), for: space("a.example.com"))
    clock.pass(.seconds(1800))
    let expired = try vault.history.entries(of: item("a.example.com"), withSecrets: true)
    #expect(expired.map { $0.isExpired(at: clock.now) } == [true, true])
    #expect(expired.allSatisfy { $0.secret == nil })
    for previous in expired {
      expect(.expired) { try vault.history.revert(item("a.example.com"), to: previous) }
    }
    let listed = try vault.policy.excesses().map { "\($0.kind.rawValue) \($0.key.account)" }
      .sorted()
    #expect(
      listed == [
        "previous-secret ann", "previous-secret ann", "previous-secret bob", "removed-item bob",
      ])
    try vault.policy.apply()
    #expect(try past() == Self.other)
    #expect(try vault.known(space("a.example.com")) == [CredentialValues("ann", "two")])
  }

  @Test("goes with the item that a purge removes, and on its own when it has expired")
  func purged() throws {
    try vault.modify(item("a.example.com"), [.expires(clock.now)])
    let other = try item("b.example.org")
    try vault.modify(other, [.expires(clock.now.adding(.seconds(60)))])
    try vault.modify(other, [.secret(Secret("two")), .expires(nil)])
    #expect(try past().count == 7)
    #expect(try vault.maintenance.purge().map(\.server.name) == ["a.example.com"])
    #expect(try past().filter { $0.contains("ann") }.count == 2)
    clock.pass(.seconds(60))
    #expect(try vault.maintenance.expired().isEmpty && vault.maintenance.purge().isEmpty)
    let left = try vault.history.entries(of: other, withSecrets: true)
    #expect(left.map { $0.secret?.count } == [6])
  }

  @Test("goes once where it has expired, and its item has")
  func purgedTogether() throws {
    let both = try item("a.example.com")
    let end = clock.now.adding(.seconds(60))
    try vault.modify(both, [.expires(end)])
    try vault.modify(both, [.secret(Secret("two"))])
    clock.pass(.seconds(60))
    #expect(try vault.maintenance.purge().map(\.id) == [both.id])
    #expect(try past().filter { $0.contains("ann") }.count == 1)
  }
}
