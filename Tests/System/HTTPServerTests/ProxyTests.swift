import Foundation
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import Testing
import VaultModel

extension RealServers {
  @Suite("A proxy that asks, in front of a server that asks")
  struct ProxyTests {
    @Test(
      "407, then 401, then 200: each side is asked for and stored by itself", arguments: Way.all)
    func both(_ way: Way) async throws {
      let client = try Client(.use("pat", "way out"), .use("ann", "correct horse"))
      let gate = way.gate(of: client.servers)
      let page = "\(way.path)/1"
      let visit = try await client.get(page, through: gate)
      #expect(visit.statuses == [407, 401, 200])
      #expect(visit.reply.body == Servers.page && visit.outcome.reason == .done)

      let spaces = client.prompt.questions.map(\.space)
      #expect(spaces.map(\.isProxy) == [true, false])
      #expect(spaces.map(\.host.name) == ["127.0.0.1", "127.0.0.1"])
      #expect(spaces.map { Int($0.port) } == [gate.port, client.servers.origin.port])
      #expect(spaces.map(\.realm) == ["Way Out", way.realm])
      #expect(
        try client.items() == [
          "http origin \(way.realm) \(way.method) ann",
          "http-proxy \(gate.folder.lastPathComponent) Way Out \(way.proxyMethod) pat",
        ])

      let url = "http://127.0.0.1:\(client.servers.origin.port)/\(page)"
      #expect(
        try client.requests(3, at: gate) == [
          "- GET \(url) 407 - -", "pat GET \(url) 200 \(way.name) \(way.proxyName)",
          "pat GET \(url) 401 - \(way.proxyName)",
        ])
      // The proxy's credential does not reach the server.
      #expect(
        try client.requests(2) == ["- GET /\(page) 401 - -", "ann GET /\(page) 200 \(way.name) -"])

      let (server, proxy) = way.logins()
      let reference = try await client.reference(page, through: gate, server, proxy: proxy)
      #expect(reference.status == 200 && reference.body == visit.reply.body)
    }

    @Test("both are found in the vault by a later program, and nobody is asked", arguments: Way.all)
    func stored(_ way: Way) async throws {
      let client = try Client(.use("pat", "way out"), .use("ann", "correct horse"))
      let gate = way.gate(of: client.servers)
      _ = try await client.get("\(way.path)/1", through: gate)
      let later = try Client(after: client)
      let visits = [
        try await later.get("\(way.path)/1", through: gate),
        try await later.get("\(way.path)/2", through: gate),
      ]
      // The second is sent with both.
      #expect(visits.map(\.statuses) == [[407, 401, 200], [200]])
      #expect(later.prompt.questions.isEmpty)
    }

    @Test("what the server refuses is asked for again, and the proxy's login is left alone")
    func serverRefuses() async throws {
      let client = try Client(
        .use("pat", "way out"), .use("ann", "wrong"), .use("ann", "correct horse"))
      let visit = try await client.get("basic/1", through: client.servers.digestGate)
      #expect(visit.statuses == [407, 401, 401, 200])
      #expect(client.prompt.questions.map(\.space.isProxy) == [true, false, false])
      #expect(client.prompt.questions.map(\.failures) == [0, 0, 1])
    }

    @Test("what the proxy refuses is asked for again, and the server never hears of it")
    func proxyRefuses() async throws {
      let client = try Client(.use("pat", "wrong"), .use("pat", "no longer so"))
      try client.store("ann", "correct horse", "Team Files")
      let visit = try await client.get("basic/1", through: client.servers.basicGate)
      #expect(visit.statuses == [407, 407, 407] && visit.outcome.reason == .cancelled)
      #expect(client.prompt.questions.map(\.space.isProxy) == [true, true, true])
      #expect(client.prompt.questions.map(\.failedUser) == [nil, "pat", "pat"])
      #expect(try client.items() == ["http origin Team Files basic ann"])
      #expect(try client.requests(0).isEmpty)
    }

    @Test(
      "a tunnel is opened with the proxy's login alone, and the server's goes through it",
      arguments: Way.all)
    func tunnel(_ way: Way) async throws {
      let client = try Client(.use("pat", "way out"), .use("ann", "correct horse"))
      let gate = way.gate(of: client.servers)
      let page = "\(way.path)/1"
      let visit = try await client.get(page, through: gate, isTunnelled: true)
      #expect(visit.statuses == [407, 401, 200])
      #expect(visit.reply.body == Servers.page && visit.outcome.reason == .done)
      #expect(client.prompt.questions.map(\.space.isProxy) == [true, false])
      // The connection to the proxy is in clear, and that to the server is not.
      #expect(client.prompt.questions.map(\.travelsInClear) == [way.proxyMethod == .basic, false])
      // The proxy cannot read the tunnel that it opens.
      #expect(
        try client.requests(2) == ["- GET /\(page) 401 - -", "ann GET /\(page) 200 \(way.name) -"])
      #expect(try client.requests(0, at: gate).isEmpty)

      let later = try Client(after: client)
      let second = try await later.get(page, through: gate, isTunnelled: true)
      #expect(second.statuses == [407, 401, 200] && later.prompt.questions.isEmpty)

      let (server, proxy) = way.logins()
      let reference = try await client.reference(
        page, through: gate, isTunnelled: true, server, proxy: proxy)
      #expect(reference.status == 200 && reference.body == visit.reply.body)
    }

    @Test("a server that asks as if it were a proxy gets no answer")
    func impostor() async throws {
      let client = try Client(.use("pat", "way out"))
      let visit = try await client.get("impostor/1")
      #expect(visit.statuses == [407] && visit.outcome.reason == .done)
      #expect(client.prompt.questions.isEmpty)
    }

    @Test(
      "the log of a proxy that tunnels has CONNECT with its own scheme, and nothing of the server's"
    )
    func tunnelLog() async throws {
      let client = try Client(.use("pat", "way out"), .use("ann", "correct horse"))
      let server = client.servers.elsewhere
      _ = try await client.get(
        "basic/1", at: server, through: client.servers.digestGate, isTunnelled: true)
      // No other test uses this proxy.
      let target = "CONNECT 127.0.0.1:\(server.port)"
      #expect(
        try client.servers.digestGate.requests(3, containing: "\(target) ").sorted() == [
          "- \(target) 407 - -", "pat \(target) 200 - Digest", "pat \(target) 200 - Digest",
        ])
    }
  }
}
