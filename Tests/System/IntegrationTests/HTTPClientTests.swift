import Foundation
import ProgramTesting
import TestTraits
import Testing

@Suite("Examples/HTTPClient at a server", .waiting)
struct HTTPClientTests {
  let client: HTTPClient

  init() throws { client = try HTTPClient() }

  func question(user: String, _ host: String = "server 127.0.0.1") -> String {
    HTTPClient.question(host, "Team Files", user: user)
  }

  @Test(
    "the first run asks and saves, the second does not ask",
    arguments: [
      ("basic", "basic", "Team Files"), ("digest", "digest", "Team Digest"),
      ("either", "digest", "Team Digest"),
    ])
  func askOnce(page: String, method: String, realm: String) throws {
    let first = try client.get(
      client.url("\(page)/page?1"), typing: HTTPClient.login("ann", "correct horse"))
    #expect(first.status == 0 && first.errors == "" && first.output == "a page\n")
    #expect(
      first.shown
        == HTTPClient.question(
          "server 127.0.0.1", realm, isClear: method == "basic", user: "ann"))
    #expect(first.echoes)
    let items = try client.items()
    let item = try #require(items.first)
    #expect(items == [item])
    #expect(item.place == "http 127.0.0.1:\(client.server.port) \"\(realm)\" \(method) ann")
    #expect(try client.secret(of: item) == "correct horse\n")

    let second = try client.get(client.url("\(page)/page?2"))
    #expect(second.status == 0 && second.errors == "" && second.output == "a page\n")
    #expect(second.shown == "")
    #expect(try client.items() == items)
    #expect(
      try client.server.requests(4) == [
        "- GET /\(page)/page?1 401", "ann GET /\(page)/page?1 200",
        "- GET /\(page)/page?2 401", "ann GET /\(page)/page?2 200",
      ])
  }

  @Test(
    "what a URL may not have is sent as Digest has it: lighttpd refuses the one without the other",
    arguments: ["a|b", "caf\u{E9}?{x}"])
  func encoded(_ page: String) throws {
    let pages = client.sandbox.folder.appending(path: "lighttpd/pages")
    try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
    try Data("a page\n".utf8).write(to: pages.appending(path: "page"))
    let server = try HTTPServer(
      "hashes", in: client.sandbox, name: "lighttpd", users: ["ann": "correct horse"])
    let run = try client.get(
      "http://127.0.0.1:\(server.port)/sha256/\(page)",
      typing: HTTPClient.login("ann", "correct horse"))
    #expect(run.status == 0 && run.errors == "" && run.output == "a page\n")
  }

  @Test("after the server's password changed it asks, and modifies the item that it has")
  func changedPassword() throws {
    let login = HTTPClient.login("ann", "correct horse")
    try #require(try client.get(client.url("basic/page"), typing: login).status == 0)
    let id = try #require(try client.items().first).id
    try client.vaultctl(
      "modify", "-q", "--id", id, "--label", "Files", "--comment", "asked for by the team")
    let before = try client.items()
    let item = try #require(before.first)

    try client.server.setUsers(["ann": "battery staple"])
    let changed = try client.get(
      client.url("basic/page"), typing: HTTPClient.login("ann", "battery staple"))
    #expect(changed.status == 0 && changed.errors == "" && changed.output == "a page\n")
    #expect(changed.shown == question(user: "ann"))
    #expect(try client.items() == before)
    #expect(item.label == "Files")
    #expect(try client.secret(of: item) == "battery staple\n")
    #expect(try client.history(of: item) == ["correct horse\n"])

    let after = try client.get(client.url("basic/page"))
    #expect(after.status == 0 && after.shown == "")
  }

  @Test("a password that has expired is not sent, and a new one renews its item")
  func expired() throws {
    let login = HTTPClient.login("ann", "correct horse")
    try #require(try client.get(client.url("basic/page"), typing: login).status == 0)
    let items = try client.items()
    let id = try #require(items.first).id
    // A login that was stored without the method also answers for it, and is the one to renew.
    try client.vaultctl(
      "modify", "-q", "--id", id, "--expires", "2020-01-01T00:00:00Z", "--set-auth", "default")
    let renewed = try client.get(client.url("basic/page"), typing: login)
    #expect(renewed.status == 0 && renewed.errors == "" && renewed.shown == question(user: "ann"))
    #expect(try client.items().map(\.id) == [id])
    #expect(try client.get(client.url("basic/page")).shown == "")
  }

  @Test("what the server refuses is not saved, and after three answers it gives up")
  func refused() throws {
    let wrong = ["one", "two", "three", "four"].flatMap { HTTPClient.login("ann", $0) }
    let run = try client.get(client.url("basic/page"), typing: wrong)
    #expect(run.status == 1 && run.output == "")
    #expect(run.errors.hasSuffix("/basic/page: all credentials are refused\n"))
    #expect(run.shown == String(repeating: question(user: "ann"), count: 3))
    #expect(try client.items().isEmpty)
  }

  @Test("of several answers only the accepted one is saved", arguments: ["basic", "digest"])
  func corrected(page: String) throws {
    let answers = ["correct", "correct horse"].flatMap { HTTPClient.login("ann", $0) }
    let run = try client.get(client.url("\(page)/page"), typing: answers)
    #expect(run.status == 0 && run.output == "a page\n")
    let items = try client.items()
    let item = try #require(items.first)
    #expect(items == [item])
    #expect(try client.secret(of: item) == "correct horse\n")
    #expect(try client.history(of: item).isEmpty)
  }

  @Test("a login that the server accepted is saved, even if the page is missing")
  func missingPage() throws {
    let run = try client.get(
      client.url("basic/missing"), typing: HTTPClient.login("ann", "correct horse"))
    #expect(run.status == 1 && run.output == "")
    #expect(run.errors.hasSuffix("/basic/missing: HTTP status 404\n"))
    #expect(try client.items().map(\.account) == ["ann"])
  }

  @Test("an item of another path is not sent, and one of the path is")
  func paths() throws {
    for (count, path) in [(2, "private"), (4, "basic")] {
      try client.vaultctl(
        "add", "-q", "-r", "http", "-s", "127.0.0.1", "-P", "\(client.server.port)", "-d",
        "Team Files", "-t", "basic", "-a", "ann", "-p", path, "--password-stdin",
        input: path == "basic" ? "correct horse" : "of another")
      let run = try client.get(client.url("basic/page"), typing: HTTPClient.login("bob", "b:o:b"))
      #expect(run.status == 0 && run.errors == "")
      #expect((run.shown == "") == (path == "basic"))
      #expect(
        try client.server.requests(count).suffix(2) == [
          "- GET /basic/page 401", "\(path == "basic" ? "ann" : "bob") GET /basic/page 200",
        ])
      for item in try client.items() where item.place.hasSuffix(" bob") {
        try client.vaultctl("rm", "-q", "--id", item.id)
      }
    }
  }

  @Test("another user's item is left alone, and the one that was chosen logs in")
  func severalUsers() throws {
    let wrong = "no longer so"
    try client.vaultctl(
      "add", "-q", "-r", "http", "-s", "127.0.0.1", "-P", "\(client.server.port)", "-d",
      "Team Files", "-t", "basic", "-a", "ann", "--password-stdin", input: wrong)
    let run = try client.get(client.url("basic/page"), typing: HTTPClient.login("bob", "b:o:b"))
    #expect(run.status == 0)
    let items = try client.items()
    #expect(items.map(\.account) == ["ann", "bob"])
    #expect(try items.map(client.secret) == ["\(wrong)\n", "b:o:b\n"])
    let bob = try #require(items.last)
    try client.vaultctl("default", "set", "-q", "--id", bob.id)
    let second = try client.get(client.url("basic/page"))
    #expect(second.status == 0 && second.shown == "")
  }

  @Test("another server that it is led to is asked anew, and gets nothing that was not for it")
  func elsewhere() throws {
    let first = try client.get(
      client.url("basic/elsewhere"),
      typing: HTTPClient.login("ann", "correct horse") + HTTPClient.login("bob", "b:o:b"))
    #expect(first.status == 0 && first.output == "a page\n")
    #expect(
      first.shown == question(user: "ann") + question(user: "bob", "server localhost"))
    let port = client.server.port
    #expect(
      // Several processes serve, and each logs its answers with a delay.
      try Set(HTTPClient.sent(to: client.server, 4)) == [
        "127.0.0.1:\(port) [-] [-]",
        "127.0.0.1:\(port) [\(HTTPClient.basic("ann", "correct horse"))] [-]",
        "localhost:\(port) [-] [-]",
        "localhost:\(port) [\(HTTPClient.basic("bob", "b:o:b"))] [-]",
      ])
    #expect(try client.items().map(\.server) == ["127.0.0.1", "localhost"])
  }

  // MARK: Limits

  @Test("Ctrl-C at the password ends it, with the terminal as it was and nothing saved")
  func interrupted() throws {
    let run = try client.get(
      client.url("basic/page"), typing: [("User: ", "ann"), ("Password: ", "^C")])
    #expect(run.status != 0 && run.output == "")
    #expect(run.echoes)
    #expect(try client.items().isEmpty)
    #expect(try client.server.requests(1).count == 1)
  }

  @Test("without an answer it ends and says so")
  func noAnswer() throws {
    let run = try client.get(client.url("basic/page"), typing: [("User: ", "^D")])
    #expect(run.status == 1)
    #expect(run.errors.hasSuffix("/basic/page: nobody says who logs in\n"))
  }

  @Test("a vault that is locked or missing is told with what to do, and nobody is asked")
  func noVault() throws {
    let locked = try client.get(
      client.url("basic/page"), environment: ["VAULTCTL_KEY_FILE": .none])
    #expect(locked.status == 1 && locked.shown == "")
    #expect(locked.errors.hasPrefix("httpclient: error: the vault is locked\n"))
    #expect(locked.errors.contains("hint: set VAULTCTL_KEY_FILE"))
    let missing = try client.get(
      client.url("basic/page"), environment: ["VAULTCTL_VAULT": "/none.vault"])
    #expect(missing.status == 1 && missing.shown == "")
    #expect(missing.errors.contains("hint: vaultctl init"))
    #expect(
      try client.server.requests(2)
        == Array(repeating: "- GET /basic/page 401", count: 2))
  }

  @Test("a secret that Basic cannot carry is not sent in part: the client asks for another")
  func secretWithNUL() throws {
    try client.vaultctl(
      "add", "-q", "-r", "http", "-s", "127.0.0.1", "-P", "\(client.server.port)", "-d",
      "Team Files", "-a", "ann", "--password-stdin", input: "correct horse\0battery")
    let run = try client.get(
      client.url("basic/page"), typing: HTTPClient.login("ann", "correct horse"))
    #expect(run.status == 0 && run.shown == question(user: "ann"))
    #expect(
      try client.server.requests(2) == ["- GET /basic/page 401", "ann GET /basic/page 200"])
  }

  @Test("a page that is open needs no vault")
  func open() throws {
    let run = try client.get(
      client.url("open/page"), environment: ["VAULTCTL_VAULT": "/none.vault"])
    #expect(run.status == 0 && run.output == "a page\n" && run.shown == "")
  }

  @Test(
    "an address with a user or a password in it is refused before anything is sent",
    arguments: ["ann@", "ann:correct%20horse@"])
  func userInAddress(user: String) throws {
    let url = "http://\(user)127.0.0.1:\(client.server.port)/basic/page"
    for words in [[url], ["-x", url, client.url("open/page")]] {
      let run = try client.sandbox.run([client.program] + words)
      #expect(run.status == 1)
      #expect(!run.errors.contains("ann"))
    }
    #expect(try client.server.requests().isEmpty)
  }

  @Test("what a policy forbids is not saved, and the page is there all the same")
  func policy() throws {
    try client.vaultctl("policy", "add", "-q", "--name", "here", "--refuse")
    let run = try client.get(
      client.url("basic/page"), typing: HTTPClient.login("ann", "correct horse"))
    #expect(run.status == 0 && run.output == "a page\n")
    #expect(try client.items().isEmpty)
  }

  @Test("where a policy wants a server's word first, the saved login has it")
  func acceptance() throws {
    try client.vaultctl("policy", "add", "-q", "--name", "here", "--after-acceptance")
    let run = try client.get(
      client.url("basic/page"), typing: HTTPClient.login("ann", "correct horse"))
    #expect(run.status == 0 && run.errors == "")
    #expect(try client.items().count == 1)
  }
}
