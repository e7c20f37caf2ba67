import Foundation
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import Testing
import VaultModel

extension RealServers {
  @Suite("Each scheme")
  struct SchemeTests {
    @Test("what is answered once is accepted, and stored", arguments: Scheme.all)
    func logIn(_ scheme: Scheme) async throws {
      let client = try Client(.use(scheme.user, #require(Servers.users[scheme.user])))
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
      arguments: Scheme.all)
    func stored(_ scheme: Scheme) async throws {
      let client = try Client()
      let server = client.servers[keyPath: scheme.server]
      try client.store(
        scheme.user, #require(Servers.users[scheme.user]), scheme.realm, scheme.method, at: server)
      let page = client.url("\(scheme.path)/1", at: server)
      #expect(try await client.runProgram(["get \(page)"]) == ["200 a page"])
      #expect(try client.requests(2, at: server) == scheme.log())
    }

    @Test("a wrong password is refused, and nothing of it is stored", arguments: Scheme.all)
    func wrong(_ scheme: Scheme) async throws {
      let client = try Client(.use(scheme.user, "wrong"))
      let server = client.servers[keyPath: scheme.server]
      #expect(try await client.get("\(scheme.path)/1", at: server).status == 401)
      #expect(client.reasons == [.cancelled])
      #expect(client.prompt.questions.map(\.failures) == [0, 1])
      #expect(try client.items() == [] && client.items(.session) == [])
    }
  }
}
