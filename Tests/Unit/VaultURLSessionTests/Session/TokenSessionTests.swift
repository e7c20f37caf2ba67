import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

/// Tokens of a container registry, fetched and sent with URLSession.
@Suite("TokenSession", .timeLimit(.minutes(5))) struct TokenSessionTests {
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
          guard ScriptedLogin.basicUser(of: request.authorization, ["ann": "right"]) != nil else {
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

    func session(_ vault: Vault) -> AuthenticatedSession {
      let vaults = VaultList([vault], default: vault)
      let tokens = TokenProviders(in: vaults, send: TokenSession().send)
      return URLSession(configuration: .ephemeral).authenticated(
        by: Authenticator(vaults: vaults, refreshToken: tokens.token))
    }
  }

  private func vault(of registry: Registry) throws -> Vault {
    let vault = Vault.inMemory()
    try vault.set(
      Credential(user: "ann", secret: Secret("right"), persistence: .session),
      for: ProtectionSpace(url: registry.server.url().absoluteString))
    return vault
  }

  @Test("requests that need a token at once fetch one, and again only once it is refused")
  func registry() async throws {
    let registry = try Registry()
    let session = registry.session(try vault(of: registry))
    for round in 1...2 {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<8 {
          group.addTask {
            try await session.data(from: registry.server.url("/v2/a/b/blobs/\(number)")).1.status
          }
        }
        for try await status in group { #expect(status == 200) }
      }
      #expect(registry.fetches.count == round)
      registry.revoke()
    }
    let fetch = try #require(registry.fetches.first)
    #expect(
      fetch.target == "/token?account=ann&service=local&scope=repository%3Aa%2Fb%3Apull")
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
      let session = registry.session(try vault(of: registry))
      await #expect(throws: VaultError(code, "")) {
        try await session.data(from: registry.server.url("/v2/a/b/blobs/x"))
      }
      #expect(registry.fetches.count == 1)
    }
    #expect(other.requests.isEmpty)
  }

  @Test("a form is sent as one, without a login")
  func form() async throws {
    let server = try ScriptedServer { _ in .text(#"{"access_token":"t"}"#) }
    let response = try await TokenSession().send(
      TokenRequest(
        "POST", url: RequestURL(server.url("/token").absoluteString), form: Secret("a=1&b=%20")))
    #expect(response.status == 200 && response.body.isEqual(to: Secret(#"{"access_token":"t"}"#)))
    let request = try #require(server.requests.first)
    #expect(request.method == "POST" && request.body == Array("a=1&b=%20".utf8))
    #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
    #expect(request.authorization == nil && request["Cookie"] == nil)
  }
}
