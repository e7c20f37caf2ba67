import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// Tokens, which answer Bearer.
@Suite struct BearerTests {
  @Test("a stored token answers Bearer, and goes unasked below the paths that accepted it")
  func stored() async throws {
    let fixture = try Fixture()
    try fixture.storeToken("t.1")
    let server = TokenServer(["t.1": []])
    let authenticator = Authenticator(vault: fixture.vault)
    for path in ["a/x", "a/y", "a/b/z", "c"] {
      #expect(try await authenticator.get("https://h/\(path)", from: server).1.reason == .done)
    }
    #expect(server.log == [nil, "t.1", "t.1", "t.1", nil, "t.1"])
    try await fixture.vault.remove(
      user: "",
      for: ProtectionSpace(url: "https://h/", realm: "Team", authenticationMethod: .bearer))
    #expect(try await authenticator.get("https://h/a/x", from: server).1.reason == .noCredential)
    #expect(server.log.suffix(1) == [nil])
  }

  @Test("a token under the method default or without a realm is found, too; Docker's is not")
  func found() async throws {
    let fixture = try Fixture()
    let host = try HostName("h")
    let server = TokenServer(["t.1": []])
    var item = Item(
      server: host, account: "<token>", secret: Secret("identity"), protocol: .https,
      authenticationMethod: .bearer)
    item.secretKind = .token
    try await fixture.vault.add(item)
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .never))
    #expect(try await authenticator.get("https://h/", from: server).1.reason == .noCredential)
    item = Item(server: host, secret: Secret("t.1"), protocol: .https)
    item.secretKind = .token
    try await fixture.vault.add(item)
    #expect(try await authenticator.get("https://h/", from: server).1.reason == .done)
    #expect(server.log == [nil, nil, "t.1"])
  }

  @Test("Basic and Digest never send a token, wherever it is from, and Bearer no password")
  func kinds() async throws {
    let fixture = try Fixture()
    let host = try HostName("h")
    for method in [AuthenticationMethod.default, .basic, .digest, .bearer] {
      var item = Item(
        server: host, account: "ann", secret: Secret("right"), protocol: .https, realm: "Team",
        authenticationMethod: method)
      item.secretKind = .token
      try await fixture.vault.add(item)
    }
    let server = MemoryServer(offers: [.digest, .basic])
    for before in [BeforeChallenge.afterSuccess, .always] {
      let authenticator = Authenticator(
        vault: fixture.vault, settings: .init(beforeChallenge: before))
      #expect(try await authenticator.get("https://h/x", from: server).1.reason == .noCredential)
      var own = try RequestHead.get("https://h/x")
      own.credential = Credential(token: Secret("right"), user: "ann", persistence: .none)
      // Unasked it goes as a token, which is what it is.
      #expect(try await authenticator.get(own, from: server).status == 401)
    }
    #expect(server.log.allSatisfy { $0.user == nil && $0.scheme != "digest" })
    let prompt = ScriptedPrompt(
      .use(Credential(token: Secret("right"), user: "ann", persistence: .none)))
    _ = try await Authenticator(vault: .inMemory(), prompt: prompt).get("https://h/", from: server)
    #expect(server.log.last?.hasField == false)

    let other = try Fixture()
    try other.store("ann", "t.1", .permanent, .default)
    try other.store("ann", "t.1", .permanent, .basic)
    let tokens = TokenServer(["t.1": []])
    var request = try RequestHead.get("https://ann:t.1@h/")
    request.credential = .of("ann", "t.1")
    let outcome = try await Authenticator(vault: other.vault).get(request, from: tokens).1
    #expect(outcome.reason == .noCredential)
    #expect(tokens.log == [nil])
  }

  @Test(
    "a token goes to another machine encrypted only, unless a switch says otherwise",
    arguments: [
      ("http://h/", nil, false), ("http://localhost/", nil, true),
      ("http://127.0.0.1:8080/", nil, true),
      ("https://h/", nil, true), ("https://h/", "http://proxy:3128/", true),
      ("http://localhost/", "http://proxy:3128/", false),
      ("http://localhost/", "http://localhost:3128/", true),
    ] as [(String, String?, Bool)])
  func inClear(_ url: String, _ proxy: String?, _ isSent: Bool) async throws {
    let proxy = try proxy.map { Proxy(try RequestURL($0)) }
    for beforeChallenge in [BeforeChallenge.never, .always] {
      var request = try RequestHead.get(url, through: proxy)
      request.credential = Credential(token: Secret("t.1"), persistence: .none)
      request.options.beforeChallenge = beforeChallenge
      let server = TokenServer(["t.1": []])
      let authenticator = Authenticator(vault: .inMemory())
      let outcome = try await authenticator.get(request, from: server).1
      #expect(outcome.reason == (isSent ? .done : .downgraded))
      #expect(server.log.contains("t.1") == isSent)
      request.options.sendsTokensInClear = true
      #expect(try await authenticator.get(request, from: server).1.reason == .done)
    }
  }

  @Test("a refused token is kept, and the request's own comes before it")
  func refused() async throws {
    let fixture = try Fixture()
    try fixture.storeToken("old")
    let server = TokenServer(["new": []])
    let authenticator = Authenticator(vault: fixture.vault)
    #expect(try await authenticator.get("https://h/", from: server).1.reason == .rejected)
    #expect(try fixture.items().map { $0.has("old") } == [true])
    var request = try RequestHead.get("https://h/")
    request.credential = Credential(token: Secret("new"), persistence: .permanent)
    #expect(try await authenticator.get(request, from: server).1.reason == .done)
    #expect(try fixture.items().map { $0.has("new") && $0.secretKind == .token } == [true])
    #expect(server.log == [nil, "old", nil, "new"])
  }

  @Test(
    "a scope that a token lacks is told apart, and the token is not forgotten",
    arguments: [401, 403])
  func scope(_ status: Int) async throws {
    let fixture = try Fixture()
    try fixture.storeToken("t.1")
    let server = TokenServer(["t.1": ["read"]], lackingStatus: status) {
      $0.hasSuffix("admin") ? "write" : "read"
    }
    let authenticator = Authenticator(vault: fixture.vault)
    #expect(try await authenticator.get("https://h/page", from: server).1.reason == .done)
    let outcome = try await authenticator.get("https://h/admin", from: server).1
    #expect(outcome.reason == .insufficientScope)
    #expect(try await authenticator.get("https://h/page", from: server).1.reason == .done)
    #expect(server.log == [nil, "t.1", "t.1", "t.1"])
    #expect(server.statuses == [401, 200, status, 200])
  }

  @Test("a prompt is asked for a password first, and for a token where nothing else is offered")
  func prompt() async throws {
    for others in [[], ["Basic realm=\"Team\""]] {
      let prompt = ScriptedPrompt(.use("", "t.1", .none))
      let server = TokenServer(["t.1": []], others: others)
      let authenticator = Authenticator(vault: .inMemory(), prompt: prompt)
      let outcome = try await authenticator.get("https://h/", from: server).1
      #expect(outcome.reason == (others.isEmpty ? .done : .rejected))
      #expect(prompt.questions.first?.requiresToken == others.isEmpty)
      #expect(server.log.contains("t.1") == others.isEmpty)
    }
  }

  @Test(
    "a token is sent as it is, and only if it can be",
    arguments: [
      ("a.b-c_d~e+f/g==", true), ("1|laravel", true), ("", false), ("a b", false),
      ("a\r\nb", false),
      ("\u{E9}", false),
    ])
  func syntax(_ token: String, _ isSent: Bool) throws {
    let request = try RequestHead.get("https://h/")
    let responder = try ChallengeResponder(.challenge("Bearer"), to: request)
    let credential = Credential(token: Secret(token), persistence: .none)
    guard isSent else {
      #expect(throws: VaultError(.invalidArgument, "")) {
        try responder.field(for: credential, of: request)
      }
      #expect(responder.failure == .badPassword)
      return
    }
    let field = try responder.field(for: credential, of: request)
    #expect(field.value.isEqual(to: Secret("Bearer \(token)")))
  }
}
