import Foundation
import FoundationNetworking
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

extension RealServers {
  @Suite("Each scheme")
  struct SchemeTests {
    @Test("what is answered once is accepted, and stored", arguments: Engine.allCases, Scheme.all)
    func logIn(_ engine: Engine, _ scheme: Scheme) async throws {
      let client = try Client(.use(scheme.user, #require(Servers.users[scheme.user])), over: engine)
      let server = client.servers[keyPath: scheme.server]
      #expect(try await client.get("\(scheme.path)/1", at: server) == .page)
      #expect(client.reasons == [.done] && client.storageErrors.isEmpty)

      let spaces = client.prompt.questions.map(\.space)
      #expect(spaces.map(\.realm) == [scheme.realm])
      #expect(spaces.map(\.authenticationMethod) == [scheme.method])
      #expect(try client.items() == scheme.items(of: client.servers))
      #expect(try client.requests(2, at: server) == scheme.log())
    }

    @Test(
      "what is stored answers a challenge of another program's, and nobody is asked",
      arguments: Engine.allCases, Scheme.all)
    func stored(_ engine: Engine, _ scheme: Scheme) async throws {
      let client = try Client(over: engine)
      let server = client.servers[keyPath: scheme.server]
      try client.store(
        scheme.user, #require(Servers.users[scheme.user]), scheme.realm, scheme.method, at: server)
      let page = client.url("\(scheme.path)/1", at: server)
      #expect(try await client.runProgram(["get \(page)"], over: engine) == ["200 a page"])
      #expect(try client.requests(2, at: server) == scheme.log())
    }

    @Test(
      "a wrong password is refused, and nothing of it is stored", arguments: Engine.allCases,
      Scheme.all)
    func wrong(_ engine: Engine, _ scheme: Scheme) async throws {
      let client = try Client(.use(scheme.user, "wrong"), over: engine)
      let server = client.servers[keyPath: scheme.server]
      #expect(try await client.get("\(scheme.path)/1", at: server).status == 401)
      #expect(client.reasons == [.cancelled])
      #expect(client.prompt.questions.map(\.failures) == [0, 1])
      #expect(try client.items() == [] && client.items(.session) == [])
    }
  }
}

extension RealServers {
  @Suite("Nonces")
  struct NonceTests {
    @Test(
      "a nonce is used again, counted, and left for the next one where the server names it",
      arguments: Engine.allCases, ["digest", "counted", "nextnonce", "once"])
    func again(_ engine: Engine, path: String) async throws {
      let client = try Client(.use("ann", "correct horse"), over: engine)
      for page in 1...3 { #expect(try await client.get("\(path)/\(page)") == .page) }
      #expect(client.prompt.questions.count == 1)
      #expect(try client.requests(4) == Scheme.digest(path).log(pages: 3))
    }

    @Test(
      "a nonce that the server calls stale is replaced, and nobody is asked again",
      arguments: Engine.allCases)
    func stale(_ engine: Engine) async throws {
      let client = try Client(.use("ann", "correct horse"), over: engine)
      #expect(try await client.get("once/1") == .page)
      // The nonce is good for one request, and somebody else takes it.
      let request = RequestHead(url: try RequestURL(client.url("once/2")))
      let fields = try await client.session.authenticator.exchange(for: request).fields
      #expect(
        try await CurlClient.send(CurlRequest(url: client.url("once/2"), fields: fields)).status
          == 200)
      #expect(try await client.get("once/3") == .page)
      #expect(client.prompt.questions.count == 1)
      #expect(
        try client.requests(5) == [
          "- GET /once/1 401 - -", "ann GET /once/1 200 Digest -", "ann GET /once/2 200 Digest -",
          "ann GET /once/3 200 Digest -", "ann GET /once/3 401 Digest -",
        ])
    }
  }
}
