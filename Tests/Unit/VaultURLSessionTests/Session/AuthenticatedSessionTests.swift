import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import TestSupport
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

@Suite("AuthenticatedSession", .timeLimit(.minutes(5))) struct AuthenticatedSessionTests {
  static let users = ["ann": "right"]

  @Test("a challenge is answered, and the next request logs in unasked", arguments: Engine.allCases)
  func basic(_ engine: Engine) async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(Self.users))
    let client = try Client(engine)
    try client.store(at: server)
    for _ in 0..<2 {
      let (data, response) = try await client.session.data(from: server.url("/page"))
      #expect(data.text == "OK ann" && response.status == 200)
      #expect(response.url == server.url("/page"))
    }
    #expect(server.schemes == [nil, "basic", "basic"])
    #expect(client.outcomes == [.done, .done])
  }

  @Test("Digest is taken where Basic is offered, too", arguments: Engine.allCases, [false, true])
  func digest(_ engine: Engine, _ offersBasic: Bool) async throws {
    let server = try ScriptedServer(ScriptedLogin.digest(Self.users, offersBasic: offersBasic))
    let client = try Client(engine)
    try client.store(at: server)
    let (data, _) = try await client.session.data(from: server.url("/a/../page?x=%C3%A9"))
    #expect(data.text == "OK ann")
    #expect(server.schemes == [nil, "digest"])
    #expect(Set(server.requests.map(\.target)) == ["/page?x=%C3%A9"])
  }

  @Test("where nobody answers, the 401 itself is returned", arguments: Engine.allCases)
  func unanswered(_ engine: Engine) async throws {
    let basic = try ScriptedServer(ScriptedLogin.basic(Self.users))
    let client = try Client(engine)
    let (page, response) = try await client.session.data(from: basic.url())
    #expect(response.status == 401)
    let challenge = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "WWW-Authenticate")
    #expect(challenge == "Basic realm=\"Team\"")
    // Foundation discards the body of a 401 with Basic, and keeps others.
    #expect(page.text == (engine == .transport ? "unauthorized" : ""))
    let digest = try ScriptedServer(ScriptedLogin.digest(Self.users))
    let (data, other) = try await client.session.data(from: digest.url())
    #expect(other.status == 401 && data.text == "unauthorized")
    #expect(client.outcomes == [.noCredential, .noCredential])
  }

  @Test(
    "a request with its own Authorization is sent as it is, and its 401 returned",
    arguments: Engine.allCases)
  func ownField(_ engine: Engine) async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(Self.users))
    let client = try Client(engine)
    try client.store(at: server)
    _ = try await client.session.data(from: server.url("/warm"))
    var request = URLRequest(url: server.url("/own"))
    request.setValue("Bearer x", forHTTPHeaderField: "authorization")
    let (_, response) = try await client.session.data(for: request)
    #expect(response.status == 401)
    #expect(server.schemes == [nil, "basic", "bearer"])
    // It says nothing about the stored credential.
    let (data, _) = try await client.session.data(from: server.url("/again"))
    #expect(data.text == "OK ann")
  }

  @Test(
    "user and password in the URL log in, and never go out before a challenge",
    arguments: Engine.allCases)
  func userInfo(_ engine: Engine) async throws {
    let server = try ScriptedServer(ScriptedLogin.digest(Self.users))
    let client = try Client(engine)
    let url = server.url("/x", user: "ann", password: "right")
    let (data, response) = try await client.session.data(from: url)
    #expect(data.text == "OK ann" && response.url == server.url("/x"))
    #expect(server.schemes == [nil, "digest"])
  }

  @Test(
    "a body is sent again, whole: from the request, from memory, from a stream",
    arguments: Engine.allCases)
  func bodies(_ engine: Engine) async throws {
    let server = try ScriptedServer(
      ScriptedLogin.basic(Self.users) { request, _ in .text("\(request.body.count)") })
    let client = try Client(engine)
    try client.store(at: server)
    let body = Data(repeating: 7, count: 300_000)
    var request = URLRequest(url: server.url("/upload"))
    request.httpMethod = "POST"
    var streamed = request
    streamed.httpBodyStream = InputStream(data: body)
    var whole = request
    whole.httpBody = body
    #expect(try await client.session.data(for: streamed).0.text == "300000")
    for request in [whole, streamed] {
      // A client of its own each time, so that each is challenged.
      let client = try Client(engine)
      try client.store(at: server)
      if request.httpBodyStream != nil {
        var request = request
        request.httpBodyStream = InputStream(data: body)
        #expect(try await client.session.data(for: request).0.text == "300000")
      } else {
        #expect(try await client.session.data(for: request).0.text == "300000")
      }
    }
    let other = try Client(engine)
    try other.store(at: server)
    #expect(try await other.session.upload(for: request, from: body).0.text == "300000")
    #expect(server.requests.allSatisfy { $0.body.count == body.count })
  }

  @Test("a stream that cannot be read is its own error", arguments: Engine.allCases)
  func brokenStream(_ engine: Engine) async throws {
    let server = try ScriptedServer { _ in .text("no") }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    request.httpBodyStream = InputStream(fileAtPath: "/nonexistent/file")
    await #expect(throws: (any Error).self) { try await Client(engine).session.data(for: request) }
    #expect(server.requests.isEmpty)
  }

  @Test("50 MB go both ways, through a challenge", arguments: Engine.allCases)
  func large(_ engine: Engine) async throws {
    let server = try ScriptedServer(
      ScriptedLogin.basic(Self.users) { request, _ in
        var response = ScriptedResponse.text("")
        response.body = request.body
        return response
      })
    let client = try Client(engine)
    try client.store(at: server)
    let part = Data((0..<1_000_003).map { UInt8(truncatingIfNeeded: $0) })
    let body = (0..<50).reduce(into: Data()) { data, _ in data += part }
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    let (data, _) = try await client.session.upload(for: request, from: body)
    #expect(data == body)
  }

  @Test("a request through a locked vault is the vault's error", arguments: Engine.allCases)
  func lockedVault(_ engine: Engine) async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(Self.users))
    StateFolder.useOwn()
    let folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    let vault = try Vault.create(
      path: folder.file("vault/own.vault"), key: .keyFile(folder.file("key")), slotName: "own")
    try await vault.lock()
    let session = try engine.session(by: Authenticator(vault: vault))
    let error = await #expect(throws: (any Error).self) {
      try await session.data(from: server.url())
    }
    #expect((error as? VaultError)?.code == .locked)
  }
}

/// A protocol of the app's own, as tests of apps use it in place of a network.
private final class StubProtocol: URLProtocol {
  static let seen = Lock<[String?]>([])

  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  override func stopLoading() {}
  override func startLoading() {
    let field = request.value(forHTTPHeaderField: "Authorization")
    Self.seen.withLock { $0.append(field.map { String($0.prefix(5)) }) }
    let url = request.url ?? URL(filePath: "/")
    let response = HTTPURLResponse(
      url: url, statusCode: field == nil ? 401 : 200, httpVersion: "HTTP/1.1",
      headerFields: field == nil ? ["WWW-Authenticate": "Basic realm=\"Team\""] : [:])
    if let response {
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    }
    client?.urlProtocol(self, didLoad: Data("page".utf8))
    client?.urlProtocolDidFinishLoading(self)
  }
}

@Suite("A protocol of the app's own") struct OwnProtocolTests {
  @Test("logs in through it as through Foundation's", .timeLimit(.minutes(5)))
  func pretended() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [StubProtocol.self]
    let vault = Vault.inMemory()
    try await vault.set(
      Credential(user: "ann", secret: Secret("right"), persistence: .session),
      for: ProtectionSpace(host: "h.test", protocol: .http, realm: "Team"))
    let session = URLSession(configuration: configuration).authenticated(by: vault)
    let url = try #require(URL(string: "http://h.test/page"))
    let (data, response) = try await session.data(from: url)
    #expect(data.text == "page" && response.status == 200)
    #expect(StubProtocol.seen.withLock { $0 } == [nil, "Basic"])
  }
}
