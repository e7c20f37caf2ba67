import HTTPTesting
import ProgramTesting
import Testing

extension LoginsOnConnections {
  @Suite("Several users")
  struct SeveralUsersTests {
    @Test(
      "50 requests of two users at once never go out as the other",
      arguments: ["nego", "bound", "ntlm"])
    func interleaved(folder: String) throws {
      let client = try LoginClient()
      for (user, password) in [("ann", "annpw"), ("bob", "bobpw")] {
        try client.store(
          user, password, folder == "ntlm" ? "ntlm" : "negotiate", "--account-domain",
          folder == "ntlm" ? "VAULT" : "")
      }
      let lines = try client.get([
        "url=\(client.servers.url("\(folder)/of-ann"))", "user=ann",
        "url=\(client.servers.url("\(folder)/of-bob"))", "user=bob", "count=25", "atOnce",
      ])
      #expect(
        lines.count == 50 && lines.allSatisfy { $0.hasSuffix("200] done a page") }, "\(lines)")
      var ports: [String: Set<Substring>] = [:]
      for user in ["ann", "bob"] {
        let log = try client.servers.apache.requests(
          25, containing: "/\(folder)/of-\(user) "
        ) { $0.count { $0.contains(" 200 ") } == 25 }
        for line in log where line.contains(" 200 ") {
          #expect(line.split(separator: " ")[0].contains(user), "\(line)")
          ports[user, default: []].insert(line.split(separator: " ")[4])
        }
      }
      #expect(ports["ann"]?.isDisjoint(with: ports["bob"] ?? []) == true)
    }
  }
}
