import VaultAdministration
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultModel

@Suite("Policy: what exceeds it, and bringing that in line")
struct ReviewTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
    for host in ["keep", "session", "none", "refuse", "limit"] {
      try vault.set(credential("ann", "secret of \(host)"), for: space("\(host).example"))
      try vault.setDefaultUser("ann", for: space("\(host).example"))
    }
    try vault.set(credential("bob", "temporary", .session), for: space("none.example"))
    try vault.set(credential("bob", "temporary", .session), for: space("session.example"))
  }

  private func tighten() throws { try Self.tighten(vault) }

  private static func tighten(_ vault: Vault) throws {
    try vault.policy.update { (rules) throws(VaultError) in
      for (name, change) in changes {
        var rule = PersistencePolicy.Rule(name: name)
        rule.host = try HostPattern("\(name).example")
        change(&rule)
        rules.append(rule)
      }
    }
  }

  private static let changes: [(String, @Sendable (inout PersistencePolicy.Rule) -> Void)] = [
    ("session", { $0.maximumPersistence = .session }),
    ("none", { $0.maximumPersistence = .none }),
    ("refuse", { $0.refuse = true }),
    ("limit", { $0.lifetime = .seconds(3600) }),
  ]

  private func described(_ excesses: [PolicyExcess]) -> Set<String> {
    Set(
      excesses.map { excess in
        let remedy =
          switch excess.remedy {
          case .moveToSession: "move"
          case .remove: "remove"
          case .shorten: "shorten"
          }
        return "\(excess.kind.rawValue) \(excess.key.account) \(excess.key.server) "
          + "\(excess.persistence) \(excess.rule.name) \(remedy)"
      })
  }

  static let expected: Set = [
    "item ann session.example permanent session move",
    "default ann session.example permanent session move",
    "item ann none.example permanent none remove",
    "default ann none.example permanent none remove",
    "item bob none.example session none remove",
    "item ann refuse.example permanent refuse remove",
    "default ann refuse.example permanent refuse remove",
    "item ann limit.example permanent limit shorten",
  ]

  @Test("nothing exceeds a policy without rules")
  func none() throws {
    #expect(try vault.policy.excesses().isEmpty)
    let generation = try vault.generation()
    #expect(try vault.policy.apply().isEmpty)
    #expect(try vault.generation() == generation)
  }

  @Test("a check lists what exceeds it, and changes nothing")
  func check() throws {
    try tighten()
    let generation = try vault.generation()
    #expect(try described(vault.policy.excesses()) == Self.expected)
    #expect(try vault.generation() == generation)
    #expect(try vault.findAll(ItemQuery()).count == 7)
  }

  @Test("applying it moves, removes and shortens in one transaction, and then nothing exceeds it")
  func apply() throws {
    try tighten()
    let generation = try vault.generation()
    let before = Timestamp.now()
    #expect(try described(vault.policy.apply()) == Self.expected)
    #expect(try vault.generation() == generation + 1)
    #expect(try vault.policy.excesses().isEmpty)
    #expect(try vault.known(space("keep.example")) == [CredentialValues("ann", "secret of keep")])
    #expect(
      try vault.known(space("session.example")).sorted { $0.user < $1.user } == [
        CredentialValues("ann", "secret of session", .session),
        CredentialValues("bob", "temporary", .session),
      ])
    #expect(try vault.defaultUser(for: space("session.example")) == "ann")
    for host in ["none.example", "refuse.example"] {
      #expect(try vault.known(space(host)).isEmpty && vault.defaultUser(for: space(host)) == nil)
    }
    let limited = try #require(vault.findAll(ItemQuery(space("limit.example"))).first)
    #expect(limited.persistence == .permanent)
    #expect(try #require(limited.keptUntil) <= limited.secretChanged.adding(.seconds(3600)))
    #expect(try #require(limited.keptUntil) >= before)
    try vault.removeAll(.session)
    #expect(
      try vault.findAll(ItemQuery()).map(\.server.name).sorted() == [
        "keep.example", "limit.example",
      ])
    #expect(
      try vault.defaults().keys.map(\.host.name).sorted() == ["keep.example", "limit.example"])
  }

  @Test("what cannot be committed leaves the session as it was, too")
  func failure() throws {
    let held = try HeldVault { vault in
      try vault.set(credential("ann", "1"), for: space("session.example"))
      try vault.setDefaultUser("ann", for: space("session.example"))
      try vault.set(credential("ann", "2"), for: space("limit.example"))
    }
    try held.vault.set(credential("bob", "3", .session), for: space("none.example"))
    try held.holder.unlock()
    try Self.tighten(held.vault)
    try held.holder.share()
    expect(.busy) { try held.vault.policy.apply() }
    #expect(try held.vault.known(space("session.example")) == [CredentialValues("ann", "1")])
    #expect(try held.vault.known(space("none.example")) == [CredentialValues("bob", "3", .session)])
    try held.holder.unlock()
    #expect(try held.vault.policy.apply().count == 4)
    #expect(
      try held.vault.known(space("session.example")) == [CredentialValues("ann", "1", .session)])
  }

  @Test("a time is made shorter, never longer")
  func shorter() throws {
    try tighten()
    try vault.policy.apply()
    let until = try vault.findAll(ItemQuery(space("limit.example"))).first?.keptUntil
    try vault.policy.update { rules in
      for index in rules.indices where rules[index].name == "limit" {
        rules[index].lifetime = .seconds(7200)
      }
    }
    #expect(try vault.policy.excesses().isEmpty)
    try vault.policy.apply()
    #expect(try vault.findAll(ItemQuery(space("limit.example"))).first?.keptUntil == until)
    // The next secret gets the longer retention.
    try vault.set(credential("ann", "next"), for: space("limit.example"))
    let next = try #require(vault.findAll(ItemQuery(space("limit.example"))).first)
    #expect(next.keptUntil == next.secretChanged.adding(.seconds(7200)))
  }
}
