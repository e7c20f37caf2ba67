import CredentialVault
import HTTPAuthentication
import SecureMemory
import TestSupport
import Testing
import VaultModel

/// A token service in memory, which keeps a log of its requests.
private final class TokenService: Sendable {
  private let state = Lock<[TokenRequest]>([])
  private let script: @Sendable (TokenRequest, _ number: Int) -> (status: Int, body: String)

  init(
    _ script: @escaping @Sendable (TokenRequest, _ number: Int) -> (status: Int, body: String) = {
      _, number in (200, #"{"token":"t.\#(number)","expires_in":300}"#)
    }
  ) {
    self.script = script
  }

  var requests: [TokenRequest] { state.withLock { $0 } }

  func send(_ request: TokenRequest) async throws(VaultError) -> TokenResponse {
    let number = state.withLock { requests in
      requests.append(request)
      return requests.count
    }
    await Task.yield()
    let (status, body) = script(request, number)
    return TokenResponse(status: status, body: Secret(body))
  }

  func authenticator(_ vault: Vault, rules: Set<RegistryTokens.Rule> = []) -> Authenticator {
    let providers = TokenProviders(
      [RefreshTokenGrant(), RegistryTokens(rules: rules)],
      in: VaultList([vault], default: vault), send: send)
    return Authenticator(vault: vault, settings: .init(refreshToken: providers.token))
  }
}

extension TokenRequest {
  fileprivate var login: String? { authorization.map { String(decoding: $0.array, as: UTF8.self) } }
  fileprivate var fields: String? { form.map { String(decoding: $0.array, as: UTF8.self) } }
}

/// The tokens of container registries, and those of OAuth 2.
@Suite struct RegistryTests {
  private static let issuer = "https://auth.example/token"
  private static let image = "https://h/v2/library/alpine"
  private static let hub = (registry: "https://h", service: "https://auth.example")

  private static func registry(
    _ tokens: [String: Set<String>] = [:], realm: String = issuer
  ) -> TokenServer {
    TokenServer(tokens, realm: realm, lackingStatus: 401) { target in
      let parts = target.split(separator: "/").dropFirst()
      guard let end = parts.firstIndex(where: { ["manifests", "blobs"].contains($0) }) else {
        return nil
      }
      return "repository:\(parts[..<end].joined(separator: "/")):pull"
    }
  }

  @Test("a challenge leads to the token service, and its token to the repository")
  func flow() async throws {
    let vault = Vault.inMemory()
    let server = Self.registry([
      "t.1": ["repository:library/alpine:pull"], "t.2": ["repository:other:pull"],
    ])
    let service = TokenService()
    let authenticator = service.authenticator(vault)
    for url in [
      "\(Self.image)/manifests/1", "\(Self.image)/blobs/a", "https://h/v2/other/manifests/1",
      "\(Self.image)/manifests/2", "https://h/v2/other/manifests/2",
    ] {
      #expect(try await authenticator.get(url, from: server).1.reason == .done)
    }
    #expect(
      service.requests.map { "\($0.method) \($0.url)" } == [
        "GET \(Self.issuer)?service=registry&scope=repository%3Alibrary%2Falpine%3Apull",
        "GET \(Self.issuer)?service=registry&scope=repository%3Aother%3Apull",
      ])
    #expect(service.requests.allSatisfy { $0.authorization == nil && $0.form == nil })
    let items = try await vault.findAll(ItemQuery())
    #expect(Set(items.map(\.path)) == ["/v2/library/alpine", "/v2/other"])
    #expect(items.allSatisfy { $0.persistence == .session && $0.expires != nil })
    #expect(
      server.log == [nil, "t.1", nil, "t.1", nil, "t.2", "t.1", "t.2"]
        || server.log == [nil, "t.1", nil, "t.1", nil, "t.1", "t.2", "t.1", "t.2"])
  }

  @Test("after a token for the whole registry, each repository still has one of its own")
  func wholeFirst() async throws {
    let server = Self.registry([
      "t.1": [], "t.2": ["repository:library/alpine:pull"], "t.3": ["repository:other:pull"],
    ])
    let vault = Vault.inMemory()
    let service = TokenService()
    let authenticator = service.authenticator(vault)
    for path in ["", "library/alpine/blobs/a", "other/blobs/a", "library/alpine/blobs/b", ""] {
      let outcome = try await authenticator.get("https://h/v2/\(path)", from: server).1
      #expect(outcome.reason == .done)
    }
    #expect(service.requests.count == 3)
    let paths = try await vault.findAll(ItemQuery()).map(\.path).sorted()
    #expect(paths == ["", "/v2/library/alpine", "/v2/other"])
  }

  @Test(
    "a token that somebody has stored stays, whatever the registry says of it",
    arguments: [Persistence.session, .permanent], ["", "/v2/library/alpine"])
  func storedToken(_ persistence: Persistence, _ path: String) async throws {
    let fixture = try Fixture()
    var item = Item(
      space: try ProtectionSpace(
        url: "https://h/", realm: Self.issuer, authenticationMethod: .bearer),
      account: "", secret: Secret("own"))
    item.secretKind = .token
    item.path = path
    item = try await fixture.vault.add(item, persistence: persistence).item
    let server = Self.registry(["t.1": [], "t.2": ["repository:library/alpine:pull"]])
    let service = TokenService()
    let authenticator = service.authenticator(fixture.vault)
    for url in ["https://h/v2/", "\(Self.image)/blobs/a"] {
      #expect(try await authenticator.get(url, from: server).1.reason == .done)
    }
    #expect(service.requests.count == 2 && server.log.contains("own"))
    // What was fetched is in the session, where it hides what is in the file.
    for fetched in try fixture.items() where fetched.id != item.id {
      #expect(fetched.persistence == .session)
      try await fixture.vault.remove(fetched)
    }
    #expect(try fixture.items().map { $0.id == item.id && $0.has("own") } == [true])
  }

  @Test("of many requests at once, one goes to the token service, and a refused token ends them")
  func once() async throws {
    let service = TokenService()
    let authenticator = service.authenticator(.inMemory())
    let server = Self.registry(["t.1": ["repository:library/alpine:pull"]])
    let reasons = try await withThrowingTaskGroup(of: Outcome.Reason.self) { group in
      for number in 0..<50 {
        group.addTask {
          try await authenticator.get("\(Self.image)/blobs/\(number)", from: server).1.reason
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(reasons.count == 50 && reasons.allSatisfy { $0 == .done })
    #expect(service.requests.count == 1)
    server.know([:])
    let outcome = try await authenticator.get("\(Self.image)/blobs/x", from: server).1
    #expect(outcome.reason == .rejected && service.requests.count == 3)
  }

  struct Stored: Sendable {
    let url: String
    var tokenURL: String?
    let isSent: Bool
    var rule: (registry: String, service: String)?

    init(
      _ url: String, _ isSent: Bool, tokenURL: String? = nil,
      rule: (registry: String, service: String)? = nil
    ) {
      self.url = url
      self.isSent = isSent
      self.tokenURL = tokenURL
      self.rule = rule
    }
  }

  @Test(
    "the token service gets its own credential, and the registry's, only where somebody says so",
    arguments: [
      Stored("https://auth.example/", true, rule: hub),
      Stored("https://auth.example/token", true, rule: hub),
      Stored("https://auth.example/other", false, rule: hub),
      Stored("http://auth.example/", false, rule: hub),
      Stored("https://auth.example:8443/", false, rule: hub),
      Stored("https://auth.example/", false),
      Stored("https://auth.example/", false, tokenURL: "https://auth.example/token"),
      Stored("https://auth.example/", false, rule: ("https://other", "https://auth.example")),
      Stored("https://h/", false),
      Stored("https://h/", true, tokenURL: "https://auth.example/token"),
      Stored("https://h/", true, tokenURL: "https://AUTH.example:443/./token?x"),
      Stored("https://h/", false, tokenURL: "https://auth.example/"),
      Stored("https://h/", false, tokenURL: "http://auth.example/token"),
      Stored("https://h/", false, tokenURL: "https://auth.example.evil/token"),
      Stored("https://other/", false, tokenURL: "https://auth.example/token"),
      Stored("https://h/", true, rule: ("https://h", "https://auth.example")),
      Stored("https://h/", false, rule: ("https://other", "https://auth.example")),
      Stored("https://h/", false, rule: ("https://h", "https://other")),
    ])
  func credential(_ stored: Stored) async throws {
    let vault = Vault.inMemory()
    let url = try URLReference(stored.url)
    var item = Item(
      server: url.host, account: "ann", secret: Secret("right"), protocol: url.protocol,
      port: url.port ?? 0, realm: "Some", path: url.path)
    item.custom["token-url"] = stored.tokenURL
    try await vault.add(item, persistence: .session)
    let service = TokenService()
    let rules = try stored.rule.map {
      Set([try RegistryTokens.Rule(registry: $0.registry, service: $0.service)])
    }
    _ = try await service.authenticator(vault, rules: rules ?? []).get(
      "\(Self.image)/blobs/x", from: Self.registry(["t.1": ["repository:library/alpine:pull"]]))
    let request = try #require(service.requests.first)
    #expect(request.login == (stored.isSent ? "Basic YW5uOnJpZ2h0" : nil))
    #expect(request.url.target.contains("account=ann") == stored.isSent)
  }

  @Test(
    "a registry that names another's token service gets what anyone gets, until an item names it",
    arguments: ["ann", "<token>"])
  func stranger(_ user: String) async throws {
    let vault = Vault.inMemory()
    func login(_ server: String) throws -> Item {
      var item = Item(
        server: try HostName(server), account: user, secret: Secret("right"), protocol: .https)
      if user == "<token>" {
        item.authenticationMethod = .bearer
        item.secretKind = .token
      }
      return item
    }
    try await vault.add(login("auth.example"), persistence: .session)
    var own = try login("h")
    own.secret = Secret("own")
    own = try await vault.add(own, persistence: .session).item
    let service = TokenService()
    let authenticator = service.authenticator(vault)
    let server = Self.registry(["t.1": ["repository:library/alpine:pull"]])
    _ = try await authenticator.get("\(Self.image)/blobs/x", from: server)
    let first = try #require(service.requests.first)
    #expect(first.method == "GET" && first.login == nil && first.form == nil)
    try vault.modify(own, [.custom("token-url", Self.issuer)])
    _ = try await authenticator.get("https://h/v2/other/blobs/x", from: server)
    let second = try #require(service.requests.dropFirst().first)
    #expect(second.login == (user == "ann" ? "Basic YW5uOnJpZ2h0" : nil))
    #expect(second.fields?.hasSuffix("&refresh_token=right") ?? false == (user == "<token>"))
  }

  @Test("the account is composed as in Basic")
  func composed() async throws {
    let vault = Vault.inMemory()
    try await vault.set(
      Credential(user: "zoe\u{308}", secret: Secret("right"), persistence: .session),
      for: ProtectionSpace(url: Self.issuer, authenticationMethod: .basic))
    let service = TokenService()
    let rule = try RegistryTokens.Rule(registry: Self.hub.registry, service: Self.hub.service)
    _ = try await service.authenticator(vault, rules: [rule]).get(
      "\(Self.image)/blobs/x", from: Self.registry())
    let request = try #require(service.requests.first)
    #expect(request.url.target.contains("account=zo%C3%AB&"))
    #expect(request.login == "Basic em/DqzpyaWdodA==")
  }

  @Test("at the same origin the service gets the registry's credential, and a POST Docker's token")
  func sameOrigin() async throws {
    let vault = Vault.inMemory()
    let server = Self.registry(["t.1": ["repository:a/b:pull"]], realm: "https://h/auth?x=1")
    var item = Item(
      server: try HostName("h"), account: "ann", secret: Secret("right"), protocol: .https,
      path: "/v2")
    try await vault.add(item, persistence: .session)
    let service = TokenService()
    let authenticator = service.authenticator(vault)
    _ = try await authenticator.get("https://h/v2/a/b/blobs/x", from: server)
    #expect(service.requests.first?.login == "Basic YW5uOnJpZ2h0")
    #expect(
      service.requests.first?.url.target
        == "/auth?x=1&account=ann&service=registry&scope=repository%3Aa%2Fb%3Apull")
    item = Item(
      server: try HostName("h"), account: "<token>", secret: Secret("i+d"), protocol: .https,
      path: "/v2", authenticationMethod: .bearer)
    item.secretKind = .token
    try await vault.add(item, persistence: .session)
    _ = try await authenticator.get("https://h/v2/c/blobs/x", from: server)
    let second = try #require(service.requests.dropFirst().first)
    #expect(second.method == "POST" && second.login == nil)
    #expect(
      second.fields == "grant_type=refresh_token&service=registry&client_id=credential-vault"
        + "&scope=repository%3Ac%3Apull&refresh_token=i%2Bd")
    // Another user's request has nothing to do with the identity token.
    for (user, login) in [("ann", "Basic YW5uOnJpZ2h0"), ("bob", nil)] {
      var request = try RequestHead.get("https://h/v2/d/blobs/x")
      request.user = user
      _ = try await authenticator.get(request, from: server)
      let last = try #require(service.requests.last)
      #expect(last.method == "GET" && last.login == login)
    }
    // An access token is not stored as one.
    var request = try RequestHead.get("https://h/v2/e/blobs/x")
    request.user = "<token>"
    _ = try await authenticator.get(request, from: server)
    #expect(service.requests.last?.method == "POST")
    #expect(try await vault.findAll(ItemQuery()).count { $0.account == "<token>" } == 1)
  }

  @Test("several users for the service are an error that names them, unless one is the default")
  func ambiguous() async throws {
    let vault = Vault.inMemory()
    let space = try ProtectionSpace(url: Self.issuer, authenticationMethod: .basic)
    for user in ["ann", "bob"] {
      try await vault.set(
        Credential(user: user, secret: Secret("right"), persistence: .session), for: space)
    }
    let service = TokenService()
    let rule = try RegistryTokens.Rule(registry: Self.hub.registry, service: Self.hub.service)
    let authenticator = service.authenticator(vault, rules: [rule])
    let server = Self.registry(["t.1": ["repository:library/alpine:pull"]])
    let error = await #expect(throws: VaultError(.ambiguous, "")) {
      try await authenticator.get("\(Self.image)/blobs/x", from: server)
    }
    #expect(error?.candidates.count == 2)
    var request = try RequestHead.get("\(Self.image)/blobs/x")
    request.user = "bob"
    #expect(try await authenticator.get(request, from: server).1.reason == .done)
    #expect(service.requests.first?.login == "Basic Ym9iOnJpZ2h0")
  }

  @Test(
    "a URL that is in clear, has a user, or leads to this machine is refused, and gets nothing",
    arguments: [
      "http://auth.example/token", "https://ann:right@auth.example/token",
      "https://ann@auth.example/token", "http://localhost/token", "https://127.0.0.1/token",
      "https://0.0.0.0/token", "https://0/token", "https://[::]/token",
      "https://[::ffff:0.0.0.0]/token",
      "ftp://auth.example/", "https://", "https:///token", "https://a b/", "x://y",
    ])
  func hostile(_ realm: String) async throws {
    let service = TokenService()
    await #expect(throws: VaultError(.policyRefused, "")) {
      try await service.authenticator(.inMemory()).get(
        "\(Self.image)/blobs/x", from: Self.registry(realm: realm))
    }
    #expect(service.requests.isEmpty)
  }

  @Test("a realm that is no URL is not a registry's; on this machine a registry needs no TLS")
  func local() async throws {
    let service = TokenService()
    let authenticator = service.authenticator(.inMemory())
    let outcome = try await authenticator.get("https://h/", from: Self.registry(realm: "Team")).1
    #expect(outcome.reason == .noCredential && service.requests.isEmpty)
    _ = try await authenticator.get(
      "http://127.0.0.1:5000/", from: Self.registry(realm: "http://localhost:5001/token"))
    #expect(
      service.requests.first?.url.description == "http://localhost:5001/token?service=registry")
    await #expect(throws: VaultError(.policyRefused, "")) {
      try await authenticator.get(
        "http://127.0.0.1:5000/", from: Self.registry(realm: "http://auth.example/token"))
    }
  }

  @Test(
    "what the service answers in place of a token ends the request, without its text",
    arguments: [
      (401, "{}", VaultError.Code.authenticationFailed), (403, "", .authenticationFailed),
      (302, "{}", .unavailable), (408, "", .unavailable), (425, "", .unavailable),
      (429, "{}", .unavailable), (500, #"{"token":"t.1"}"#, .unavailable),
      (200, "", .invalidData), (200, "{}", .invalidData), (200, #"{"token":""}"#, .invalidData),
      (200, #"{"token":7}"#, .invalidData), (200, #"["t.1"]"#, .invalidData),
      (200, #"{"access_token":"t.1","token_type":"mac"}"#, .unsupported),
    ])
  func refused(_ status: Int, _ body: String, _ code: VaultError.Code) async throws {
    let service = TokenService { _, _ in (status, body) }
    let server = Self.registry(["t.1": ["repository:library/alpine:pull"]])
    let error = await #expect(throws: VaultError(code, "")) {
      try await service.authenticator(.inMemory()).get("\(Self.image)/blobs/x", from: server)
    }
    #expect(error?.context.contains("t.1") == false)
    #expect(server.log == [nil])
  }

  // MARK: OAuth 2

  private func withRefreshToken(
    _ attributes: [String: String], expires: Timestamp? = Timestamp(milliseconds: 1)
  ) async throws -> Fixture {
    let fixture = try Fixture()
    var item = Item(
      space: try ProtectionSpace(url: "https://h/", realm: "Team", authenticationMethod: .bearer),
      account: "ann", secret: Secret("old"))
    item.secretKind = .token
    item.refreshToken = Secret("r&1")
    item.expires = expires
    item.custom = attributes
    try await fixture.vault.add(item)
    return fixture
  }

  @Test("an expired token is refreshed by its item's own issuer, client and refresh token")
  func grant() async throws {
    let fixture = try await withRefreshToken([
      "token-url": "https://issuer.example/oauth/token", "client-id": "app:1",
    ])
    let service = TokenService { _, number in
      (
        200,
        #"{"access_token":"t.\#(number)","token_type":"bearer","expires_in":3600,"refresh_token":"r\#(number)"}"#
      )
    }
    let authenticator = service.authenticator(fixture.vault)
    let server = TokenServer(["t.1": []])
    #expect(try await authenticator.get("https://h/", from: server).1.reason == .done)
    let first = try #require(service.requests.first)
    #expect("\(first.method) \(first.url)" == "POST https://issuer.example/oauth/token")
    #expect(first.fields == "grant_type=refresh_token&refresh_token=r%261&client_id=app%3A1")
    #expect(first.login == nil)
    let item = try #require(fixture.items().first)
    #expect(try fixture.items().count == 1 && item.has("t.1") && item.persistence == .permanent)
    #expect(item.refreshToken?.isEqual(to: Secret("r1")) == true)
    #expect(item.expires.map { $0 > .now() } == true && item.custom.count == 2)

    // The client's secret is a password of the issuer's.
    try await fixture.vault.set(
      Credential(user: "app:1", secret: Secret("s/1"), persistence: .permanent),
      for: ProtectionSpace(url: "https://issuer.example/"))
    server.know(["t.2": []])
    #expect(try await authenticator.get("https://h/", from: server).1.reason == .done)
    let second = try #require(service.requests.dropFirst().first)
    #expect(second.fields == "grant_type=refresh_token&refresh_token=r1")
    // app%3A1:s%2F1
    #expect(second.login == "Basic YXBwJTNBMTpzJTJGMQ==")
  }

  @Test("a refresh token goes nowhere else, and not for a scope")
  func grantRefused() async throws {
    for url in ["http://issuer.example/", "https://u:p@issuer.example/", "issuer"] {
      let fixture = try await withRefreshToken(["token-url": url])
      let service = TokenService()
      await #expect(throws: VaultError(.policyRefused, "")) {
        try await service.authenticator(fixture.vault).get("https://h/", from: TokenServer([:]))
      }
      #expect(service.requests.isEmpty)
    }
    let none = try await withRefreshToken([:])
    let service = TokenService()
    let outcome = try await service.authenticator(none.vault).get(
      "https://h/", from: TokenServer([:])
    ).1
    #expect(outcome.reason == .expired && service.requests.isEmpty)
    let narrow = try await withRefreshToken(["token-url": "https://issuer.example/"], expires: nil)
    let server = TokenServer(["old": ["read"]]) { _ in "write" }
    let lacking = try await service.authenticator(narrow.vault).get("https://h/", from: server).1
    #expect(lacking.reason == .insufficientScope && service.requests.isEmpty)
  }
}
