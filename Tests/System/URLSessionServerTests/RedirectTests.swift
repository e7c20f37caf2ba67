import Foundation
import FoundationNetworking
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

extension RealServers {
  @Suite("Redirects to another origin")
  struct RedirectTests {
    @Test("whoever is sent away before a login logs in there alone", arguments: Engine.allCases)
    func before(_ engine: Engine) async throws {
      let client = try Client(.use("ann", "correct horse"), over: engine)
      #expect(try await client.get("away/1") == .page)
      #expect(client.reasons == [.done, .done])
      #expect(try client.items() == ["http elsewhere Team Files basic ann"])
      #expect(try client.requests(1) == ["- GET /away/1 302 - -"])
      #expect(
        try client.requests(2, at: client.servers.elsewhere) == [
          "- GET /basic/1 401 - -", "ann GET /basic/1 200 Basic -",
        ])
    }

    @Test(
      "what one origin accepted is not sent to another, and the user is asked anew",
      arguments: Engine.allCases)
    func after(_ engine: Engine) async throws {
      let client = try Client(.use("ann", "correct horse"), over: engine)
      #expect(try await client.get("basic/away").status == 401)
      #expect(client.reasons == [.done, .cancelled])
      let ports = [client.servers.origin, client.servers.elsewhere].map(\.port)
      #expect(client.prompt.questions.map { Int($0.space.port) } == ports)
      #expect(
        try client.requests(2) == ["- GET /basic/away 401 - -", "ann GET /basic/away 302 Basic -"])
      #expect(
        try client.requests(1, at: client.servers.elsewhere) == [
          "- GET /basic/away/found 401 - -"
        ])
      #expect(try client.items() == ["http origin Team Files basic ann"])
    }

    @Test("each origin's own credential is found in the vault", arguments: Engine.allCases)
    func stored(_ engine: Engine) async throws {
      let client = try Client(over: engine)
      try client.store("ann", "correct horse", "Team Files")
      try client.store("bob", "b:o:b", "Team Files", at: client.servers.elsewhere)
      #expect(try await client.get("basic/away") == .page)
      #expect(
        try client.requests(2, at: client.servers.elsewhere) == [
          "- GET /basic/away/found 401 - -", "bob GET /basic/away/found 200 Basic -",
        ])
    }

    @Test(
      "an Authorization that was set by hand is for the first origin alone",
      arguments: Engine.allCases)
    func byHand(_ engine: Engine) async throws {
      let client = try Client(over: engine)
      var request = URLRequest(url: try client.page("basic/away"))
      request.setValue("Basic YW5uOmNvcnJlY3QgaG9yc2U=", forHTTPHeaderField: "Authorization")
      let (body, response) = try await client.session.data(for: request)
      #expect(Client.Visit(body, response).status == 401)
      #expect(try client.requests(1) == ["ann GET /basic/away 302 Basic -"])
      #expect(
        try client.requests(1, at: client.servers.elsewhere) == [
          "- GET /basic/away/found 401 - -"
        ])
    }

    @Test(
      "a body goes along to where a 307 leads, and to each as often as it asks",
      arguments: Engine.allCases)
    func body(_ engine: Engine) async throws {
      let client = try Client(over: engine)
      let elsewhere = client.servers.elsewhere
      try client.store("ann", "correct horse", "Team Files")
      try client.store("bob", "b:o:b", "Team Digest", .digest, at: elsewhere)
      var request = URLRequest(url: try client.page("putbasic/moved"))
      request.httpMethod = "PUT"
      let (reply, response) = try await client.session.upload(
        for: request, from: TransferTests.body)
      #expect(Client.Visit(reply, response).status == 201)
      let isWhole = try client.received("1", at: elsewhere) == TransferTests.body
      #expect(isWhole)
      #expect(
        try client.requests(2) == [
          "- PUT /putbasic/moved 401 - -", "ann PUT /putbasic/moved 307 Basic -",
        ])
      #expect(
        try client.requests(2, at: elsewhere) == [
          "- PUT /putdigest/1 401 - -", "bob PUT /putdigest/1 201 Digest -",
        ])
    }

    @Test(
      "user and password of a URL wait for a challenge, go by its scheme, and to no other origin",
      arguments: Engine.allCases, [("basic", "Basic"), ("digest", "Digest")])
    func userInfo(_ engine: Engine, _ scheme: (path: String, name: String)) async throws {
      let (path, name) = scheme
      let client = try Client(over: engine)
      let page = path == "basic" ? "away" : "1"
      let url = client.url("\(path)/\(page)").replacing(
        "http://", with: "http://ann:correct%20horse@")
      let (body, response) = try await client.session.data(from: #require(URL(string: url)))
      #expect(Client.Visit(body, response).status == (path == "basic" ? 401 : 200))
      #expect(
        try client.requests(2) == [
          "- GET /\(path)/\(page) 401 - -",
          "ann GET /\(path)/\(page) \(path == "basic" ? 302 : 200) \(name) -",
        ])
      let elsewhere = try client.requests(path == "basic" ? 1 : 0, at: client.servers.elsewhere)
      #expect(elsewhere.allSatisfy { $0.hasPrefix("- ") && $0.hasSuffix(" 401 - -") })
      #expect(try client.items() == [])
    }
  }
}
