import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import Testing
import VaultModel

extension RealServers {
  @Suite("Before the challenge, and after a redirect")
  struct BeforeChallengeTests {
    /// Returns the log of a first request, or of one with `BeforeChallenge/never`.
    func challenged(_ page: String, _ scheme: String = "Basic") -> [String] {
      ["- GET /\(page) 401 - -", "ann GET /\(page) 200 \(scheme) -"]
    }

    @Test(
      "never: each request is challenged first, and nobody is asked twice",
      arguments: ["basic", "digest"])
    func never(path: String) async throws {
      let client = try Client(.use("ann", "correct horse"), before: .never)
      let pages = (1...3).map { "\(path)/\($0)" }
      for page in pages {
        let visit = try await client.get(page)
        #expect(visit.statuses == [401, 200])
      }
      #expect(client.prompt.questions.count == 1)
      let scheme = path == "basic" ? "Basic" : "Digest"
      #expect(
        try client.requests(6) == pages.flatMap { challenged($0, scheme) }.sorted())
    }

    @Test("after a success: unasked below the folder of what was asked for, and nowhere else")
    func afterSuccess() async throws {
      let client = try Client(.use("ann", "correct horse"))
      for (page, statuses) in [
        ("basic/a/1", [401, 200]), ("basic/a/2", [200]), ("basic/a/deep/3", [200]),
        ("basic/ab/4", [401, 200]), ("basic/5", [401, 200]), ("basic/6", [200]),
        ("archive/7", [401]),
      ] {
        let visit = try await client.get(page)
        #expect(visit.statuses == statuses, "\(page)")
      }
      #expect(
        try client.requests(10)
          == [
            ["basic/a/1", "basic/ab/4", "basic/5"].flatMap { challenged($0) },
            ["basic/a/2", "basic/a/deep/3", "basic/6"].map { "ann GET /\($0) 200 Basic -" },
            ["- GET /archive/7 401 - -"],
          ].flatMap(\.self).sorted())
    }

    @Test("after a success with Digest: wherever its domain says, and not beyond")
    func digestDomain() async throws {
      let client = try Client(.use("ann", "correct horse"))
      for (page, statuses) in [
        ("digest/1", [401, 200]), ("digest/2", [200]), ("also/3", [200]), ("basic/4", [401]),
      ] {
        let visit = try await client.get(page)
        #expect(visit.statuses == statuses, "\(page)")
      }
    }

    @Test(
      "always: what is stored goes out with the first request to this machine, and nobody is asked")
    func always() async throws {
      let client = try Client(before: .always)
      try client.store("ann", "correct horse", "Team Files")
      let visit = try await client.get("basic/1")
      #expect(visit.statuses == [200])
      #expect(try client.requests(1) == ["ann GET /basic/1 200 Basic -"])
      #expect(client.prompt.questions.isEmpty)
    }

    @Test(
      "what was sent unasked and is wrong is asked for, and the right one is stored in its place")
    func alwaysWrong() async throws {
      let client = try Client(.use("ann", "correct horse"), before: .always)
      let item = try client.store("ann", "wrong", "Team Files")
      let visit = try await client.get("basic/1")
      #expect(visit.statuses == [401, 200])
      #expect(
        try client.requests(2) == ["ann GET /basic/1 200 Basic -", "ann GET /basic/1 401 Basic -"])
      #expect(try client.hasPassword(item, "correct horse"))
    }

    // MARK: Redirects

    /// Answers challenges at a URL until there is nothing more to answer.
    func finish(
      _ exchange: inout Exchange, _ url: String
    ) async throws -> (statuses: [Int], reply: CurlReply) {
      var statuses: [Int] = []
      while true {
        let reply = try await CurlClient.send(CurlRequest(url: url, fields: exchange.fields))
        statuses.append(reply.status)
        if case .finish = try await exchange.next(after: reply.response) {
          return (statuses, reply)
        }
      }
    }

    @Test(
      "a redirect to another server takes nothing along, and there it is asked anew",
      arguments: [BeforeChallenge.never, .afterSuccess, .always], ["basic/away", "away/found"])
    func redirect(before: BeforeChallenge, path: String) async throws {
      let client = try Client(.use("bob", "b:o:b"), before: before)
      let credential = Credential(
        user: "ann", secret: Secret("correct horse"), persistence: .none)
      try client.store("ann", "correct horse", "Team Files")
      var request = try client.request(path)
      request.credential = credential
      request.user = "ann"
      var exchange = try await client.authenticator.exchange(for: request)
      let first = try await finish(&exchange, client.url(path))
      #expect(first.reply.status == 302 && client.prompt.questions.isEmpty)

      let url = try #require(first.reply.values(of: "Location").first)
      var next = try await exchange.redirected(to: RequestURL(url))
      let second = try await finish(&next, url)
      #expect(second.statuses == [401, 200])
      let question = try #require(client.prompt.questions.first)
      #expect(Int(question.space.port) == client.servers.elsewhere.port)
      #expect(question.user == nil && question.failedUser == nil && question.storedUsers.isEmpty)
      let page = path == "away/found" ? "found" : "away/found"
      #expect(
        try client.requests(2, at: client.servers.elsewhere) == [
          "- GET /basic/\(page) 401 - -", "bob GET /basic/\(page) 200 Basic -",
        ])
    }
  }
}
