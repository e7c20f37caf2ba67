import HTTPAuthentication
import HTTPTesting
import Testing
import VaultModel

extension RealServers {
  @Suite("Digest and Basic offered together")
  struct OfferTests {
    @Test("Digest is chosen, and after a wrong password the right one is sent by Digest, too")
    func strongest() async throws {
      let client = try Client(.use("ann", "wrong"), .use("ann", "correct horse"))
      let visit = try await client.get("either/1")
      #expect(visit.statuses == [401, 401, 200])
      #expect(client.prompt.questions.map(\.space.authenticationMethod) == [.digest, .digest])
      #expect(client.prompt.questions.map(\.failures) == [0, 1])
      #expect(
        try client.requests(3) == [
          "- GET /either/1 401 - -", "ann GET /either/1 200 Digest -",
          "ann GET /either/1 401 Digest -",
        ])
      #expect(
        try client.items() == ["http origin Team Digest digest ann"])
    }

    @Test("where the prompt declines Digest, Basic is asked for and tried")
    func decline() async throws {
      let client = try Client(.declineScheme, .use("ann", "correct horse"))
      let visit = try await client.get("either/1")
      #expect(visit.statuses == [401, 200] && visit.outcome.reason == .done)
      #expect(client.prompt.questions.map(\.space.authenticationMethod) == [.digest, .basic])
      #expect(client.prompt.questions.map(\.travelsInClear) == [false, true])
      #expect(client.prompt.questions.map(\.space.realm) == ["Team Digest", "Team Files"])
      #expect(
        try client.requests(2) == [
          "- GET /either/1 401 - -", "ann GET /either/1 200 Basic -",
        ])
      #expect(
        try client.items() == ["http origin Team Files basic ann"])
    }

    @Test("after Digest has failed no password goes in clear, be it stored or the prompt's wish")
    func noDowngrade() async throws {
      let client = try Client(.declineScheme, .use("ann", "correct horse"))
      try client.store("ann", "wrong", "Team Digest", .digest)
      try client.store("ann", "correct horse", "Team Files")
      let visit = try await client.get("either/1")
      #expect(visit.statuses == [401, 401])
      #expect(visit.outcome.reason == .rejected)
      #expect(client.prompt.questions.map(\.space.authenticationMethod) == [.digest])
      #expect(
        try client.requests(2) == ["- GET /either/1 401 - -", "ann GET /either/1 401 Digest -"])
    }

    @Test("a password that is stored for Basic alone answers Basic, and nobody is asked")
    func storedForBasic() async throws {
      let client = try Client()
      try client.store("ann", "correct horse", "Team Files")
      let visit = try await client.get("either/1")
      #expect(visit.statuses == [401, 200] && client.prompt.questions.isEmpty)
      #expect(
        try client.requests(2) == [
          "- GET /either/1 401 - -", "ann GET /either/1 200 Basic -",
        ])
    }
  }
}
