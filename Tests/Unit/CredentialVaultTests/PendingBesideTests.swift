import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: what is pending beside what is stored")
struct PendingBesideTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  private func pending(
    _ secret: String, _ persistence: Persistence = .permanent
  ) throws -> PendingCredential {
    try #require(vault.pending.set(credential("ann", secret, persistence), for: space()).pending)
  }

  @Test(
    "an older one does not stand in the way when a newer one is confirmed",
    arguments: [
      Persistence.session, .permanent,
    ])
  func confirmed(persistence: Persistence) throws {
    let first = try pending("first", persistence)
    let second = try pending("second", persistence)
    let stored = try vault.pending.confirm(second)
    #expect(stored.item.persistence == persistence)
    // A credential that a server has yet to accept is tried first, as before.
    #expect(try vault.known(space()) == [CredentialValues("ann", "first", .session)])
    try vault.pending.reject(first)
    #expect(try vault.known(space()) == [CredentialValues("ann", "second", persistence)])
  }

  @Test("storing changes what is stored, and leaves what is pending")
  func stored() throws {
    try vault.set(credential("ann", "stored", .session), for: space())
    let attempt = try pending("new")
    try vault.set(credential("ann", "other", .session), for: space())
    #expect(try vault.known(space()) == [CredentialValues("ann", "new", .session)])
    try vault.pending.reject(attempt)
    #expect(try vault.known(space()) == [CredentialValues("ann", "other", .session)])
  }

  @Test(
    "moving moves what is stored, and leaves what is pending",
    arguments: [
      Persistence.session, .permanent,
    ])
  func moved(persistence: Persistence) throws {
    let other: Persistence = persistence == .session ? .permanent : .session
    try vault.set(credential("ann", "stored", persistence), for: space())
    let attempt = try pending("new")
    try vault.move(user: "ann", for: space(), to: other)
    #expect(try vault.known(space()) == [CredentialValues("ann", "new", .session)])
    try vault.pending.reject(attempt)
    #expect(try vault.known(space()) == [CredentialValues("ann", "stored", other)])
    expect(.itemNotFound) { try vault.move(user: "bob", for: space(), to: other) }
  }

  @Test("removing a user removes all that is pending, too")
  func removed() throws {
    try vault.set(credential("ann", "permanent"), for: space())
    try vault.set(credential("ann", "session", .session), for: space())
    let attempts = [try pending("first"), try pending("second")]
    try vault.remove(user: "ann", for: space())
    #expect(try vault.known(space()).isEmpty)
    for attempt in attempts { expect(.itemNotFound) { try vault.pending.reject(attempt) } }
  }

  @Test("a tighter policy is applied to what is stored, and asked again when a server accepts")
  func applied() throws {
    try vault.set(credential("ann", "stored", .session), for: space())
    let attempt = try pending("new")
    var rule = PersistencePolicy.Rule(name: "short")
    rule.lifetime = .seconds(3600)
    try vault.policy.update { [rule] in $0 = [rule] }
    #expect(try vault.policy.apply().count == 1)
    #expect(try vault.policy.excesses().isEmpty)
    let stored = try vault.pending.confirm(attempt)
    #expect(stored.item.keptUntil == stored.item.secretChanged.adding(.seconds(3600)))
  }
}
