import CredentialVault
import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel

/// Requests that need nothing from a vault whose thread is at work.
@Suite("A vault at work", .timeLimit(.minutes(5))) struct HeldVaultTests {
  /// A policy, and a URL for which it lets nothing be looked up.
  static let requests: [(policy: BeforeChallenge, url: String)] = [
    (.never, "https://h/docs/b"), (.afterSuccess, "https://h/elsewhere"),
    (.afterSuccess, "https://bob@h/docs/b"), (.afterSuccess, "https://public/"),
    (.always, "http://public/"),
  ]

  @Test("holds up no request that nothing is looked up for", arguments: requests)
  func nothing(_ row: (policy: BeforeChallenge, url: String)) async throws {
    let fixture = try Fixture()
    try fixture.store()
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: row.policy))
    #expect(try await authenticator.get("https://h/docs/a", from: MemoryServer()).status == 200)
    try await fixture.vault.whileHeld {
      var exchange = try await authenticator.exchange(for: .get(row.url))
      #expect(exchange.fields.isEmpty)
      #expect(try await exchange.next(after: .status(200)).reason == .done)
      let next = try await exchange.redirected(to: RequestURL(row.url))
      #expect(next.fields.isEmpty)
    }
  }
}
