import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// The choice among the offered schemes.
@Suite struct SchemeTests {
  private func store(
    _ fixture: Fixture, _ url: String, _ password: String, _ method: AuthenticationMethod
  ) throws {
    try fixture.vault.set(
      Credential(user: "ann", secret: Secret(password), persistence: .permanent),
      for: ProtectionSpace(url: url, realm: "Team", authenticationMethod: method))
  }

  @Test("of Digest and Basic, Digest is answered, in whichever order they come")
  func strongest() async throws {
    for offers: [AuthenticationMethod] in [[.digest, .basic], [.basic, .digest]] {
      let fixture = try Fixture()
      try store(fixture, "http://h/", "right", .default)
      let server = MemoryServer(offers: offers)
      let authenticator = Authenticator(vault: fixture.vault)
      #expect(try await authenticator.get("http://h/x", from: server).status == 200)
      #expect(server.schemes == [nil, "digest"])
    }
  }

  @Test("the scheme that there is a credential for is answered before anybody is asked")
  func withCredential() async throws {
    let fixture = try Fixture()
    try store(fixture, "https://h/", "right", .basic)
    let prompt = ScriptedPrompt()
    let server = MemoryServer(offers: [.digest, .basic])
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(server.schemes == [nil, "basic"])
    #expect(prompt.questions.isEmpty)
  }

  @Test("Digest refused, no password goes out as Basic in clear, not even what is stored for Basic")
  func noDowngrade() async throws {
    let fixture = try Fixture()
    try store(fixture, "http://h/", "wrong", .digest)
    try store(fixture, "http://h/", "right", .basic)
    let server = MemoryServer(offers: [.digest, .basic])
    let (status, outcome) = try await Authenticator(vault: fixture.vault)
      .get("http://h/x", from: server)
    #expect(status == 401)
    #expect(outcome.reason == .rejected)
    #expect(server.schemes == [nil, "digest"])
  }

  @Test("Digest refused, and then only Basic is offered in clear: the password stays here")
  func strippedOffer() async throws {
    let fixture = try Fixture()
    try store(fixture, "http://h/", "wrong", .digest)
    try store(fixture, "http://h/", "right", .basic)
    let server = MemoryServer(offers: [.digest])
    let request = try RequestHead(url: RequestURL("http://h/x"))
    let prompt = ScriptedPrompt(.use("ann", "right"))
    var exchange = try await Authenticator(vault: fixture.vault, prompt: prompt).exchange(
      for: request)
    guard case .send(let fields) = try await exchange.next(after: server.answer(request, []))
    else { return #expect(Bool(false), "nothing to send") }
    server.setOffers([.basic])
    guard case .finish(let outcome) = try await exchange.next(after: server.answer(request, fields))
    else { return #expect(Bool(false), "no end") }
    #expect(outcome.reason == .downgraded)
    #expect(prompt.questions.isEmpty)
  }

  @Test("over TLS Basic is tried after Digest, as it tells nobody else")
  func downOverTLS() async throws {
    let fixture = try Fixture()
    try store(fixture, "https://h/", "wrong", .digest)
    try store(fixture, "https://h/", "right", .basic)
    let server = MemoryServer(offers: [.digest, .basic])
    #expect(
      try await Authenticator(vault: fixture.vault).get("https://h/x", from: server).status == 200)
    #expect(server.schemes == [nil, "digest", "basic"])
  }

  @Test("a scheme that the prompt declines is left out, and the next is asked for")
  func declined() async throws {
    let prompt = ScriptedPrompt(.declineScheme, .use("ann", "right", .session))
    let server = MemoryServer(offers: [.digest, .basic])
    let authenticator = Authenticator(vault: .inMemory(), prompt: prompt)
    #expect(try await authenticator.get("http://h/x", from: server).status == 200)
    #expect(prompt.questions.map(\.space.authenticationMethod) == [.digest, .basic])
    #expect(prompt.questions.map(\.travelsInClear) == [false, true])
    #expect(server.schemes == [nil, "basic"])

    let refusing = Authenticator(
      vault: .inMemory(), prompt: ScriptedPrompt { _ in .declineScheme })
    let (_, outcome) = try await refusing.get("http://h/x", from: server)
    #expect(outcome.reason == .noCredential)
  }

  @Test("a stale nonce is made good without a question, and one that never ends is given up")
  func stale() async throws {
    let fixture = try Fixture()
    try store(fixture, "http://h/", "right", .digest)
    let prompt = ScriptedPrompt()
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    let server = MemoryServer(offers: [.digest])
    #expect(try await authenticator.get("http://h/x", from: server).status == 200)
    #expect(try await authenticator.get("http://h/y", from: server).status == 200)
    server.renewNonce()
    #expect(try await authenticator.get("http://h/z", from: server).status == 200)
    #expect(server.statuses == [401, 200, 200, 401, 200])
    server.callEverythingStale()
    let (status, outcome) = try await authenticator.get("http://h/z", from: server)
    #expect(status == 401)
    #expect(outcome.reason == .refused)
    #expect(prompt.questions.isEmpty)
    #expect(try fixture.items().count == 1)
  }

  @Test("what Basic cannot carry is passed over, or asked for again")
  func unsendable() async throws {
    let fixture = try Fixture()
    try fixture.store("a:b", "right")
    let prompt = ScriptedPrompt(.use("c:d", "right"), .use("ann", "right"))
    let server = MemoryServer()
    let (status, _) = try await Authenticator(vault: fixture.vault, prompt: prompt)
      .get("https://h/x", from: server)
    #expect(status == 200)
    #expect(server.statuses == [401, 200])
    #expect(Set(try fixture.items().map(\.account)) == ["a:b", "ann"])
  }

  @Test("schemes that are not answered here are named")
  func unsupported() async throws {
    let request = try RequestHead(url: RequestURL("https://h/x"))
    var exchange = try await Authenticator(vault: .inMemory()).exchange(for: request)
    let step = try await exchange.next(
      after: ResponseHead(
        status: 401, fields: [.init("WWW-Authenticate", "Negotiate, NTLM, HOBA realm=\"r\"")]))
    guard case .finish(let outcome) = step else { return #expect(Bool(false), "no end") }
    let hoba = try AuthenticationMethod("hoba")
    #expect(outcome.reason == .unsupported([.negotiate, .ntlm, hoba]))
  }

  @Test("a 401 without a readable challenge is the caller's", arguments: [[], ["Basic x"], ["\""]])
  func unreadable(_ challenges: [String]) async throws {
    let request = try RequestHead(url: RequestURL("https://h/x"))
    var exchange = try await Authenticator(vault: .inMemory()).exchange(for: request)
    let step = try await exchange.next(
      after: ResponseHead(status: 401, fields: challenges.map { .init("www-authenticate", $0) }))
    guard case .finish(let outcome) = step else { return #expect(Bool(false), "no end") }
    #expect(outcome.reason == .unsupported([]))
  }
}
