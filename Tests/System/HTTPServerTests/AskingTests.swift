import CredentialVault
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import TestSupport
import Testing
import VaultModel

extension RealServers {
  @Suite("Asking")
  struct AskingTests {
    /// Sends many requests at once.
    func visits(_ count: Int, _ client: Client, _ path: String) async throws -> [Client.Visit] {
      try await withThrowingTaskGroup { group in
        for page in 0..<count {
          group.addTask { try await client.get("\(path)/\(page)") }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }

    @Test(
      "fifty requests of one space at once are one question and fifty successes",
      arguments: ["basic", "digest", "counted", "nextnonce", "once"], [1, 50])
    func fifty(path: String, crowd: Int) async throws {
      let client = try Client(.use("ann", "correct horse"))
      client.prompt.wait(for: crowd)
      let visits = try await visits(50, client, path)
      #expect(visits.map(\.reply.status) == Array(repeating: 200, count: 50))
      #expect(visits.allSatisfy { $0.outcome.reason == .done && $0.outcome.storageError == nil })
      #expect(client.prompt.questions.count == 1)
      #expect(try client.items().count == 1)
      #expect(try client.items(.session) == [])
      let granted = try client.requests(visits.reduce(0) { $0 + $1.statuses.count })
        .filter { $0.hasPrefix("ann ") && $0.contains(" 200 ") }
      #expect(granted.count == 50)
    }

    @Test(
      "fifty at once after one success are fifty successes, whatever becomes of their nonces",
      arguments: ["digest", "nextnonce", "once", "counted"])
    func fiftyAfterOne(path: String) async throws {
      let client = try Client(.use("ann", "correct horse"))
      #expect(try await client.get("\(path)/first").reply.status == 200)
      let visits = try await visits(50, client, path)
      #expect(visits.map(\.reply.status) == Array(repeating: 200, count: 50))
      #expect(visits.allSatisfy { $0.outcome.reason == .done && $0.statuses.count <= 4 })
      #expect(client.prompt.questions.count == 1)
    }

    @Test(
      "what another request's answer has brought is not asked for, though the user was named there")
    func lookAgain() async throws {
      let client = try Client(.use("ann", "correct horse"))
      client.prompt.wait(for: 2, ofAnyKind: true)
      var named = try client.request("basic/1")
      named.user = "ann"
      async let first = client.get("basic/1", named)
      async let second = client.get("basic/2")
      #expect(try await first.statuses == [401, 200])
      #expect(try await second.statuses == [401, 200])
      #expect(client.prompt.questions.count == 1)
    }

    @Test("a question that is cancelled for its space ends all requests that wait for it")
    func cancelled() async throws {
      let client = try Client(.cancel(.space), .use("ann", "correct horse"))
      client.prompt.wait(for: 20)
      let visits = try await visits(20, client, "basic")
      #expect(visits.allSatisfy { $0.outcome.reason == .cancelled && $0.statuses == [401] })
      #expect(client.prompt.questions.count == 1)
      #expect(try client.items() == [])
      #expect(try client.items(.session) == [])
    }

    @Test("without a prompt the caller gets the response as the server gave it")
    func noPrompt() async throws {
      let client = try Client()
      let authenticator = Authenticator(vault: client.vault)
      let (reply, outcome) = try await authenticator.send(client.request("basic/1")) { fields in
        let reply = try await client.send("basic/1", fields)
        return (reply.response, reply)
      }
      #expect(reply.status == 401 && outcome.reason == .noCredential)
      #expect(reply.values(of: "WWW-Authenticate") == ["Basic realm=\"Team Files\""])
      let reference = try await client.reference("basic/1", nil)
      #expect(reference.status == 401 && reference.body == reply.body)
    }

    // MARK: A locked vault

    @Test("a locked vault is asked to be unlocked, and never for a password instead")
    func locked() async throws {
      let source = try Client()
      try source.store("ann", "correct horse", "Team Files")
      let wrong = source.folder.file("wrong")
      try KeyFile.create(at: wrong)
      let client = try Client(after: source, keys: [.keyFile(wrong), source.key])
      try await client.vault.lock()
      let visit = try await client.get("basic/1")
      #expect(visit.statuses == [401, 200])
      #expect(client.prompt.unlocking.map(\.failures) == [0, 1])
      #expect(client.prompt.questions.isEmpty)
    }

    @Test("a vault that nobody unlocks is an error, and nobody is asked for a password")
    func leftLocked() async throws {
      let client = try Client(.use("ann", "correct horse"))
      try await client.vault.lock()
      await #expect(throws: VaultError(.locked, "")) { try await client.get("basic/1") }
      #expect(client.prompt.unlocking.count == 1)
      #expect(client.prompt.questions.isEmpty)
    }

    // MARK: Expected spaces

    @Test("a challenge from a space that is not expected is not answered, and is reported")
    func unexpected() async throws {
      let servers = try Servers.shared
      let expected = try ExpectedSpace.space(
        ProtectionSpace(
          host: "127.0.0.1", port: servers.origin.port, protocol: .http, realm: "Team Files"))
      let client = try Client(
        .use("ann", "correct horse"), .use("bob", "b:o:b"), expected: [expected])
      try client.store("bob", "b:o:b", "Archive")
      let good = try await client.get("basic/1")
      #expect(good.statuses == [401, 200] && good.outcome.reason == .done)
      let visit = try await client.get("archive/1")
      #expect(visit.statuses == [401])
      guard case .unexpected(let space) = visit.outcome.reason else {
        Issue.record("it was answered, or something else is reported")
        return
      }
      #expect(space.realm == "Archive")
      #expect(client.prompt.questions.count == 1)
      #expect(
        try client.requests(3) == [
          "- GET /archive/1 401 - -", "- GET /basic/1 401 - -", "ann GET /basic/1 200 Basic -",
        ])
    }

    @Test("a proxy that is not expected gets nothing, in front of a server that is")
    func unexpectedProxy() async throws {
      let servers = try Servers.shared
      let expected = try ExpectedSpace.server(
        host: HostName("127.0.0.1"), port: UInt16(servers.origin.port), protocol: .http)
      let client = try Client(.use("pat", "way out"), expected: [expected])
      let visit = try await client.get("basic/1", through: servers.basicGate)
      #expect(visit.statuses == [407] && client.prompt.questions.isEmpty)
      guard case .unexpected(let space) = visit.outcome.reason else {
        Issue.record("it was answered, or something else is reported")
        return
      }
      #expect(space.isProxy && Int(space.port) == servers.basicGate.port)
    }
  }
}
