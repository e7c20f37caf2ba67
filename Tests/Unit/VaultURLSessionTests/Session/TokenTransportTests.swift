import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import Testing
import URLSessionTesting
import VaultModel

@testable import VaultTransport

/// Tokens of a container registry, fetched and sent over the transport.
@Suite("Tokens over the transport", .timeLimit(.minutes(5))) struct TokenTransportTests {
  /// A registry on this machine whose token service wants a login; it knows its latest token alone.
  private final class Registry: Sendable {
    private struct State {
      var url = ""
      var issued = 0
      var isRevoked = false
    }

    private let state: Lock<State>
    let server: ScriptedServer

    /// Creates a registry; `service` answers in place of its token service.
    init(service: (@Sendable (ScriptedRequest) -> ScriptedResponse)? = nil) throws {
      let state = Lock(State())
      self.state = state
      server = try ScriptedServer { request in
        if request.target.hasPrefix("/token") {
          if let service { return service(request) }
          let users = ["ann": "right", "zo\u{EB}": "p\u{E4}ss"]
          guard ScriptedLogin.basicUser(of: request.authorization, users) != nil else {
            return ScriptedResponse(401)
          }
          let number = state.withLock { state in
            state.issued += 1
            state.isRevoked = false
            return state.issued
          }
          return ScriptedResponse(
            200, ["Content-Type": "application/json"],
            #"{"token":"t.\#(number)","expires_in":300}"#)
        }
        return state.withLock { state in
          if !state.isRevoked, request.authorization == "Bearer t.\(state.issued)" {
            return .text("OK")
          }
          let error = request.authorization == nil ? "" : #",error="invalid_token""#
          return .challenge(
            #"Bearer realm="\#(state.url)",service="local",scope="repository:a/b:pull"\#(error)"#)
        }
      }
      let url = server.url("/token").absoluteString
      state.withLock { $0.url = url }
    }

    func revoke() { state.withLock { $0.isRevoked = true } }

    /// The requests to the token service.
    var fetches: [ScriptedRequest] { server.requests.filter { $0.target.hasPrefix("/token") } }

    func transport(_ vault: Vault) throws(VaultError) -> Transport {
      let vaults = VaultList([vault], default: vault)
      let issuers = try Transport(vault: vault)
      let tokens = TokenProviders(in: vaults, send: issuers.send)
      return try Transport(
        authenticator: Authenticator(vaults: vaults, settings: .init(refreshToken: tokens.token)))
    }

    func get(_ path: String, over transport: Transport) async throws -> Int {
      try await transport.send(TransportRequest("GET", server.url(path).absoluteString)).status
    }
  }

  private func vault(
    of registry: Registry, _ user: String = "ann", _ password: String = "right"
  ) throws -> Vault {
    let vault = Vault.inMemory()
    try vault.set(
      Credential(user: user, secret: Secret(password), persistence: .session),
      for: ProtectionSpace(url: registry.server.url().absoluteString))
    return vault
  }

  @Test(
    "requests that need a token at once fetch one, and again only once it is refused",
    arguments: [("ann", "right", "ann"), ("zo\u{EB}", "p\u{E4}ss", "zo%C3%AB")])
  func registry(_ user: String, _ password: String, _ account: String) async throws {
    let registry = try Registry()
    let transport = try registry.transport(vault(of: registry, user, password))
    for round in 1...2 {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<8 {
          group.addTask {
            try await registry.get("/v2/a/b/blobs/\(number)", over: transport)
          }
        }
        for try await status in group { #expect(status == 200) }
      }
      #expect(registry.fetches.count == round)
      registry.revoke()
    }
    let fetch = try #require(registry.fetches.first)
    #expect(
      fetch.target == "/token?account=\(account)&service=local&scope=repository%3Aa%2Fb%3Apull")
    #expect(registry.fetches.allSatisfy { $0.scheme == "basic" && $0.method == "GET" })
  }

  @Test("a token service that redirects, challenges, fails or hangs up gets nothing more")
  func refused() async throws {
    let other = try ScriptedServer { _ in .text(#"{"token":"t"}"#) }
    for (response, code) in [
      (ScriptedResponse.redirect(to: other.url().absoluteString), VaultError.Code.unavailable),
      (.challenge("Basic realm=\"x\""), .authenticationFailed),
      (ScriptedResponse(500), .unavailable),
      (.dropped, .unavailable), (.text("no"), .invalidData),
    ] {
      let registry = try Registry { _ in response }
      let transport = try registry.transport(vault(of: registry))
      await #expect(throws: VaultError(code, "")) {
        try await registry.get("/v2/a/b/blobs/x", over: transport)
      }
      #expect(registry.fetches.count == 1)
    }
    #expect(other.requests.isEmpty)
  }

  @Test("a form is sent as one, without a login")
  func form() async throws {
    let server = try ScriptedServer { _ in .text(#"{"access_token":"t"}"#) }
    let response = try await Transport(vault: .inMemory()).send(
      TokenRequest(
        "POST", url: RequestURL(server.url("/token").absoluteString), form: Secret("a=1&b=%20")))
    #expect(response.status == 200 && response.body.isEqual(to: Secret(#"{"access_token":"t"}"#)))
    let request = try #require(server.requests.first)
    #expect(request.method == "POST" && request.body == Array("a=1&b=%20".utf8))
    #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
    #expect(request.authorization == nil && request["Cookie"] == nil)
  }

  /// Sends a request for a token to a server.
  private func send(
    to server: ScriptedServer, within limits: TimeLimits = TimeLimits(),
    _ variables: [String: String] = [:]
  ) async throws(VaultError) -> TokenResponse {
    var configuration = Transport.Configuration()
    configuration.limits = limits
    return try await Transport(vault: .inMemory(), configuration: configuration).send(
      TokenRequest(url: RequestURL(server.url("/token").absoluteString))
    ) { variables[$0] }
  }

  @Test("a body of 64 KiB is read, and one byte more, or many, ends the request")
  func bounded() async throws {
    for (length, isRead) in [(1 << 16, true), ((1 << 16) + 1, false), (1 << 24, false)] {
      let server = try ScriptedServer { _ in .text(String(repeating: "x", count: length)) }
      do throws(VaultError) {
        #expect(try await send(to: server).status == 200 && isRead)
      } catch {
        #expect(error.code == .invalidData && !isRead)
      }
    }
  }

  @Test("a response that does not come ends with the time for the resource")
  func late() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try ScriptedServer { _ in
      gate.wait()
      return .text("late")
    }
    defer { gate.signal() }
    await #expect(throws: VaultError(.unavailable, "")) {
      try await send(to: server, within: TimeLimits(total: .milliseconds(10)))
    }
  }

  @Test("a cancelled task ends a request that waits for its response")
  func cancelled() async throws {
    let gate = DispatchSemaphore(value: 0)
    let (arrivals, arrival) = AsyncStream<Void>.makeStream()
    let server = try ScriptedServer { _ in
      arrival.yield()
      gate.wait()
      return .text("late")
    }
    defer { gate.signal() }
    let task = Task { try await send(to: server) }
    for await _ in arrivals { break }
    task.cancel()
    await #expect(throws: VaultError(.interrupted, "")) { try await task.value }
  }

  @Test("nothing is sent in clear to a proxy elsewhere, not even for this machine")
  func proxied() async throws {
    let server = try ScriptedServer { _ in .text(#"{"token":"t"}"#) }
    for variables in [
      ["http_proxy": "http://proxy.test:3128"], ["http_proxy": "socks5h://proxy.test:1080"],
      ["all_proxy": "proxy.test:3128", "no_proxy": "x.test"],
    ] {
      await #expect(throws: VaultError(.policyRefused, "")) {
        try await send(to: server, variables)
      }
      #expect(server.requests.isEmpty)
    }
    for variables in [
      ["all_proxy": "proxy.test:3128", "no_proxy": "127.0.0.1"], ["https_proxy": "proxy.test:1"],
      ["http_proxy": "127.0.0.1:1"], ["http_proxy": "https://proxy.test"],
    ] {
      #expect(try await send(to: server, variables).status == 200)
    }
  }
}
