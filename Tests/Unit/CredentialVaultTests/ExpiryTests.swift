import VaultAdministration
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: what has expired, and how long a policy lets things be kept")
struct ExpiryTests {
  let clocked: ClockedVault
  var clock: TestClock { clocked.clock }
  var vault: Vault { clocked.vault }

  /// Creates a vault with a policy that keeps secrets for an hour.
  init() throws {
    clocked = try ClockedVault()
    var rule = PersistencePolicy.Rule(name: "an hour")
    rule.lifetime = .seconds(3600)
    try vault.policy.update { [rule] in $0 = [rule] }
  }

  private func reopened() throws -> Vault {
    try vault.close()
    let fixture = clocked.fixture
    return try Vault.open(path: fixture.path, key: fixture.key, time: clock.source)
  }

  @Test(
    "a credential is kept for the lifetime, counted from when its secret was stored",
    arguments: [Persistence.session, .permanent])
  func lifetime(_ persistence: Persistence) throws {
    let stored = try vault.set(credential("ann", "1", persistence), for: space())
    #expect(stored.item.keptUntil == clock.now.adding(.seconds(3600)))
    #expect(
      stored.decision.expires == stored.item.keptUntil && stored.decision.rule?.name == "an hour")
    clock.pass(.seconds(3599))
    #expect(try vault.known(space()) == [CredentialValues("ann", "1", persistence)])
    clock.pass(.seconds(1))
    expect(.expired) { _ = try vault.credentials(for: space()) }
    expect(.expired) { _ = try vault.users(for: space()) }
    expect(.expired) { _ = try vault.defaultCredential(for: space()) }
    expect(.expired) { _ = try vault.findUnique(ItemQuery(space()), withSecrets: true) }
    #expect(try vault.allCredentials().isEmpty)
  }

  @Test(
    "a new secret begins a new lifetime, another attribute does not",
    arguments: [Persistence.session, .permanent])
  func renewal(_ persistence: Persistence) throws {
    let end = clock.now.adding(.seconds(3600))
    try vault.set(credential("ann", "1", persistence), for: space())
    clock.pass(.seconds(1800))
    let kept = try vault.findUnique(ItemQuery(space()), withSecrets: true)
    #expect(try vault.modify(kept, [.comment("c")]).item.keptUntil == end)
    #expect(try vault.modify(kept, [.secret(Secret("1"))]).item.keptUntil == end)
    #expect(
      try vault.modify(kept, [.secret(Secret("2"))]).item.keptUntil
        == end.adding(.seconds(1800)))
    clock.pass(.seconds(2000))
    #expect(try vault.known(space()) == [CredentialValues("ann", "2", persistence)])
  }

  @Test(
    "expired secrets are not handed out, and what expired is still listed",
    arguments: [Persistence.session, .permanent])
  func secret(_ persistence: Persistence) throws {
    try vault.set(credential("ann", "1", persistence), for: space())
    clock.pass(.seconds(4000))
    let found = try #require(vault.findAll(ItemQuery(), withSecrets: true).first)
    #expect(found.account == "ann" && found.secret == nil && found.isExpired(at: clock.now))
    if persistence == .permanent {
      let within = try vault.write { (transaction) throws(VaultError) in
        try transaction.findAll(ItemQuery(), withSecrets: true)
      }
      #expect(within.first?.account == "ann" && within.first?.secret == nil)
    }
    #expect(try vault.maintenance.expired().map(\.account) == ["ann"])
  }

  @Test("a valid credential is found beside an expired one")
  func beside() throws {
    try vault.set(credential("ann", "1"), for: space())
    clock.pass(.seconds(4000))
    try vault.set(credential("bob", "2"), for: space())
    #expect(try vault.known(space()) == [CredentialValues("bob", "2")])
    #expect(try vault.findUnique(ItemQuery(space()), withSecrets: true).account == "bob")
  }

  @Test("an expired entry of the session hides nothing")
  func hidden() throws {
    try vault.set(credential("ann", "session", .session), for: space())
    clock.pass(.seconds(3000))
    try vault.set(credential("ann", "file"), for: space())
    clock.pass(.seconds(1000))
    #expect(try vault.known(space()) == [CredentialValues("ann", "file")])
    #expect(try vault.findUnique(ItemQuery(space()), withSecrets: true).persistence == .permanent)
  }

  @Test("a copy that hides an item has a secret as old as it was")
  func shadow() throws {
    try vault.set(credential("ann", "1"), for: space())
    let end = clock.now.adding(.seconds(3600))
    var rule = PersistencePolicy.Rule(name: "session")
    rule.maximumPersistence = .session
    rule.lifetime = .seconds(3600)
    try vault.policy.update { [rule] in $0 = [rule] }
    clock.pass(.seconds(2000))
    var kept = try vault.findUnique(ItemQuery(space()), withSecrets: true)
    for comment in ["a", "b"] {
      kept = try vault.modify(kept, [.comment(comment)]).item
      #expect(kept.persistence == .session && kept.keptUntil == end)
    }
  }

  @Test("a new secret for an expired item is found, in its place")
  func replaced() throws {
    try vault.set(credential("ann", "1"), for: space())
    clock.pass(.seconds(4000))
    try vault.set(credential("ann", "2"), for: space())
    #expect(try vault.known(space()) == [CredentialValues("ann", "2")])
    #expect(try vault.findAll(ItemQuery()).count == 1)
  }

  @Test("a clock that is set back revives nothing that had expired by the last commit")
  func clockSetBack() throws {
    try vault.set(credential("ann", "1"), for: space())
    clock.pass(.seconds(4000))
    try vault.set(credential("bob", "2"), for: space("other.example"))
    clock.set(by: .seconds(-4000))
    expect(.expired) { _ = try vault.credentials(for: space()) }
    let again = try reopened()
    expect(.expired) { _ = try again.credentials(for: space()) }
    // A secret that is stored now is not kept for longer than allowed either.
    let stored = try again.set(credential("eve", "3"), for: space("third.example"))
    #expect(stored.item.keptUntil == clock.now.adding(.seconds(4000 + 3600)))
    #expect(try again.maintenance.expired().map(\.account) == ["ann"])
  }

  @Test("the session's times do not follow the clock of the day")
  func sessionClock() throws {
    try vault.set(credential("ann", "1", .session), for: space())
    clock.set(by: .seconds(1_000_000))
    #expect(try vault.known(space()) == [CredentialValues("ann", "1", .session)])
    clock.set(by: .seconds(-2_000_000))
    clock.pass(.seconds(3600))
    expect(.expired) { _ = try vault.credentials(for: space()) }
  }

  @Test("a move keeps the age of the secret")
  func move() throws {
    try vault.set(credential("ann", "1", .session), for: space())
    clock.pass(.seconds(1000))
    try vault.move(user: "ann", for: space(), to: .permanent)
    var item = try vault.findUnique(ItemQuery(space()), withSecrets: true)
    #expect(item.secretChanged == clock.now.adding(.seconds(-1000)))
    #expect(item.keptUntil == clock.now.adding(.seconds(2600)) && item.persistence == .permanent)
    clock.pass(.seconds(1000))
    try vault.move(user: "ann", for: space(), to: .session)
    item = try vault.findUnique(ItemQuery(space()), withSecrets: true)
    #expect(item.keptUntil == clock.now.adding(.seconds(1600)) && item.persistence == .session)
    clock.pass(.seconds(1600))
    expect(.expired) { _ = try vault.credentials(for: space()) }
  }

  @Test("a copy keeps the age of the secret, and so the end that a rule sets")
  func copies() throws {
    try vault.set(credential("ann", "1"), for: space())
    clock.pass(.seconds(1000))
    var copy = try vault.itemToCopy(vault.findUnique(ItemQuery(space())))
    copy.account = "bob"
    let added = try vault.addCopy(of: copy).item
    #expect(added.secretChanged == clock.now.adding(.seconds(-1000)))
    #expect(added.keptUntil == clock.now.adding(.seconds(2600)))
  }

  @Test("a purge removes what has expired, by its own time too, and nothing else")
  func purge() throws {
    try vault.set(credential("ann", "1"), for: space())
    try vault.set(credential("bob", "2", .session), for: space())
    clock.pass(.seconds(3000))
    try vault.set(credential("eve", "3"), for: space())
    var own = try item("own", "4")
    own.expires = clock.now.adding(.seconds(500))
    try vault.add(own)
    clock.pass(.seconds(700))
    let generation = try vault.generation()
    #expect(Set(try vault.maintenance.purge().map(\.account)) == ["ann", "bob", "own"])
    #expect(try vault.generation() == generation + 1)
    #expect(try vault.findAll(ItemQuery()).map(\.account) == ["eve"])
    #expect(try vault.maintenance.purge().isEmpty && vault.generation() == generation + 1)
  }

  @Test("lookups write nothing, expired or not")
  func readOnly() throws {
    try vault.set(credential("ann", "1"), for: space())
    clock.pass(.seconds(4000))
    let generation = try vault.generation()
    expect(.expired) { _ = try vault.credentials(for: space()) }
    _ = try vault.findAll(ItemQuery(), withSecrets: true)
    #expect(try vault.generation() == generation)
    #expect(try vault.findAll(ItemQuery()).count == 1)
  }
}
