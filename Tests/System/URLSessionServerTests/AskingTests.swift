import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import HTTPTesting
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

extension RealServers {
  @Suite("Asking")
  struct AskingTests {
    @Test(
      "fifty requests of one space at once are one question and fifty successes",
      arguments: Engine.allCases, ["basic", "digest", "counted", "nextnonce", "once"])
    func fifty(_ engine: Engine, path: String) async throws {
      let client = try Client(.use("ann", "correct horse"), over: engine)
      client.prompt.wait(for: 50)
      #expect(try await client.get(50, path) == Array(repeating: .page, count: 50))
      #expect(client.reasons == Array(repeating: .done, count: 50))
      #expect(client.prompt.questions.count == 1 && client.storageErrors.isEmpty)
      #expect(try client.items().count == 1)
    }

    @Test(
      "fifty at once after one success are fifty successes, whatever becomes of their nonces",
      arguments: Engine.allCases, ["digest", "nextnonce", "once", "counted"])
    func fiftyAfterOne(_ engine: Engine, path: String) async throws {
      let client = try Client(.use("ann", "correct horse"), over: engine)
      #expect(try await client.get("\(path)/first") == .page)
      #expect(try await client.get(50, path) == Array(repeating: .page, count: 50))
      #expect(client.prompt.questions.count == 1)
    }

    @Test(
      "after a wrong password the right one is asked for, and it alone is stored",
      arguments: Engine.allCases, [("basic", "Team Files"), ("digest", "Team Digest")])
    func wrongThenRight(_ engine: Engine, _ space: (path: String, realm: String)) async throws {
      let (path, realm) = space
      let client = try Client(.use("ann", "wrong"), .use("ann", "correct horse"), over: engine)
      #expect(try await client.get("\(path)/1") == .page)
      #expect(client.prompt.questions.map(\.failures) == [0, 1])
      #expect(client.prompt.questions.map(\.failedUser) == [nil, "ann"])
      #expect(try client.requests(3).count == 3)
      #expect(try client.items() == ["http origin \(realm) \(path) ann"])
      let item = try await #require(client.vault.findAll(ItemQuery()).first)
      #expect(try client.hasPassword(item, "correct horse"))
    }

    @Test(
      "without a prompt the caller gets the 401 with its challenge",
      arguments: Engine.allCases, ["basic", "digest", "either"])
    func noPrompt(_ engine: Engine, path: String) async throws {
      let client = try Client(over: engine)
      let session = try engine.session(by: Authenticator(vault: client.vault))
      let (_, response) = try await session.data(from: client.page("\(path)/1"))
      let reply = try #require(response as? HTTPURLResponse)
      #expect(reply.statusCode == 401)
      let challenge = reply.value(forHTTPHeaderField: "WWW-Authenticate") ?? ""
      #expect(challenge.contains("Basic realm=\"Team Files\"") == (path != "digest"))
      #expect(challenge.contains("Digest realm=\"Team Digest\"") == (path != "basic"))
    }

    @Test(
      "whom the server knows and does not let in is not asked for another password",
      arguments: Engine.allCases)
    func forbidden(_ engine: Engine) async throws {
      let client = try Client(.use("ann", "correct horse"), over: engine)
      try client.store("ann", "correct horse", "Team Files")
      #expect(try await client.get("forbidden/1").status == 403)
      #expect(client.reasons == [.refused] && client.prompt.questions.isEmpty)
    }

    // MARK: Digest beside Basic

    @Test(
      "where Digest and Basic are offered no password goes in clear, be it wrong or right",
      arguments: Engine.allCases)
    func either(_ engine: Engine) async throws {
      let client = try Client(.use("ann", "wrong"), .use("ann", "correct horse"), over: engine)
      #expect(try await client.get("either/1") == .page)
      #expect(client.prompt.questions.map(\.space.authenticationMethod) == [.digest, .digest])
      #expect(
        try client.requests(3) == [
          "- GET /either/1 401 - -", "ann GET /either/1 200 Digest -",
          "ann GET /either/1 401 Digest -",
        ])
      #expect(try client.items() == ["http origin Team Digest digest ann"])
    }
  }
}
