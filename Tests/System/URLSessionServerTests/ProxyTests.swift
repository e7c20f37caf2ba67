import Foundation
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import Testing
import URLSessionTesting
import VaultModel

/// The environment names the proxy, and libcurl reads it in the process, so these tests run in a
/// program of their own.
extension RealServers {
  @Suite("A proxy that asks, in front of a server that asks")
  struct ProxyTests {
    let client: Client

    init() throws { client = try Client() }

    /// Gets pages through a proxy.
    func get(
      _ lines: [String], over engine: Engine, through url: String
    ) async throws -> [String] {
      try await client.runProgram(lines, over: engine, environment: ["http_proxy": url])
    }

    func url(of gate: HTTPServer) -> String { "http://127.0.0.1:\(gate.port)" }

    @Test(
      "407, then 401, then 200: each side is asked for and stored by itself, and found later",
      arguments: Engine.allCases, Way.all)
    func both(_ engine: Engine, _ way: Way) async throws {
      let gate = way.gate(of: client.servers)
      let page = client.url("\(way.path)/1")
      let first = try await get(
        ["answer pat way out", "answer ann correct horse", "get \(page)"], over: engine,
        through: url(of: gate))
      func question(_ side: String, _ method: AuthenticationMethod) -> String {
        "\(side) \(method)" + (method == .basic ? " clear" : "")
      }
      #expect(
        first == [
          "200 a page", question("http-proxy \(gate.port) Way Out", way.proxyMethod),
          question("http \(client.servers.origin.port) \(way.realm)", way.method),
        ])
      #expect(
        try client.items() == [
          "http origin \(way.realm) \(way.method) ann",
          "http-proxy \(gate.folder.lastPathComponent) Way Out \(way.proxyMethod) pat",
        ])
      let shown = "http://127.0.0.1:\(client.servers.origin.port)/\(way.path)/1"
      let log = [
        "- GET \(shown) 407 - -", "pat GET \(shown) 200 \(way.name) \(way.proxyName)",
        "pat GET \(shown) 401 - \(way.proxyName)",
      ]
      #expect(try client.requests(3, at: gate) == log)
      // The proxy's credential does not reach the server.
      let serverLog = ["- GET /\(way.path)/1 401 - -", "ann GET /\(way.path)/1 200 \(way.name) -"]
      #expect(try client.requests(2) == serverLog)

      // The second page is requested with both.
      let later = try await get(
        ["get \(page)", "get \(client.url("\(way.path)/2"))"], over: engine, through: url(of: gate))
      #expect(later == ["200 a page", "200 a page"])
      #expect(
        try client.requests(7, at: gate).filter { $0.contains("/1 ") } == (log + log).sorted())
      #expect(
        try client.requests(5).last { $0.contains("/2 ") }
          == "ann GET /\(way.path)/2 200 \(way.name) -")
    }

    @Test(
      "what the proxy refuses is asked for again, and the server never hears of it",
      arguments: Engine.allCases)
    func proxyRefuses(_ engine: Engine) async throws {
      try client.store("ann", "correct horse", "Team Files")
      let gate = client.servers.basicGate
      let said = try await get(
        ["answer pat wrong", "answer pat no", "get \(client.url("basic/1"))"], over: engine,
        through: url(of: gate))
      #expect(said.first?.hasPrefix("407 ") == true)
      #expect(
        said.dropFirst()
          == Array(repeating: "http-proxy \(gate.port) Way Out basic clear", count: 3)[...])
      #expect(try client.items() == ["http origin Team Files basic ann"])
      #expect(try client.requests(3, at: gate).allSatisfy { $0.contains(" 407 ") })
      #expect(try client.requests(0).isEmpty)
    }

    @Test(
      "user and password in the proxy's URL are the proxy's alone, and nobody is asked for them",
      arguments: Engine.allCases)
    func userInfo(_ engine: Engine) async throws {
      let gate = client.servers.basicGate
      let said = try await get(
        ["answer ann correct horse", "get \(client.url("basic/1"))"], over: engine,
        through: "http://pat:way%20out@127.0.0.1:\(gate.port)")
      #expect(
        said == ["200 a page", "http \(client.servers.origin.port) Team Files basic clear"])
      #expect(try client.items() == ["http origin Team Files basic ann"])
      #expect(
        try client.requests(2) == ["- GET /basic/1 401 - -", "ann GET /basic/1 200 Basic -"])
    }

    @Test(
      "what no_proxy names is asked directly, and the proxy hears nothing",
      arguments: Engine.allCases)
    func noProxy(_ engine: Engine) async throws {
      try client.store("ann", "correct horse", "Team Files")
      let said = try await client.runProgram(
        ["get \(client.url("basic/1"))"], over: engine,
        environment: [
          "http_proxy": url(of: client.servers.basicGate), "no_proxy": "127.0.0.1",
        ])
      #expect(said == ["200 a page"])
      #expect(try client.requests(2).count == 2)
      #expect(try client.requests(0, at: client.servers.basicGate).isEmpty)
    }

    @Test(
      "a redirect to another origin takes the proxy's login along, and not the server's",
      arguments: Engine.allCases)
    func redirect(_ engine: Engine) async throws {
      try client.store("ann", "correct horse", "Team Files")
      let gate = client.servers.digestGate
      let said = try await get(
        ["answer pat way out", "get \(client.url("basic/away"))"], over: engine,
        through: url(of: gate))
      let elsewhere = client.servers.elsewhere
      #expect(
        said == [
          "401 ", "http-proxy \(gate.port) Way Out digest",
          "http \(elsewhere.port) Team Files basic clear",
        ])
      #expect(try client.requests(1, at: elsewhere) == ["- GET /basic/away/found 401 - -"])
      #expect(
        try client.requests(4, at: gate).filter { $0.contains("/found ") } == [
          "pat GET http://127.0.0.1:\(elsewhere.port)/basic/away/found 401 - Digest"
        ])
    }

    @Test("a server that asks as if it were a proxy gets no answer", arguments: Engine.allCases)
    func impostor(_ engine: Engine) async throws {
      let client = try Client(.use("pat", "way out"), over: engine)
      #expect(try await client.get("impostor/1").status == 407)
      #expect(client.reasons == [.done] && client.prompt.questions.isEmpty)
    }
  }
}
