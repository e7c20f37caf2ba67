import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// A proxy's credential, apart from the server's.
@Suite struct ProxyTests {
  private func request(_ url: String) throws -> RequestHead {
    try RequestHead(url: RequestURL(url), proxy: Proxy(host: "proxy", port: 3128))
  }

  private func store(_ vault: Vault) throws {
    try vault.set(
      Credential(user: "ann", secret: Secret("right"), persistence: .permanent),
      for: ProtectionSpace(url: "http://h/", realm: "Team", authenticationMethod: .basic))
    try vault.set(
      Credential(user: "pat", secret: Secret("passing"), persistence: .permanent),
      for: ProtectionSpace(
        proxyHost: "proxy", port: 3128, type: .http, realm: "Team", authenticationMethod: .basic))
  }

  @Test("407, then 401, then 200: each side has its own credential", arguments: ["http", "https"])
  func both(_ scheme: String) async throws {
    let fixture = try Fixture()
    try store(fixture.vault)
    try fixture.store()
    let authenticator = Authenticator(vault: fixture.vault)
    let proxy = MemoryServer(users: ["pat": "passing"], isProxy: true)
    let server = MemoryServer()
    let request = try request("\(scheme)://h/x")
    #expect(
      try await authenticator.get(request, from: server, through: proxy).status == 200)
    #expect(proxy.statuses == [407, 200, 200])
    #expect(server.statuses == [401, 200])
    // The next one carries both at once.
    #expect(
      try await authenticator.get(request, from: server, through: proxy).status == 200)
    #expect(proxy.statuses == [407, 200, 200, 200])
    #expect(server.statuses == [401, 200, 200])
  }

  @Test("the question is of the proxy's host and port, and so is what is stored")
  func question() async throws {
    let fixture = try Fixture()
    let prompt = ScriptedPrompt(.use("pat", "passing"), .use("ann", "right"))
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    let proxy = MemoryServer(users: ["pat": "passing"], isProxy: true)
    #expect(
      try await authenticator.get(request("http://h/x"), from: MemoryServer(), through: proxy)
        .status == 200)
    #expect(prompt.questions.map(\.space.isProxy) == [true, false])
    #expect(prompt.questions.map(\.space.host.name) == ["proxy", "h"])
    #expect(prompt.questions.map(\.space.port) == [3128, 80])
    #expect(prompt.questions.map(\.failures) == [0, 0])
    let kept = try fixture.items().filter { $0.persistence == .permanent }
    #expect(Set(kept.map(\.server.name)) == ["proxy", "h"])
  }

  @Test("the server refused, what was typed for the proxy is kept, because the proxy accepted it")
  func proxyAccepted() async throws {
    let fixture = try Fixture()
    let prompt = ScriptedPrompt(.use("pat", "passing"), .goOnWithout)
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    let proxy = MemoryServer(users: ["pat": "passing"], isProxy: true)
    let (status, _) = try await authenticator.get(
      request("http://h/x"), from: MemoryServer(), through: proxy)
    #expect(status == 401)
    #expect(try fixture.items().map(\.account) == ["pat"])
    #expect(try fixture.items().map(\.persistence) == [.permanent])
  }

  @Test("a server's credential never answers a proxy of the same host and port, nor the reverse")
  func apart() async throws {
    let fixture = try Fixture()
    try await fixture.vault.set(
      Credential(user: "ann", secret: Secret("right"), persistence: .permanent),
      for: ProtectionSpace(url: "http://proxy:3128/", realm: "Team", authenticationMethod: .basic))
    let proxy = MemoryServer(isProxy: true)
    let (status, outcome) = try await Authenticator(vault: fixture.vault)
      .get(request("http://h/x"), from: MemoryServer(), through: proxy)
    #expect(status == 407)
    #expect(outcome.reason == .noCredential)
    #expect(proxy.log.map(\.hasField) == [false])
  }

  @Test("a 407 to a direct request is fishing for the proxy's password: it is not answered")
  func fishing() async throws {
    let fixture = try Fixture()
    try store(fixture.vault)
    let prompt = ScriptedPrompt()
    var exchange = try await Authenticator(vault: fixture.vault, prompt: prompt)
      .exchange(for: RequestHead(url: RequestURL("http://h/x")))
    let step = try await exchange.next(
      after: ResponseHead(
        status: 407, fields: [.init("Proxy-Authenticate", "Basic realm=\"Team\"")]))
    guard case .finish(let outcome) = step else { return #expect(Bool(false), "no end") }
    #expect(outcome.reason == .done)
    #expect(prompt.questions.isEmpty)
  }

  @Test("the proxy's own on the request is used first, and goes along on redirects")
  func own() async throws {
    var request = try request("http://h/x")
    request.proxyCredential = Credential(
      user: "pat", secret: Secret("passing"), persistence: .none)
    let authenticator = Authenticator(vault: .inMemory())
    let proxy = MemoryServer(users: ["pat": "passing"], isProxy: true)
    let (status, _) = try await authenticator.get(request, from: MemoryServer(), through: proxy)
    #expect(status == 401)
    let target = try await authenticator.exchange(for: request).redirected(
      to: RequestURL("http://other/"))
    #expect(target.fields.map(\.name) == ["Proxy-Authorization"])
  }
}
