import CredentialVault
import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel

/// Items that hold no password: negative ones, or private keys.
@Suite struct NoPasswordTests {
  static let changes: [ItemChange] = [.isNegative(true), .secretKind(.identity)]

  private func authenticator(
    _ vault: Vault, _ beforeChallenge: BeforeChallenge = .afterSuccess
  ) -> Authenticator {
    Authenticator(vault: vault, beforeChallenge: beforeChallenge)
  }

  @Test("they answer no challenge, and hide no password", arguments: changes.indices)
  func challenged(_ change: Int) async throws {
    let fixture = try Fixture()
    let item = try fixture.store("ann", "right", .permanent, .default)
    _ = try await fixture.vault.modify(item, [Self.changes[change]])
    let server = MemoryServer(users: ["ann": "right", "bob": "also"], offers: [.digest, .basic])
    let (_, outcome) = try await authenticator(fixture.vault).get("https://h/x", from: server)
    #expect(outcome.reason == .noCredential)
    #expect(server.log.map(\.hasField) == [false])
    try fixture.store("bob", "also")
    #expect(try await authenticator(fixture.vault).get("https://h/x", from: server).status == 200)
    #expect(server.log.last?.user == "bob")
  }

  @Test("they are not sent unasked", arguments: changes.indices)
  func unasked(_ change: Int) throws {
    let fixture = try Fixture()
    let item = try fixture.store()
    let authenticator = authenticator(fixture.vault, .always)
    #expect(try authenticator.exchange(for: .get("https://h/x")).fields.count == 1)
    _ = try fixture.vault.modify(item, [Self.changes[change]])
    #expect(try authenticator.exchange(for: .get("https://h/x")).fields.isEmpty)
  }

  @Test("they are not sent where their user had a success", arguments: changes.indices)
  func afterSuccess(_ change: Int) async throws {
    let fixture = try Fixture()
    let item = try fixture.store()
    let authenticator = authenticator(fixture.vault)
    try await authenticator.get("https://h/x", from: MemoryServer())
    #expect(try await authenticator.exchange(for: .get("https://h/x")).fields.count == 1)
    _ = try await fixture.vault.modify(item, [Self.changes[change]])
    #expect(try await authenticator.exchange(for: .get("https://h/x")).fields.isEmpty)
  }
}
