import CredentialVault
import Foundation
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import TLSCredentials
import Testing
import VaultModel
import VaultTransport

extension TransportOverTLS {
  @Suite("Tunnels")
  struct TunnelTests {
    let servers: TransportServers

    init() throws { servers = try TransportServers.shared }

    @Test("Squid asks for a login before it opens a tunnel: it is found, or asked for once")
    func squid() async throws {
      let squid = try HTTPServer(
        "both", in: servers.sandbox, name: "squid", users: Servers.guests)
      let gate = try ProxyServer(host: "127.0.0.1", port: squid.port)
      let url = servers.url(servers.plain, "/basic/tunnel/1")
      for method in [AuthenticationMethod.digest, .basic] {
        let vault = Vault.inMemory()
        try await vault.add(
          Item(
            space: ProtectionSpace(
              proxyHost: "127.0.0.1", port: squid.port, type: .httpProxy, realm: "Way Out",
              authenticationMethod: method),
            account: "pat", secret: Secret("way out")), persistence: .session)
        let prompt = ScriptedPrompt(.use("ann", "correct horse", .session))
        let transport = try servers.transport(vault, prompt: prompt) { $0.proxy = .proxy(gate) }
        let visit = try await transport.visit(TransportRequest(url))
        #expect(visit.statuses == [407, 401, 200] && visit.body == Servers.page)
        let second = try await transport.visit(TransportRequest(url))
        #expect(second.statuses == [200])
        #expect(prompt.questions.map(\.space.isProxy) == [false])
      }
      let lines = try servers.plain.requests(6, containing: "/basic/tunnel/1")
      #expect(lines.filter { $0.hasPrefix("- ann ") && $0.contains(" 200 ") }.count == 4)
    }

    @Test("a server that is not trusted is asked about through a proxy with TLS, too")
    func untrusted() async throws {
      let pat = Credential(user: "pat", secret: Secret("way out"), persistence: .none)
      let gate = try ProxyServer(
        .https, host: "127.0.0.1", port: servers.gate.port, credential: pat)
      let request = try TransportRequest(servers.url(servers.selfSigned, "/untrusted/1"))
      let silent = try servers.transport { $0.proxy = .proxy(gate) }
      #expect(try await failure { _ = try await silent.visit(request) } == EKEYREJECTED)
      let asking = try servers.transport {
        $0.proxy = .proxy(gate)
        $0.trustPrompt = { _ in .trust }
      }
      #expect(try await asking.visit(request).response.status == 200)
    }

    @Test("a tunnel is of the user who opened it: another user opens another one")
    func users() async throws {
      let gate = try ProxyServer(.https, host: "127.0.0.1", port: servers.gate.port)
      let space = try ProtectionSpace(
        proxyHost: "127.0.0.1", port: servers.gate.port, type: .httpsProxy, realm: "Way Out",
        authenticationMethod: .basic)
      let vault = Vault.inMemory()
      var transport: Transport? = try servers.transport(vault) { $0.proxy = .proxy(gate) }
      for user in ["pat", "zo\u{EB}"] {
        let password = try #require(Servers.guests[user])
        let stored = try await vault.add(
          Item(space: space, account: user, secret: Secret(password)), persistence: .session)
        let url = servers.url(servers.plain, "/tunnel/users")
        let visit = try await transport?.visit(TransportRequest(url))
        #expect(visit?.response.status == 200)
        try await vault.remove(stored.item)
      }
      // A tunnel is logged when it ends. The other tests have none of this user to this server.
      transport = nil
      let to = "127.0.0.1:\(servers.plain.port) 200"
      let lines = try servers.gate.log("access.log", containing: to) { lines in
        lines.contains { $0.contains(" zo") }
      }
      #expect(lines.contains { $0.contains(" zo") }, "\(lines)")
    }

    @Test("through a proxy with TLS HTTP/1.1 is spoken, through another one HTTP/2")
    func version() async throws {
      let squid = try HTTPServer(
        "both", in: servers.sandbox, name: "squid-version", users: Servers.guests)
      let pat = Credential(user: "pat", secret: Secret("way out"), persistence: .none)
      for (kind, port, version) in [
        (ProxyServer.Kind.https, servers.gate.port, "HTTP/1.1"), (.http, squid.port, "HTTP/2"),
      ] {
        let gate = try ProxyServer(kind, host: "127.0.0.1", port: port, credential: pat)
        let transport = try servers.transport { $0.proxy = .proxy(gate) }
        let url = servers.url(servers.plain, "/version/\(kind.rawValue)")
        #expect(try await transport.visit(TransportRequest(url)).response.version == version)
      }
    }

    @Test("all that wait for a proxy's login ask once")
    func once() async throws {
      let squid = try HTTPServer(
        "both", in: servers.sandbox, name: "squid-once", users: Servers.guests)
      let gate = try ProxyServer(host: "127.0.0.1", port: squid.port)
      let prompt = ScriptedPrompt(.use("pat", "way out", .session))
      let transport = try servers.transport(prompt: prompt) { $0.proxy = .proxy(gate) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<12 {
          group.addTask {
            let url = servers.url(servers.plain, "/once/\(index)")
            let visit = try await transport.visit(TransportRequest(url))
            #expect(visit.response.status == 200 && visit.body == Servers.page)
          }
        }
        try await group.waitForAll()
      }
      #expect(prompt.questions.count == 1)
    }

    @Test("a refused login is asked for again, and without one the 407 is the caller's")
    func refused() async throws {
      let url = servers.url(servers.plain, "/refused/1")
      let gate = try ProxyServer(.https, host: "127.0.0.1", port: servers.gate.port)
      let prompt = ScriptedPrompt([.use("pat", "wrong"), .use("pat", "way out", .session)])
      let transport = try servers.transport(prompt: prompt) { $0.proxy = .proxy(gate) }
      let visit = try await transport.visit(TransportRequest(url))
      #expect(visit.statuses == [407, 407, 200])
      #expect(prompt.questions.map(\.failures) == [0, 1])
      let silent = try servers.transport { $0.proxy = .proxy(gate) }
      let refused = try await silent.visit(TransportRequest(url))
      #expect(refused.statuses == [407] && refused.reason == .noCredential)
      #expect(refused.response.status == 407 && refused.body.isEmpty)
    }
  }
}
