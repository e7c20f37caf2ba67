import CredentialVault
import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel

/// The Swift of `Documentation/networking.md`, where each function's body is the same as here.
@Suite struct NetworkingExampleTests {
  /// Somebody's HTTP client.
  struct Client {
    let server: MemoryServer

    func send(
      _ request: RequestHead, adding fields: [AuthorizationField]
    ) async throws -> (ResponseHead, String) {
      (server.answer(request, fields), "page")
    }
  }

  func get(_ vault: Vault, _ prompt: any CredentialPrompt, _ client: Client) async throws -> String?
  {
    let authenticator = Authenticator(vault: vault, prompt: prompt)
    let request = RequestHead(url: try RequestURL("https://git.example.com/team/page"))
    let (page, outcome) = try await authenticator.send(request) { fields in
      // The client's own: it adds these fields to the request, and follows no redirect.
      try await client.send(request, adding: fields)
    }
    return outcome.reason == .done ? page : nil
  }

  func drive(
    _ authenticator: Authenticator, _ request: RequestHead, _ client: Client
  ) async throws -> (String, Outcome) {
    var exchange = try await authenticator.exchange(for: request)
    var fields = exchange.fields
    while true {
      let (response, page) = try await client.send(request, adding: fields)
      switch try await exchange.next(after: response) {
      case .send(let next): fields = next
      case .finish(let outcome): return (page, outcome)
      }
    }
  }

  func answer(
    _ response: ResponseHead, _ request: RequestHead, _ credential: Credential, _ client: Client
  ) async throws -> ChallengeResponder.Verdict {
    let responder = try ChallengeResponder(response, to: request)
    let field = try responder.field(for: credential, of: request)
    let (second, _) = try await client.send(request, adding: [field])
    return try responder.judge(second, to: field, of: request)
  }

  @Test("the page's authenticator finds the credential in the vault")
  func authenticator() async throws {
    let fixture = try Fixture()
    let space = try ProtectionSpace(host: "git.example.com", realm: "Team")
    try await fixture.vault.set(
      Credential(user: "ann", secret: Secret("right"), persistence: .permanent), for: space)
    let client = Client(server: MemoryServer())
    #expect(try await get(fixture.vault, NoPrompt(), client) == "page")
    #expect(client.server.statuses == [401, 200])
  }

  @Test("the page's exchange is driven by the client")
  func exchange() async throws {
    let fixture = try Fixture()
    try fixture.store()
    let client = Client(server: MemoryServer())
    let authenticator = Authenticator(vault: fixture.vault)
    let (page, outcome) = try await drive(authenticator, .get("https://h/x"), client)
    #expect(page == "page" && outcome.reason == .done)
  }

  @Test("the page's authentication answers without a vault")
  func responder() async throws {
    let client = Client(server: MemoryServer())
    let request = try RequestHead.get("https://h/x")
    let response = client.server.answer(request, [])
    #expect(try await answer(response, request, .of("ann"), client) == .accepted)
    #expect(try await answer(response, request, .of("ann", "wrong"), client) == .rejected)
  }
}
