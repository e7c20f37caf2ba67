import CredentialVault
import Foundation
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultTransport

extension TransportAtServers {
  @Suite("Logging in")
  struct LoginTests {
    @Test(
      "a challenge is answered, what is accepted is kept, and later nobody is asked",
      arguments: Scheme.all)
    func scheme(_ scheme: Scheme) async throws {
      let password = try #require(Servers.users[scheme.user])
      let client = try TransportClient(.use(scheme.user, password))
      let server = client.servers[keyPath: scheme.server]
      let visit = try await client.get("\(scheme.path)/1", at: server)
      #expect(visit.statuses == [401, 200] && visit.body == Servers.page)
      #expect(visit.reason == .done)
      #expect(try client.items() == scheme.items(of: client.servers))
      #expect(try client.requests(2, at: server) == scheme.log())
      let later = try TransportClient(after: client)
      #expect(try await later.get("\(scheme.path)/2", at: server).statuses == [401, 200])
      #expect(later.prompt.questions.isEmpty)
    }

    @Test("wrong passwords are asked for again, and the last 401 is the caller's")
    func wrong() async throws {
      let client = try TransportClient(.use("ann", "wrong"), .use("ann", "no longer so"))
      let visit = try await client.get("basic/1")
      #expect(visit.statuses == [401, 401, 401] && visit.reason == .cancelled)
      #expect(visit.response.status == 401 && visit.body.contains("Unauthorized"))
      #expect(client.prompt.questions.map(\.failures) == [0, 1, 2])
      #expect(try client.items().isEmpty)
    }

    @Test("a redirect to another origin carries no login, and the other origin's own is found")
    func redirect() async throws {
      let client = try TransportClient()
      try client.store("ann", "correct horse", "Team Files")
      try client.store("bob", "b:o:b", "Team Files", at: client.servers.elsewhere)
      let visit = try await client.get("basic/away")
      #expect(visit.statuses == [401, 302, 401, 200])
      #expect(visit.response.url.origin.port == UInt16(client.servers.elsewhere.port))
      let there = try client.requests(2, at: client.servers.elsewhere)
      #expect(there.map { $0.prefix(5) } == ["- GET", "bob G"], "\(there)")
    }

    @Test(
      "a body is sent again after a challenge, from memory, a file and a stream",
      arguments: ["putbasic", "putdigest"], 0..<3)
    func body(folder: String, kind: Int) async throws {
      let client = try TransportClient(.use("ann", "correct horse"))
      let content = Array(String(repeating: "all of it\n", count: 20_000).utf8)
      var request = try TransportRequest("PUT", client.url("\(folder)/file\(kind)"))
      switch kind {
      case 0: request.body = .bytes(content)
      case 1: request.body = .file(try client.folder.write(content, as: "body"))
      default:
        request.body = .stream(length: nil) {
          AsyncThrowingStream<[UInt8], any Error> { continuation in
            for start in stride(from: 0, to: content.count, by: 10_000) {
              continuation.yield(Array(content[start..<min(start + 10_000, content.count)]))
            }
            continuation.finish()
          }
        }
      }
      let visit = try await client.visit(request)
      #expect(visit.statuses == [401, 201], "\(visit.body)")
      let stored = client.servers.origin.folder.appending(path: "put/\(client.tag)-file\(kind)")
      #expect(try client.folder.bytes(stored.path) == content)
    }
  }

  @Suite("Proxies that ask")
  struct ProxyTests {
    @Test(
      "407, then 401, then 200: each side is asked for and stored by itself",
      arguments: Way.all)
    func both(_ way: Way) async throws {
      let servers = try Servers.shared
      let gate = way.gate(of: servers)
      let client = try TransportClient(
        .use("pat", "way out"), .use("ann", "correct horse"),
        proxy: TransportClient.through(gate))
      let visit = try await client.get("\(way.path)/1")
      #expect(visit.statuses == [407, 401, 200] && visit.body == Servers.page)
      #expect(client.prompt.questions.map(\.space.isProxy) == [true, false])
      #expect(
        try client.items() == [
          "http origin \(way.realm) \(way.method) ann",
          "http-proxy \(gate.folder.lastPathComponent) Way Out \(way.proxyMethod) pat",
        ])
      let page = "\(way.path)/1"
      // The proxy's credential does not reach the server.
      #expect(
        try client.requests(2) == ["- GET /\(page) 401 - -", "ann GET /\(page) 200 \(way.name) -"])
    }
  }
}
