import CredentialVault
import Foundation
import HTTPTesting
import ProgramTesting
import SecureMemory
import TLSCredentials
import TestSupport
import Testing
import VaultModel
import VaultTransport

extension TransportOverTLS {
  /// Nothing of one origin, identity or proxy user reaches another, by whichever connection,
  /// session of TLS, tunnel or redirect.
  @Suite("Isolation")
  struct IsolationTests {
    let servers: TransportServers

    init() throws { servers = try TransportServers.shared }

    /// One of the requests.
    private struct Plan {
      let transport: Transport
      let who: String
      let url: String
    }

    private static let passwords = ["ann": "correct horse", "bob": "b:o:b"]

    /// The servers that tell who came; the first two ask nobody for a certificate.
    private var origins: [HTTPServer] {
      [
        servers.plain, servers.selfSigned, servers.open, servers.next, servers.strict,
        servers.closed,
      ]
    }

    /// Returns a vault with the identities and passwords of these people at all servers, where the
    /// first folder of a path says who is meant.
    private func vault(of people: [String]) throws -> Vault {
      let vault = Vault.inMemory()
      for person in people {
        let identity = try vault.add(servers.identity(person), for: nil)
        for server in origins {
          for folder in ["", "/basic", "/away"] {
            try vault.identities.setPreferred(
              identity, for: servers.url(server, "\(folder)/\(person)/"))
          }
          let space = try ProtectionSpace(
            host: "127.0.0.1", port: server.port, protocol: .https, realm: "Team Files",
            authenticationMethod: .basic)
          let password = try #require(Self.passwords[person])
          try vault.add(
            Item(space: space, account: person, secret: Secret(password)), persistence: .session)
        }
      }
      return vault
    }

    private func transport(_ vault: Vault, _ proxy: ProxyChoice = .none) throws -> Transport {
      try servers.transport(vault) { configuration in
        configuration.proxy = proxy
        configuration.trustPrompt = { _ in .trust }
      }
    }

    private func proxy(_ user: String) throws -> ProxyChoice {
      let password = try #require(Servers.guests[user])
      return .proxy(
        try ProxyServer(
          .https, host: "127.0.0.1", port: servers.gate.port,
          credential: Credential(user: user, secret: Secret(password), persistence: .none)))
    }

    @Test("1,000 mixed requests: each of six servers sees who it should, and nobody else")
    func thousand() async throws {
      let tag = TransportClient.makeTag()
      // One for each of two people, and two for both, each of which has a proxy's user.
      let own = try ["ann", "bob"].map { ($0, try transport(vault(of: [$0]))) }
      let both = try vault(of: ["ann", "bob"])
      let direct = try transport(both)
      let byPat = try transport(both, proxy("pat"))
      let byZoe = try transport(both, proxy("zo\u{EB}"))
      var generator = SplitMix(seed: 46)
      var planned: [Int: Set<String>] = [:]
      let plans = (0..<1000).map { index in
        var (who, transport) = own.randomElement(using: &generator) ?? own[0]
        var server = origins.randomElement(using: &generator) ?? servers.open
        if index % 2 == 0 {
          transport = direct
          if index % 20 == 0 { who = "nobody" }
        } else if index % 5 == 0 {
          // Each user of the proxy has a server of their own.
          (transport, server) =
            index % 3 == 0 ? (byPat, servers.strict) : (byZoe, servers.open)
        }
        // Those who have no certificate are not let in there.
        if who == "nobody", server === servers.closed { server = servers.open }
        let kind = ["", "", "/basic", "/away"].randomElement(using: &generator) ?? ""
        let isServed =
          switch kind {
          case "/basic": who != "nobody" && server !== servers.closed
          // It leads to a server where another user of the proxy has requests.
          case "/away":
            transport !== byPat
              && (server === servers.plain || server === servers.strict || server === servers.next)
          default: true
          }
        let name = "\(tag)-\(index)"
        planned[server.port, default: []].insert(name)
        return Plan(
          transport: transport, who: who,
          url: servers.url(server, "\(isServed ? kind : "")/\(who)/\(name)"))
      }
      let answered = try await withThrowingTaskGroup(of: Void.self) { group in
        var count = 0
        for (index, plan) in plans.enumerated() {
          if index >= 50, try await group.next() != nil { count += 1 }
          group.addTask {
            var request = try TransportRequest("GET", plan.url)
            if plan.who != "nobody" { request.user = plan.who }
            let visit = try await plan.transport.visit(request)
            let isRefused = plan.who == "nobody" && visit.reason == .identityRequired
            #expect(visit.response.status == 200 || isRefused, "\(plan.url) \(visit.statuses)")
          }
        }
        for try await _ in group { count += 1 }
        return count
      }
      #expect(answered == 1000)
      try expectRightVisitors(tag, planned)
      try expectRightTunnels()
    }

    /// Checks the logs of the servers, whose lines begin with the certificate and then the user.
    private func expectRightVisitors(_ tag: String, _ planned: [Int: Set<String>]) throws {
      func path(_ line: String) -> Substring? {
        line.split(separator: " ").first { $0.contains(tag) }
      }
      func name(_ line: String) -> String? {
        path(line)?.split(separator: "/").last.map(String.init)
      }
      for server in origins {
        let lines = try server.requests(containing: tag) { lines in
          planned[server.port, default: []].isSubset(of: lines.compactMap(name))
        }
        for line in lines {
          let words = line.split(separator: " ")
          let path = try #require(path(line))
          let who = path.split(separator: "/").dropLast().last.map(String.init) ?? ""
          let asksNobody = server === servers.plain || server === servers.selfSigned
          #expect(words[0] == (asksNobody || who == "nobody" ? "-" : who), "\(line)")
          if server !== servers.closed, words[1] != "-" {
            #expect(words[1] == who && path.hasPrefix("/basic/"), "\(line)")
          }
        }
      }
    }

    /// Checks the proxy's log: a tunnel to a server is of the one user who has requests there.
    private func expectRightTunnels() throws {
      for (server, user) in [(servers.strict, "pat"), (servers.open, "zo")] {
        let lines = try servers.gate.requests(1, containing: "127.0.0.1:\(server.port) 200")
        #expect(!lines.isEmpty)
        for line in lines {
          // The identity tests have a proxy of their own user, with this server.
          #expect(line.split(separator: " ")[1].hasPrefix(user), "\(line)")
        }
      }
    }
  }
}
