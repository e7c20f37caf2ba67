import HTTPTesting
import ProgramTesting
import Testing

extension LoginsOnConnections {
  /// The command's other answers are in `Transcripts/explain.txt`, which has no KDC.
  @Suite("vaultctl explain")
  struct ExplanationTests {
    private let client: LoginClient

    init() throws { client = try LoginClient() }

    private func explain(_ words: String...) throws -> [String] {
      let url = "http://localhost:\(client.servers.apache.port)/nego/page"
      let result = try client.sandbox.run(
        ["vaultctl", "explain", url] + words, environment: client.variables)
      #expect(result.status == 0, "\(result.errors)")
      return result.lines.filter { $0.contains("transport") }
    }

    @Test("it names the user's ticket where there is one, and an item that comes before it")
    func ticket() throws {
      // Of another port, so that there is something to explain.
      try client.store("ann", "annpw")
      try client.vaultctl("modify", "-s", "localhost", "--set-port", "1")
      #expect(try explain() == [])
      try client.kinit("bob", "bobpw")
      #expect(try explain() == ["transport (Negotiate): the ticket of bob@VAULT.TEST"])
      #expect(try explain("--json").first?.contains(#""ticket":"bob@VAULT.TEST""#) == true)
      #expect(try client.get("nego/explained") == ["[401, 200] done a page"])
      #expect(try client.log("nego/explained", 2)[1].hasPrefix("bob@VAULT.TEST GET"))

      try client.store("ann", "annpw", "default")
      let answer = try explain()
      #expect(answer.count == 1 && answer[0].hasSuffix("  -  ann"), "\(answer)")
      #expect(try client.get("nego/item") == ["[401, 200] done a page"])
      #expect(try client.log("nego/item", 2)[1].hasPrefix("ann@VAULT.TEST GET"))
    }
  }
}
