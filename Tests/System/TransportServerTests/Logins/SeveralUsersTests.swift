import HTTPTesting
import ProgramTesting
import Testing

extension LoginsOnConnections {
  @Suite("Several users")
  struct SeveralUsersTests {
    /// A row of the server's log.
    private struct Row {
      let user: Substring
      let port: Substring
      let session: Substring
      let isResumed: Bool

      init(_ line: String) {
        let words = line.split(separator: " ")
        (user, port, session) = (words[0], words[4], words[6])
        isResumed = words[7] == "Resumed"
      }
    }

    /// Requests 25 pages as each of two users, and returns the server's rows for those that it
    /// answered, by the user that each page is of.
    private func rows(
      _ folder: String, of server: HTTPServer, _ scheme: String, atOnce: Bool
    ) throws -> [String: [Row]] {
      let client = try LoginClient()
      for (user, password) in [("ann", "annpw"), ("bob", "bobpw")] {
        try client.store(
          user, password, folder == "ntlm" ? "ntlm" : "negotiate", "--account-domain",
          folder == "ntlm" ? "VAULT" : "", securePort: scheme == "https" ? server.port : nil)
      }
      func path(_ user: String) -> String { "/\(folder)/\(atOnce ? "once" : "turn")/of-\(user)" }
      let url = "\(scheme)://localhost:\(server.port)"
      let lines = try client.get(
        [
          "url=\(url)\(path("ann"))", "user=ann", "url=\(url)\(path("bob"))", "user=bob",
          "count=25", "anchor=\(client.servers.anchor)",
        ] + (atOnce ? ["atOnce"] : []))
      try #require(
        lines.count == 50 && lines.allSatisfy { $0.hasSuffix("200] done a page") }, "\(lines)")
      var rows: [String: [Row]] = [:]
      for user in ["ann", "bob"] {
        let log = try server.requests(25, containing: "\(path(user)) ") { lines in
          lines.count { $0.contains(" 200 ") } == 25
        }
        let own = log.filter { $0.contains(" 200 ") }.map(Row.init)
        #expect(own.count == 25 && own.allSatisfy { $0.user.contains(user) })
        rows[user] = own
      }
      return rows
    }

    private func expectApart(_ rows: [String: [Row]], _ place: (Row) -> Substring) {
      let (ann, bob) = (Set((rows["ann"] ?? []).map(place)), Set((rows["bob"] ?? []).map(place)))
      #expect(!ann.isEmpty && !bob.isEmpty && ann.isDisjoint(with: bob), "\(ann) \(bob)")
    }

    @Test(
      "50 requests of two users, at once and in turn, never go out as the other",
      arguments: ["nego", "bound", "ntlm"], [true, false])
    func interleaved(folder: String, atOnce: Bool) throws {
      let rows = try rows(folder, of: LoginServers.shared.apache, "http", atOnce: atOnce)
      expectApart(rows, \.port)
    }

    /// The server closes each connection after five requests, wherever a login may be.
    @Test(
      "over TLS, connections and sessions that go on are of one user",
      arguments: ["nego", "bound", "ntlm"], [true, false])
    func resumed(folder: String, atOnce: Bool) throws {
      let rows = try rows(folder, of: LoginServers.shared.secure, "https", atOnce: atOnce)
      expectApart(rows, \.port)
      expectApart(rows, \.session)
      // At once, a user has so many connections that a request or two is sent over each.
      #expect(atOnce || rows.values.allSatisfy { $0.contains(where: \.isResumed) })
    }

    @Test(
      "a request of a user without a credential goes out as nobody", arguments: ["bound", "ntlm"])
    func nobody(folder: String) throws {
      let client = try LoginClient()
      try client.store(
        "ann", "annpw", folder == "ntlm" ? "ntlm" : "negotiate", "--account-domain",
        folder == "ntlm" ? "VAULT" : "")
      let url = client.servers.url("\(folder)/before-nobody")
      let lines = try client.get(["url=\(url)", "user=ann", "user=eve", "url=\(url)"])
      #expect(lines.first?.hasSuffix("200] done a page") == true, "\(lines)")
      #expect(lines.last == "[401] noCredential ")
      #expect(try client.log("\(folder)/before-nobody", 3).last?.hasPrefix("- GET") == true)
    }
  }
}
