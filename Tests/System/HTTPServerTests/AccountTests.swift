import CredentialVault
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import Testing
import VaultModel

extension RealServers {
  @Suite("Whose credential")
  struct AccountTests {
    /// Creates a client whose vault has both users' right passwords.
    func client(_ answers: Answer..., defaultUser: String? = nil) throws -> Client {
      let client = try Client(answers)
      for user in ["ann", "bob"] {
        let password = try #require(Servers.users[user])
        let item = try client.store(user, password, "Team Files")
        if user == defaultUser, let space = item.space {
          try client.vault.setDefaultUser(user, for: space)
        }
      }
      return client
    }

    @Test(
      "the account of the request is the one that is sent, whoever else is stored",
      arguments: ["ann", "bob"])
    func account(user: String) async throws {
      let client = try client()
      var request = try client.request("basic/1")
      request.user = user
      let visit = try await client.get("basic/1", request)
      #expect(visit.statuses == [401, 200] && client.prompt.questions.isEmpty)
      #expect(
        try client.requests(2) == ["- GET /basic/1 401 - -", "\(user) GET /basic/1 200 Basic -"])
    }

    @Test("the default of the space is sent, and without one the prompt chooses among all")
    func defaultUser() async throws {
      let decided = try client(defaultUser: "bob")
      _ = try await decided.get("basic/1")
      #expect(
        try decided.requests(2) == ["- GET /basic/1 401 - -", "bob GET /basic/1 200 Basic -"])
      let asked = try client(.useStored(user: "bob"))
      _ = try await asked.get("basic/1")
      #expect(asked.prompt.questions.map { $0.storedUsers.sorted() } == [["ann", "bob"]])
      #expect(
        try asked.requests(2) == ["- GET /basic/1 401 - -", "bob GET /basic/1 200 Basic -"])
    }

    @Test(
      "what the request brings comes before its URL, the URL before the vault; only it is stored")
    func precedence() async throws {
      let client = try Client()
      try client.store("bob", "b:o:b", "Team Files")
      let url = client.url("basic/1").replacing("http://", with: "http://ann:correct%20horse@")
      var request = RequestHead(url: try RequestURL(url))
      let first = try await client.get("basic/1", request)
      #expect(first.statuses == [401, 200])
      request.credential = Credential(user: "eve", secret: Secret(""), persistence: .permanent)
      let second = try await client.get("basic/2", request)
      #expect(second.reply.status == 200)
      let lines = try client.requests(second.statuses.count + 2)
      #expect(lines.contains("ann GET /basic/1 200 Basic -"))
      #expect(lines.contains("eve GET /basic/2 200 Basic -"))
      #expect(
        try client.items().sorted() == [
          "http origin Team Files basic bob", "http origin Team Files basic eve",
        ])
      #expect(client.prompt.questions.isEmpty)
    }
  }
}
