import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// The options of one request: keeping its credential, and its switches.
@Suite struct RequestOptionsTests {
  private func request(
    _ url: String = "https://h/x", credential: Credential? = nil,
    _ change: (inout RequestOptions) -> Void = { _ in }
  ) throws -> RequestHead {
    var request = try RequestHead(url: RequestURL(url))
    request.credential = credential
    change(&request.options)
    return request
  }

  private func ann(_ persistence: Persistence, _ password: String = "right") -> Credential {
    Credential(user: "ann", secret: Secret(password), persistence: persistence)
  }

  /// Returns how the fixture's items are stored.
  private func stored(_ fixture: Fixture) throws -> [Persistence] {
    try fixture.items().map(\.persistence)
  }

  @Test(
    "a credential on the request is stored as it asks once it was accepted, and the next uses it",
    arguments: [Persistence.session, .permanent], [AuthenticationMethod.basic, .digest])
  func kept(_ persistence: Persistence, _ method: AuthenticationMethod) async throws {
    let fixture = try Fixture()
    let server = MemoryServer(offers: [method])
    let authenticator = Authenticator(vault: fixture.vault)
    let refused = try request(credential: ann(persistence, "wrong"))
    #expect(try await authenticator.get(refused, from: server).status == 401)
    #expect(try stored(fixture) == [])
    let own = try request(credential: ann(persistence))
    let (_, outcome) = try await authenticator.get(own, from: server)
    #expect(outcome.reason == .done && outcome.storageError == nil)
    #expect(try stored(fixture) == [persistence])
    let item = try #require(try fixture.items().first)
    #expect(item.has("right"))
    // With it stored, it is sent before a challenge, and written no more. A request that names no
    // user is challenged: it did not become that user.
    #expect(try await authenticator.get(own, from: server).status == 200)
    #expect(try await authenticator.get(request(), from: server).status == 200)
    #expect(server.statuses.suffix(3) == [200, 401, 200])
    #expect(try fixture.items().map(\.revision) == [item.revision])
  }

  @Test(
    "what is to be kept is challenged first, however much may be sent before",
    arguments: [
      BeforeChallenge.afterSuccess, .always,
    ])
  func proven(_ beforeChallenge: BeforeChallenge) async throws {
    let fixture = try Fixture()
    let server = MemoryServer()
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: beforeChallenge))
    // A success of the same credential that was to be forgotten.
    _ = try await authenticator.get(request(credential: ann(.none)), from: server)
    #expect(try stored(fixture) == [])
    _ = try await authenticator.get(request(credential: ann(.permanent)), from: server)
    #expect(try stored(fixture) == [.permanent])
  }

  @Test("the policy lowers it or refuses it, which the outcome tells; a locked vault, too")
  func policy() async throws {
    let fixture = try Fixture()
    let server = MemoryServer()
    var rule = PersistencePolicy.Rule(name: "rule")
    rule.maximumPersistence = .session
    try fixture.vault.policy.update { [rule] in $0 = [rule] }
    var authenticator = Authenticator(vault: fixture.vault)
    _ = try await authenticator.get(request(credential: ann(.permanent)), from: server)
    #expect(try stored(fixture) == [.session])
    try fixture.vault.removeAll(.session)
    rule.maximumPersistence = .permanent
    rule.refuse = true
    try fixture.vault.policy.update { [rule] in $0 = [rule] }
    authenticator = Authenticator(vault: fixture.vault)
    let (status, refused) = try await authenticator.get(
      request(credential: ann(.permanent)), from: server)
    #expect(status == 200 && refused.storageError?.code == .policyRefused)
    try await fixture.vault.lock()
    authenticator = Authenticator(vault: fixture.vault)
    let (same, locked) = try await authenticator.get(
      request(credential: ann(.permanent)), from: server)
    #expect(same == 200 && locked.storageError?.code == .locked)
  }

  @Test("a password in a URL is kept only if that is asked for")
  func url() async throws {
    let fixture = try Fixture()
    let server = MemoryServer()
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .never))
    let url = "https://ann:right@h/x"
    _ = try await authenticator.get(request(url), from: server)
    #expect(try stored(fixture) == [])
    _ = try await authenticator.get(request(url) { $0.urlPersistence = .permanent }, from: server)
    #expect(try stored(fixture) == [.permanent])
  }

  @Test("what may be kept is limited for a request: of its own, and of the prompt's answer")
  func limited() async throws {
    let fixture = try Fixture()
    let server = MemoryServer()
    let authenticator = Authenticator(
      vault: fixture.vault, prompt: ScriptedPrompt { _ in .use("ann", "right") },
      settings: .init(beforeChallenge: .never))
    for own in [ann(.permanent), nil] {
      _ = try await authenticator.get(
        request(credential: own) { $0.storesPermanently = false }, from: server)
      #expect(try stored(fixture) == [.session])
      try fixture.vault.removeAll(.session)
      _ = try await authenticator.get(
        request(credential: own) {
          $0.storesPermanently = false
          $0.usesSession = false
        }, from: server)
      #expect(try stored(fixture) == [])
    }
  }

  @Test("without the session neither its items nor earlier successes are used or added to")
  func session() async throws {
    let fixture = try Fixture()
    let server = MemoryServer(users: ["ann": "right", "bob": "also"])
    let authenticator = Authenticator(vault: fixture.vault)
    try fixture.store("ann", "right", .session)
    let alone = try request { $0.usesSession = false }
    #expect(try await authenticator.get(alone, from: server).1.reason == .noCredential)
    try fixture.store("bob", "also")
    for _ in 1...2 { #expect(try await authenticator.get(alone, from: server).status == 200) }
    #expect(server.statuses == [401, 401, 200, 401, 200])
    #expect(server.log.compactMap(\.user) == ["bob", "bob"])
  }

  @Test("without the session a nonce is not counted with others', and their success is kept")
  func apart() async throws {
    let authenticator = Authenticator(vault: .inMemory())
    func challenge(_ nonce: String) -> ResponseHead {
      .challenge("Digest realm=\"Team\", nonce=\"\(nonce)\", qop=\"auth\"")
    }
    var shared = try await authenticator.exchange(for: request(credential: ann(.none)))
    #expect(try await shared.next(after: challenge("a")).fields?.first?.count == 1)
    #expect(try await shared.next(after: .status(200)).reason == .done)
    for nonce in ["a", "b"] {
      let alone = try request(credential: ann(.none, "wrong")) { $0.usesSession = false }
      var exchange = try await authenticator.exchange(for: alone)
      #expect(try await exchange.next(after: challenge(nonce)).fields?.first?.count == 1)
      #expect(try await exchange.next(after: challenge(nonce)).reason == .rejected)
    }
    let next = try await authenticator.exchange(for: request(credential: ann(.none))).fields.first
    #expect(next?.parameters["nonce"] == "a" && next?.count == 2)
  }

  @Test(
    "without the session what may be sent does not depend on what others had success with",
    arguments: zip([Persistence.permanent, .session], [Outcome.Reason.downgraded, .noCredential]))
  func unrelated(_ persistence: Persistence, _ end: Outcome.Reason) async throws {
    let fixture = try Fixture()
    try await fixture.vault.set(
      Credential(user: "ann", secret: Secret("right"), persistence: persistence),
      for: ProtectionSpace(url: "http://h/", realm: ""))
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .never))
    let basic = ResponseHead.challenge("Basic realm=\"Files\"")
    for challenge in [basic, .challenge("Digest realm=\"Team\", nonce=\"n\", qop=\"auth\"")] {
      var exchange = try authenticator.exchange("http://h/x")
      #expect(try await exchange.next(after: challenge).fields?.count == 1)
      #expect(try await exchange.next(after: .status(200)).reason == .done)
    }
    var alone = try await authenticator.exchange(
      for: request("http://h/x") { $0.usesSession = false })
    #expect(try await alone.next(after: basic).reason == end)
    var exchange = try authenticator.exchange("http://h/x")
    #expect(try await exchange.next(after: basic).schemes == [.basic])
  }

  @Test("without the session a stored credential is sent unasked as before the first success")
  func always() async throws {
    let fixture = try Fixture()
    try fixture.store()
    let server = MemoryServer()
    let authenticator = Authenticator(vault: fixture.vault)
    #expect(try await authenticator.get("https://h/a/x", from: server).status == 200)
    for usesSession in [true, false] {
      let other = try request("https://h/b/x") {
        $0.beforeChallenge = .always
        $0.usesSession = usesSession
      }
      #expect(try await authenticator.exchange(for: other).fields.isEmpty == usesSession)
    }
  }

  @Test("another request's pending answer is not kept by one that may not keep it, nor dropped")
  func othersPending() async throws {
    for password in ["right", "wrong"] {
      let fixture = try Fixture()
      let pending = try fixture.vault.pending.set(
        ann(.permanent, password), for: ProtectionSpace(host: "h", realm: "Team")
      ).pending
      let limited = try request { $0.storesPermanently = false }
      let authenticator = Authenticator(vault: fixture.vault)
      let status = try await authenticator.get(limited, from: MemoryServer()).status
      #expect(status == (password == "right" ? 200 : 401))
      let kept = try fixture.vault.pending.confirm(#require(pending))
      #expect(kept.item.persistence == .permanent)
    }
  }

  @Test("whether somebody may be asked is said by a request, and by the authenticator for all")
  func prompts() async throws {
    let fixture = try Fixture()
    let server = MemoryServer()
    let prompt = ScriptedPrompt(keys: [fixture.key]) { _ in .use("ann", "right", .none) }
    var options = RequestOptions()
    options.mayPrompt = false
    let authenticator = Authenticator(
      vault: fixture.vault, prompt: prompt,
      settings: .init(beforeChallenge: .never, promptBeforeVault: prompt, options: options))
    #expect(try await authenticator.get(request(), from: server).1.reason == .noCredential)
    try await fixture.vault.lock()
    await #expect(throws: VaultError.self) { try await authenticator.get(request(), from: server) }
    #expect(prompt.questions.isEmpty && prompt.unlocking.isEmpty)
    let asking = try request { $0.mayPrompt = true }
    #expect(try await authenticator.get(asking, from: server).status == 200)
    #expect(prompt.questions.count == 1)
  }

  @Test("a scheme that is not allowed is not used, asked or unasked")
  func schemes() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right", .permanent, .default)
    let server = MemoryServer(offers: [.basic, .digest])
    let authenticator = Authenticator(vault: fixture.vault)
    let basic = try request { $0.schemes = [.basic] }
    #expect(try await authenticator.get(basic, from: server).status == 200)
    #expect(server.log.compactMap(\.scheme) == ["basic"])
    let digest = try request { $0.schemes = [.digest] }
    #expect(try await authenticator.get(digest, from: server).status == 200)
    #expect(server.log.compactMap(\.scheme) == ["basic", "digest"])
    let none = try request { $0.schemes = [.bearer] }
    guard
      case .unsupported(let offered) = try await authenticator.get(none, from: server).1
        .reason
    else { return #expect(Bool(false)) }
    #expect(Set(offered) == [.basic, .digest])
  }

  @Test("what is sent before a challenge is said for each request")
  func before() async throws {
    let fixture = try Fixture()
    try fixture.store()
    let server = MemoryServer()
    let authenticator = Authenticator(vault: fixture.vault)
    _ = try await authenticator.get(request { $0.beforeChallenge = .always }, from: server)
    #expect(server.statuses == [200])
    _ = try await authenticator.get(request(), from: server)
    _ = try await authenticator.get(request { $0.beforeChallenge = .never }, from: server)
    #expect(server.statuses == [200, 401, 200, 401, 200])
  }
}
