import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import TestSupport
import VaultModel

/// Another HTTP client: its requests are paths, and its responses statuses.
private struct PathClient: HTTPClientAdapter {
  struct Offline: Error {}

  let server: MemoryServer
  var isOffline = false
  let discarded = Lock([Int]())

  func head(of request: String) throws -> RequestHead {
    RequestHead(url: try RequestURL("https://h\(request)"))
  }

  func head(of response: ResponseHead) -> ResponseHead { response }

  func send(
    _ request: String, adding fields: [AuthorizationField]
  ) async throws -> ResponseHead {
    guard !isOffline else { throw Offline() }
    return server.answer(try head(of: request), fields)
  }

  func discard(_ response: ResponseHead) async throws {
    discarded.withLock { $0.append(response.status) }
  }
}

@Suite struct HTTPClientAdapterTests {
  @Test("a client logs in by its adapter, which discards the challenges and not the page")
  func send() async throws {
    let prompt = ScriptedPrompt(.use("ann", "wrong"), .use("ann", "right"))
    let authenticator = Authenticator(
      vault: .inMemory(), prompt: prompt, settings: .waiting(in: PromptQueue()))
    let client = PathClient(server: MemoryServer())
    let (response, outcome) = try await authenticator.send("/x", by: client)
    #expect(response.status == 200 && outcome.reason == .done)
    #expect(client.discarded.withLock { $0 } == [401, 401])
    let (next, _) = try await authenticator.send("/x", by: client)
    #expect(next.status == 200)
    #expect(client.discarded.withLock { $0 } == [401, 401])
  }

  @Test("errors of an adapter and of its requests reach the caller")
  func errors() async throws {
    let authenticator = Authenticator(vault: .inMemory())
    let client = PathClient(server: MemoryServer(), isOffline: true)
    await #expect(throws: PathClient.Offline.self) {
      try await authenticator.send("/x", by: client)
    }
    await #expect(throws: VaultError(.invalidArgument, "")) {
      try await authenticator.send(":99999/", by: client)
    }
  }

  @Test("a response that is followed by an error is discarded, and the error is the exchange's")
  func discarded() async throws {
    let vault = Vault.inMemory()
    let authenticator = Authenticator(vault: vault)
    let client = PathClient(server: MemoryServer())
    try await vault.close()
    await #expect(throws: VaultError(.closed, "")) {
      try await authenticator.send("/x", by: client)
    }
    #expect(client.discarded.withLock { $0 } == [401])
  }

  @Test("the parts of a request are those of its URL, in both directions")
  func parts() throws {
    let head = try RequestHead(
      method: "PUT", scheme: "HTTPS", authority: "ann@Git.example.com:443", path: "/a?b")
    #expect(head.method == "PUT" && head.url.user == "ann")
    #expect(head.url.scheme == "https" && head.url.authority == "git.example.com")
    #expect("\(head.url)" == "https://git.example.com/a?b")
    let other = try RequestURL(scheme: "http", authority: "[::1]:8080", path: nil)
    #expect(other.scheme == "http" && other.authority == "[::1]:8080" && other.target == "/")
    let again = try RequestURL(
      scheme: other.scheme, authority: other.authority, path: other.target)
    #expect(again.origin == other.origin)
    let response = ResponseHead(
      status: 401, fields: [(name: "www-authenticate", value: "Basic"), (name: "A", value: "b")])
    #expect(response.fields.map(\.name) == ["www-authenticate", "A"] && response.status == 401)
  }

  @Test(
    "no part reaches into another",
    arguments: [
      (nil, "h", "/"), ("https", nil, "/"), ("https", "", "/"), ("ftp", "h", "/"),
      ("https", "good.example/", "/"), ("https", "good.example?", "/"),
      ("https", "good.example#", "/"), ("https", "good.example\\", "/"),
      ("https", "h", "@evil.example/"), ("https", "h", ".evil.example"), ("https", "h", "*"),
      ("https://evil.example/?", "h", "/"), ("https", "h h", "/"), ("https", "h", "/a b"),
    ] as [(String?, String?, String?)])
  func injection(_ scheme: String?, _ authority: String?, _ path: String?) {
    #expect(throws: VaultError(.invalidArgument, "")) {
      try RequestURL(scheme: scheme, authority: authority, path: path)
    }
  }
}
