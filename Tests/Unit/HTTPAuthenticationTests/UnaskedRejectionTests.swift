import CredentialVault
import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel

/// Rejection of credentials that were sent before a challenge.
@Suite struct UnaskedRejectionTests {
  /// Adds a pending answer beside ann's stored credential, like another request that is not
  /// finished yet.
  private func wait(_ fixture: Fixture, realm: String = "Team") throws {
    _ = try fixture.vault.pending.set(
      Credential(user: "ann", secret: Secret("wrong"), persistence: .permanent),
      for: ProtectionSpace(host: "h", realm: realm, authenticationMethod: .basic))
  }

  @Test("a success that does not last is forgotten: the next request begins without a field")
  func forgotten() async throws {
    let fixture = try Fixture()
    try fixture.store()
    let authenticator = Authenticator(vault: fixture.vault)
    let server = MemoryServer()
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(try authenticator.exchange("https://h/x").fields.count == 1)
    server.setPassword("new", of: "ann")
    #expect(try await authenticator.get("https://h/x", from: server).1.reason == .rejected)
    #expect(server.statuses == [401, 200, 401])
    #expect(try authenticator.exchange("https://h/x").fields.isEmpty)
  }

  @Test("one page rejects it and another accepts it, both unasked: the success is forgotten")
  func rejectedOnce() async throws {
    let fixture = try Fixture()
    try fixture.store()
    let authenticator = Authenticator(vault: fixture.vault)
    #expect(try await authenticator.get("https://h/x", from: MemoryServer()).status == 200)
    var one = try authenticator.exchange("https://h/page")
    var two = try authenticator.exchange("https://h/admin")
    #expect(one.fields.count == 1 && two.fields.count == 1)
    let challenge = ResponseHead.challenge("Basic realm=\"Team\"")
    #expect(try await two.next(after: challenge).reason == .rejected)
    #expect(try await one.next(after: .status(200)).reason == .done)
    #expect(try authenticator.exchange("https://h/page").fields.isEmpty)
  }

  @Test("a waiting answer that was sent after a success is dropped, and what it hid is sent")
  func waitingAfterSuccess() async throws {
    let fixture = try Fixture()
    try fixture.store()
    let authenticator = Authenticator(vault: fixture.vault)
    let server = MemoryServer()
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    try wait(fixture)
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(server.statuses == [401, 200, 401, 200])
    let items = try fixture.items()
    #expect(items.map(\.persistence) == [.permanent] && items.allSatisfy { $0.has("right") })
  }

  @Test("a waiting answer that was sent without any success is dropped, and what it hid is sent")
  func waitingAlways() async throws {
    let fixture = try Fixture()
    try fixture.store()
    try wait(fixture)
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .always))
    let server = MemoryServer()
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(server.log.map(\.hasField) == [true, true])
    let items = try fixture.items()
    #expect(items.map(\.persistence) == [.permanent] && items.allSatisfy { $0.has("right") })
  }

  @Test("a waiting answer for no realm that was sent unasked is dropped by any realm's challenge")
  func waitingWithoutRealm() async throws {
    let fixture = try Fixture()
    try wait(fixture, realm: "")
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .always))
    let server = MemoryServer()
    let (_, outcome) = try await authenticator.get("https://h/x", from: server)
    #expect(outcome.reason == .rejected)
    #expect(server.log.map(\.hasField) == [true])
    #expect(try fixture.items().isEmpty)
  }
}
