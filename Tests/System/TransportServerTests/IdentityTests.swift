import CredentialVault
import Foundation
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import TLSCredentials
import TestSupport
import Testing
import VaultModel
import VaultTransport

extension TransportOverTLS {
  @Suite("Identities")
  struct IdentityTests {
    let servers: TransportServers
    let vault = Vault.inMemory()

    init() throws { servers = try TransportServers.shared }

    private func get(_ transport: Transport, _ url: String) async throws -> Int {
      try await transport.visit(TransportRequest(url)).response.status
    }

    /// Returns who a server saw at the paths with a text, in the order of the requests.
    private func visitors(_ server: HTTPServer, _ path: String, _ count: Int) throws -> [String] {
      try server.requests(count, containing: path).map { String($0.split(separator: " ")[0]) }
    }

    @Test("the identity that a server asks for is presented, and its absence is an outcome")
    func strict() async throws {
      let url = servers.url(servers.strict, "/strict/1")
      let without = try await servers.transport(vault).visit(TransportRequest(url))
      #expect(without.response.status == 400 && without.reason == .identityRequired)
      try vault.add(servers.identity("ann"), for: url)
      let transport = try servers.transport(vault)
      let visit = try await transport.visit(TransportRequest(url))
      #expect(visit.response.status == 200 && visit.reason == .done)
      #expect(try await get(transport, url) == 200)
      #expect(try visitors(servers.strict, "/strict/1", 3) == ["-", "ann", "ann"])
    }

    @Test("a server that ends the connection says which error it is: no identity, or a wrong one")
    func closed() async throws {
      let url = servers.url(servers.closed, "/closed/1")
      let transport = try servers.transport(vault)
      #expect(try await failure { _ = try await get(transport, url) } == ENOKEY)
      try vault.add(servers.identity("bob"), for: url)
      #expect(try await get(servers.transport(vault), url) == 200)
      #expect(try visitors(servers.closed, "/closed/1", 1) == ["bob"])
    }

    @Test("two identities at one host: each request is who it should be, however they mix")
    func two() async throws {
      let (ann, bob) = (
        try vault.add(servers.identity("ann"), for: nil),
        try vault.add(servers.identity("bob"), for: nil)
      )
      try vault.identities.setPreferred(ann, for: servers.url(servers.open, "/two/ann/"))
      try vault.identities.setPreferred(bob, for: servers.url(servers.open, "/two/bob/"))
      let transport = try servers.transport(vault)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<60 {
          group.addTask {
            let folder = ["ann", "bob", "nobody"][index % 3]
            let url = servers.url(servers.open, "/two/\(folder)/\(index)")
            let status = try await get(transport, url)
            #expect(status == 200)
          }
        }
        try await group.waitForAll()
      }
      let lines = try servers.open.requests(60, containing: "/two/")
      #expect(lines.count == 60)
      for line in lines {
        let words = line.split(separator: " ")
        let folder = words[4].split(separator: "/")[1]
        #expect(words[0] == (folder == "nobody" ? "-" : folder), "\(line)")
      }
    }

    @Test("several that fit, and one that has expired, are errors with the candidates")
    func ambiguous() async throws {
      let url = servers.url(servers.strict, "/ambiguous/1")
      try vault.add(servers.identity("ann"), for: url)
      try vault.add(servers.identity("bob"), for: url)
      let transport = try servers.transport(vault)
      let error = await #expect(throws: VaultError(.ambiguous, "")) {
        _ = try await get(transport, url)
      }
      #expect(error?.candidates.count == 2)
    }

    @Test("a redirect to another server carries no identity")
    func redirect() async throws {
      let url = servers.url(servers.strict, "/away/redirected")
      try vault.add(servers.identity("ann"), for: url)
      let visit = try await servers.transport(vault).visit(TransportRequest(url))
      #expect(visit.statuses == [302, 200])
      #expect(try visitors(servers.strict, "/away/redirected", 1) == ["ann"])
      #expect(try visitors(servers.open, "/redirected", 1) == ["-"])
    }

    @Test("the prompt for an identity comes before the vault, and may decline")
    func prompt() async throws {
      let url = servers.url(servers.open, "/prompt/1")
      try vault.add(servers.identity("ann"), for: url)
      let bob = try servers.identity("bob")
      for (answer, expected) in [
        (IdentityAnswer.use(bob), "bob"), (.useStored, "ann"), (.goOnWithout, "-"),
      ] {
        let path = url + expected
        let transport = try servers.transport(vault) { configuration in
          configuration.identityPrompt = { question in
            #expect(question.request.acceptableIssuers.map(\.summary) == ["root"])
            return answer
          }
        }
        #expect(try await get(transport, path) == 200)
        #expect(try visitors(servers.open, "/prompt/1\(expected)", 1) == [expected])
      }
    }

    @Test("a key with a PIN is asked for between two attempts, once")
    func pin() async throws {
      let url = servers.url(servers.strict, "/pin/1")
      let folder = try TemporaryVault()
      let stored = try folder.vault.identities.add(
        servers.identity("ann"), for: ProtectionSpace(url: url)
      ).identity
      try folder.vault.pins.set(Secret("1234"), on: stored.item)
      let prompt = PINPrompt()
      let transport = try servers.transport(folder.vault, prompt: prompt)
      #expect(try await get(transport, url) == 200)
      #expect(try await get(transport, url) == 200)
      #expect(prompt.count.withLock(\.self) == 1)
    }

    @Test("a proxy with TLS gets its own identity, and the server its own")
    func proxy() async throws {
      let url = servers.url(servers.strict, "/proxied/1")
      try vault.add(servers.identity("ann"), for: url)
      let gate = try ProxyServer(
        .https, host: "127.0.0.1", port: servers.gate.port,
        credential: Credential(user: "pat", secret: Secret("way out"), persistence: .none))
      for (owner, expected) in [(nil, "-"), ("bob", "bob")] as [(String?, String)] {
        if let owner {
          try vault.add(
            servers.identity(owner), for: "https://127.0.0.1:\(servers.gate.port)/")
        }
        let transport = try servers.transport(vault) { $0.proxy = .proxy(gate) }
        #expect(try await get(transport, url) == 200)
        let lines = try servers.gate.requests(containing: "CONNECT") { lines in
          lines.contains { $0.hasPrefix("\(expected) pat ") }
        }
        #expect(!lines.contains { $0.hasPrefix("ann") }, "\(lines)")
      }
      #expect(try visitors(servers.strict, "/proxied/1", 2) == ["ann", "ann"])
    }
  }
}

/// A vault in a file, which alone can have PINs.
private struct TemporaryVault {
  let folder: TemporaryFolder
  let vault: Vault

  init() throws {
    folder = try TemporaryFolder()
    vault = try TransportClient.makeVault(in: folder)
  }
}

private struct PINPrompt: CredentialPrompt {
  let count = Lock(0)

  func answer(_ question: Question) async -> Answer { .goOnWithout }

  func pin(_ question: PINQuestion) async -> Secret? {
    count.withLock { $0 += 1 }
    return Secret("1234")
  }
}
