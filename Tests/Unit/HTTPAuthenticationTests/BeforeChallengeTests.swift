import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// Credentials sent without a challenge, and the cases in which none is ever sent.
@Suite struct BeforeChallengeTests {
  private func fields(
    _ authenticator: Authenticator, _ url: String
  ) throws -> Int {
    try authenticator.exchange(for: RequestHead(url: RequestURL(url))).fields.count
  }

  @Test("after a success its paths are sent the credential unasked, and no others")
  func afterSuccess() async throws {
    let fixture = try Fixture()
    try fixture.store()
    let authenticator = Authenticator(vault: fixture.vault)
    #expect(try fields(authenticator, "https://h/docs/a") == 0)
    try await authenticator.get("https://h/docs/a", from: MemoryServer())
    #expect(try fields(authenticator, "https://h/docs/b/c?q") == 1)
    #expect(try fields(authenticator, "https://h/docs/") == 1)
    for url in [
      "https://h/docsx", "https://h/other", "https://h/", "http://h/docs/a",
      "https://h:8443/docs/a",
      "https://h.evil/docs/a", "https://sub.h/docs/a", "https://h/docs/../x",
    ] {
      #expect(try fields(authenticator, url) == 0, "\(url)")
    }
  }

  @Test("paths of the same space add up")
  func paths() async throws {
    let fixture = try Fixture()
    try fixture.store()
    let authenticator = Authenticator(vault: fixture.vault)
    let server = MemoryServer()
    try await authenticator.get("https://h/a/1", from: server)
    try await authenticator.get("https://h/b/1", from: server)
    #expect(try fields(authenticator, "https://h/a/2") == 1)
    #expect(try fields(authenticator, "https://h/b/2") == 1)
    #expect(try fields(authenticator, "https://h/c/2") == 0)
  }

  @Test("never means never, and nothing unasked is what it begins with")
  func never() async throws {
    let fixture = try Fixture()
    try fixture.store()
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .never))
    let server = MemoryServer()
    try await authenticator.get("https://h/a", from: server)
    try await authenticator.get("https://h/a", from: server)
    #expect(server.statuses == [401, 200, 401, 200])
  }

  @Test("always goes over TLS and to this machine, and nowhere else")
  func always() async throws {
    let fixture = try Fixture()
    for url in ["https://h/", "http://h/", "http://127.0.0.1/"] {
      try await fixture.vault.set(
        Credential(user: "ann", secret: Secret("right"), persistence: .permanent),
        for: ProtectionSpace(url: url, realm: "Team", authenticationMethod: .basic))
    }
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .always))
    #expect(try fields(authenticator, "https://h/x") == 1)
    #expect(try fields(authenticator, "http://127.0.0.1/x") == 1)
    #expect(try fields(authenticator, "http://h/x") == 0)
    #expect(try fields(authenticator, "https://other/x") == 0)
    #expect(try fields(authenticator, "https://ann:pw@other/x") == 1)
    #expect(try fields(authenticator, "http://ann:pw@other/x") == 0)
    // A proxy that does not tunnel would read a credential meant for this machine.
    let proxied = try RequestHead(
      url: RequestURL("http://127.0.0.1/x"), proxy: Proxy(host: "proxy", port: 3128))
    #expect(try await authenticator.exchange(for: proxied).fields.isEmpty)
  }

  @Test("always, and several could be meant: nothing is sent")
  func alwaysAmbiguous() throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right")
    try fixture.store("bob", "also")
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .always))
    #expect(try fields(authenticator, "https://h/x") == 0)
    #expect(try fields(authenticator, "https://bob@h/x") == 1)
  }

  @Test("a wrong password that was sent unasked is not sent again for the realm's own name")
  func alwaysWrong() async throws {
    let server = MemoryServer()
    let authenticator = Authenticator(vault: .inMemory(), settings: .init(beforeChallenge: .always))
    let (status, _) = try await authenticator.get("https://ann:wrong@h/x", from: server)
    #expect(status == 401)
    #expect(server.statuses == [401])
  }

  @Test("the credential is the vault's of now: changed, removed and locked away at once")
  func lookedUpEachTime() async throws {
    let fixture = try Fixture()
    let item = try fixture.store()
    let server = MemoryServer()
    let authenticator = Authenticator(vault: fixture.vault)
    try await authenticator.get("https://h/x", from: server)
    try fixture.store("ann", "newer")
    server.setPassword("newer", of: "ann")
    try await authenticator.get("https://h/x", from: server)
    #expect(server.statuses == [401, 200, 200])
    try await fixture.vault.lock()
    #expect(try fields(authenticator, "https://h/x") == 0)
    try await fixture.vault.unlock(with: fixture.key)
    #expect(try fields(authenticator, "https://h/x") == 1)
    try await fixture.vault.remove(item)
    #expect(try fields(authenticator, "https://h/x") == 0)
  }

  @Test("a redirect to another origin takes nothing along, and brings nothing back")
  func redirect() throws {
    var request = try RequestHead(url: RequestURL("https://ann:pw@h/x"))
    request.user = "ann"
    let authenticator = Authenticator(vault: .inMemory(), settings: .init(beforeChallenge: .always))
    let first = try authenticator.exchange(for: request)
    #expect(first.fields.count == 1)
    #expect(try first.redirected(to: RequestURL("https://h/y")).fields.count == 1)
    for url in ["http://h/y", "https://other/y", "https://h:444/y", "https://eve:pw@other/"] {
      let target = try first.redirected(to: RequestURL(url))
      #expect(target.fields.isEmpty, "\(url)")
      #expect(target.request.url.user == nil && target.request.user == nil)
      #expect(try target.redirected(to: RequestURL("https://h/y")).fields.isEmpty)
    }
  }

  @Test("a challenge from a space that is not expected is refused and reported")
  func unexpected() async throws {
    let fixture = try Fixture()
    try fixture.store()
    let prompt = ScriptedPrompt(.use("ann", "right"))
    let space = try ProtectionSpace(host: "h", realm: "Other")
    let server = MemoryServer()
    let authenticator = Authenticator(
      vault: fixture.vault, prompt: prompt, settings: .init(expected: [.space(space)]))
    let (status, outcome) = try await authenticator.get("https://h/x", from: server)
    #expect(status == 401)
    let challenged = try ProtectionSpace(host: "h", realm: "Team", authenticationMethod: .basic)
    #expect(outcome.reason == .unexpected(challenged))
    #expect(prompt.questions.isEmpty)
    #expect(server.log.map(\.hasField) == [false])

    let server2 = MemoryServer()
    let expecting = Authenticator(
      vault: fixture.vault,
      settings: .init(expected: [.server(host: challenged.host, port: 443, protocol: .https)]))
    #expect(try await expecting.get("https://h/x", from: server2).status == 200)
  }
}
