import Foundation
import ProgramTesting
import TestTraits
import Testing

@Suite("Examples/HTTPClient through a proxy", .waiting)
struct HTTPClientProxyTests {
  let client: HTTPClient
  let proxy: HTTPServer

  init() throws {
    client = try HTTPClient()
    proxy = try HTTPServer("proxy", in: client.sandbox, name: "proxy", users: ["pat": "way out"])
  }

  func get(
    _ url: String, typing dialogue: [(shown: String, typed: String?)] = []
  ) throws -> HTTPClient.Run {
    try client.get("-x", "http://127.0.0.1:\(proxy.port)", url, typing: dialogue)
  }

  let pat = HTTPClient.login("pat", "way out")
  let ann = HTTPClient.login("ann", "correct horse")

  func question(user: String) -> String {
    HTTPClient.question("proxy 127.0.0.1", "Way Out", user: user)
  }

  var proxyItem: String { "http-proxy 127.0.0.1:\(proxy.port) \"Way Out\" basic pat" }

  @Test(
    "the proxy asks and gets its own item, the server gets its own",
    arguments: [false, true])
  func askOnce(isServerKnown: Bool) throws {
    if isServerKnown {
      try #require(try client.get(client.url("basic/page"), typing: ann).status == 0)
    }
    let before = isServerKnown ? 2 : 0
    let first = try get(client.url("basic/page?1"), typing: isServerKnown ? pat : pat + ann)
    #expect(first.status == 0 && first.errors == "" && first.output == "a page\n")
    let server = HTTPClient.question("server 127.0.0.1", "Team Files", user: "ann")
    #expect(first.shown == question(user: "pat") + (isServerKnown ? "" : server))
    let items = try client.items()
    #expect(
      Set(items.map(\.place)) == [
        proxyItem, "http 127.0.0.1:\(client.server.port) \"Team Files\" basic ann",
      ])

    let second = try get(client.url("basic/page?2"))
    #expect(second.status == 0 && second.shown == "" && second.output == "a page\n")
    #expect(try client.items() == items)

    let host = "127.0.0.1:\(client.server.port)"
    let forProxy = HTTPClient.basic("pat", "way out")
    let forServer = HTTPClient.basic("ann", "correct horse")
    let exchange = [
      "\(host) [-] [-]", "\(host) [-] [\(forProxy)]", "\(host) [\(forServer)] [\(forProxy)]",
    ]
    #expect(try HTTPClient.sent(to: proxy, 6) == exchange + exchange)
    #expect(
      try Set(client.server.requests(before + 4).dropFirst(before)) == [
        "- GET /basic/page?1 401", "ann GET /basic/page?1 200",
        "- GET /basic/page?2 401", "ann GET /basic/page?2 200",
      ])
    #expect(
      try !HTTPClient.sent(to: client.server, before + 4).contains { $0.contains(forProxy) })
  }

  @Test("after the proxy's password changed it asks for that alone, and modifies its item")
  func changedPassword() throws {
    try #require(try get(client.url("basic/page"), typing: pat + ann).status == 0)
    let id = try #require(try client.items().first { $0.realm == "Way Out" }).id
    try client.vaultctl("modify", "-q", "--id", id, "--label", "Gate", "--comment", "at the door")
    let before = try client.items()

    try proxy.setUsers(["pat": "another way"])
    let changed = try get(
      client.url("basic/page"), typing: HTTPClient.login("pat", "another way"))
    #expect(changed.status == 0 && changed.errors == "" && changed.output == "a page\n")
    #expect(changed.shown == question(user: "pat"))
    #expect(try client.items() == before)
    let item = try #require(before.first { $0.label == "Gate" })
    #expect(try client.secret(of: item) == "another way\n")
    #expect(try client.history(of: item) == ["way out\n"])
  }

  @Test("what the proxy refuses is not saved, and the server never hears of it")
  func refused() throws {
    let wrong = ["one", "two", "three"].flatMap { HTTPClient.login("pat", $0) }
    let run = try get(client.url("basic/page"), typing: wrong)
    #expect(run.status == 1)
    #expect(run.errors.hasSuffix("/basic/page: all credentials are refused\n"))
    #expect(try client.items().isEmpty)
    #expect(try proxy.requests(4).allSatisfy { $0.hasSuffix(" 407") })
    #expect(try client.server.requests().isEmpty)
  }

  @Test("a tunnel that opens has accepted the proxy's login, whatever comes out of it")
  func tunnel() throws {
    // The server speaks no TLS.
    let url = "https://127.0.0.1:\(client.server.port)/basic/page"
    let first = try get(url, typing: pat)
    #expect(first.status == 1 && first.shown == question(user: "pat"))
    #expect(try client.items().map(\.place) == [proxyItem])
    #expect(try get(url).shown == "")
    #expect(
      try HTTPClient.sent(to: proxy, 4).map { $0.contains(HTTPClient.basic("pat", "way out")) }
        == [false, true, false, true])
  }

  @Test("a server that asks as if it were a proxy gets no answer")
  func impostor() throws {
    let run = try client.get(client.url("impostor"))
    #expect(run.status == 1 && run.shown == "")
    #expect(run.errors.hasSuffix("/impostor: HTTP status 407\n"))
  }
}
