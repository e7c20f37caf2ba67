import HTTPTesting
import Testing

extension TransportAtServers {
  /// Challenges, which are the program's as on Apple's systems, or the vault's.
  @Suite("CFReadStream at real servers")
  struct StreamLoginTests {
    @Test(
      "a challenge is answered by a CFHTTPAuthentication, which learns of a wrong password",
      arguments: [("basic", "Basic"), ("digest", "Digest")])
    func authentication(_ row: (folder: String, method: String)) throws {
      let client = try TransportClient()
      let url = client.url("\(row.folder)/1")
      let asked = Streamed(url)
      #expect(asked.status == 401 && asked.state == Streamed.atEnd && asked.requests == 1)
      let end = Streamed(url, user: "ann", password: "correct horse")
      #expect(end.status == 200 && end.body == Servers.page && end.requests == 2)
      #expect(end.method == row.method && end.error == [0, 0])
      let wrong = Streamed(url, user: "ann", password: "wrong")
      #expect(wrong.status == 401 && wrong.requests == 2)
    }

    @Test("the vault of a transport's settings answers first, and else it is the program's turn")
    func vault() throws {
      let client = try TransportClient()
      let url = client.url("basic/1")
      let end = Streamed(url, user: "ann", password: "correct horse", vault: client.vault)
      #expect(end.status == 200 && end.requests == 2)
      try client.store("ann", "correct horse", "Team Files")
      let known = Streamed(url, vault: client.vault)
      #expect(known.status == 200 && known.body == Servers.page && known.requests == 1)
    }
  }
}
