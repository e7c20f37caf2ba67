import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// The credential that is sent preemptively after a success, and the cases in which none is.
@Suite struct AfterSuccessTests {
  private let server = MemoryServer(users: ["ann": "right", "bob": "also"])

  /// Returns the number of fields that a request begins with.
  private func count(_ authenticator: Authenticator, _ url: String) throws -> Int {
    try authenticator.exchange(for: .get(url)).fields.count
  }

  private func both() throws -> Fixture {
    let fixture = try Fixture()
    try fixture.store()
    try fixture.store("bob", "also")
    return fixture
  }

  /// Logs in as a user whom the request does not name.
  private func logIn(
    _ user: String, _ url: String, _ vault: Vault, _ authenticator: Authenticator
  ) async throws {
    let space = try ProtectionSpace(host: "h", realm: "Team", authenticationMethod: .basic)
    try vault.setDefaultUser(user, for: space)
    try await authenticator.get(url, from: server)
    try vault.setDefaultUser(nil, for: space)
  }

  @Test("one user's success is no reason to send anything for another who is meant")
  func account() async throws {
    let fixture = try both()
    let authenticator = Authenticator(vault: fixture.vault)
    try await logIn("ann", "https://h/x", fixture.vault, authenticator)
    #expect(try count(authenticator, "https://h/x") == 1)
    #expect(try count(authenticator, "https://ann@h/x") == 1)
    #expect(try count(authenticator, "https://bob@h/x") == 0)
    // The user in the URL is the one who is meant, also if the URL has a password.
    #expect(try count(authenticator, "https://bob:also@h/x") == 0)
    var request = try RequestHead.get("https://h/x")
    request.user = "bob"
    #expect(try await authenticator.exchange(for: request).fields.isEmpty)
  }

  @Test("where two users' paths are nested, each request goes as the user of the deeper ones")
  func nested() async throws {
    let fixture = try both()
    let authenticator = Authenticator(vault: fixture.vault)
    try await logIn("bob", "https://h/a/b/x", fixture.vault, authenticator)
    try await logIn("ann", "https://h/a/x", fixture.vault, authenticator)
    try await authenticator.get("https://h/a/b/y", from: server)
    try await authenticator.get("https://h/a/y", from: server)
    #expect(server.log.map(\.user) == [nil, "bob", nil, "ann", "bob", "ann"])
  }

  @Test("what is stored without a realm is sent unasked to the realm that accepted it")
  func withoutRealm() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right", realm: "")
    let authenticator = Authenticator(vault: fixture.vault)
    try await authenticator.get("https://h/x", from: server)
    try await authenticator.get("https://h/x", from: server)
    #expect(server.statuses == [401, 200, 200])
  }

  @Test("the caller's own password is sent unasked in place of the stored one")
  func own() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right")
    let authenticator = Authenticator(vault: fixture.vault)
    try await authenticator.get("https://h/x", from: server)
    let fields = try await authenticator.exchange(for: .get("https://ann:given@h/x")).fields
    let given = try BasicResponse.value(.of("ann", "given"))
    #expect(fields.count == 1 && fields[0].value.isEqual(to: given))
  }

  @Test("the user of the request's credential is meant, whoever stands in its URL")
  func credentialBesideURL() async throws {
    var request = try RequestHead.get("https://bob@h/x")
    request.credential = .of("ann")
    let fixture = try both()
    let authenticator = Authenticator(vault: fixture.vault)
    #expect(try await authenticator.get(request, from: server).status == 200)
    #expect(server.log.map(\.user) == [nil, "ann"])
  }

  @Test("a challenge that ends in an error of the server adds no folder")
  func noFolder() async throws {
    let fixture = try Fixture()
    try fixture.store()
    let authenticator = Authenticator(vault: fixture.vault)
    try await authenticator.get("https://h/docs/a", from: server)
    var exchange = try await authenticator.exchange(for: .get("https://h/~eve/x"))
    #expect(exchange.fields.isEmpty)
    let step = try await exchange.next(after: .challenge("Basic realm=\"Team\""))
    guard case .send(let fields) = step else { return #expect(Bool(false), "nothing to send") }
    #expect(fields.count == 1)
    #expect(try count(authenticator, "https://h/~eve/y") == 0)
    _ = try await exchange.next(after: .status(500))
    #expect(try count(authenticator, "https://h/~eve/y") == 0)
    #expect(try count(authenticator, "https://h/docs/b") == 1)
    // Only acceptance adds one.
    try await authenticator.get("https://h/~eve/x", from: server)
    #expect(try count(authenticator, "https://h/~eve/y") == 1)
  }

  @Test("a 200 to what was sent unasked confirms no answer: the page may be open to all")
  func confirmsNothing() async throws {
    let fixture = try Fixture()
    let item = try fixture.store()
    let authenticator = Authenticator(
      vault: fixture.vault, prompt: ScriptedPrompt(.use("ann", "mistyped")))
    let challenge = ResponseHead.challenge("Basic realm=\"Team\"")
    var slow = try await authenticator.exchange(for: .get("https://h/x"))
    _ = try await slow.next(after: challenge)
    // Meanwhile the stored one is refused elsewhere, and the answer's validity is unknown.
    var asked = try await authenticator.exchange(for: .get("https://h/y"))
    for response in [challenge, challenge, .status(503)] {
      _ = try await asked.next(after: response)
    }
    _ = try await slow.next(after: .status(200))
    var open = try await authenticator.exchange(for: .get("https://h/open"))
    let mistyped = try BasicResponse.value(.of("ann", "mistyped"))
    #expect(open.fields.count == 1 && open.fields[0].value.isEqual(to: mistyped))
    _ = try await open.next(after: .status(200))
    #expect(try fixture.items().contains { $0.persistence == .session })
    #expect(try fixture.vault.history.entries(of: item).isEmpty)
  }
}
