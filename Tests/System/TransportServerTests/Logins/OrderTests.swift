import HTTPTesting
import ProgramTesting
import Testing

extension LoginsOnConnections {
  /// A server that offers Negotiate, Digest, NTLM and Basic in each order.
  @Suite("Several schemes")
  struct OrderTests {
    var client: LoginClient

    init() throws { client = try LoginClient() }

    /// What there is, and the scheme that answers all four, or those without Digest.
    struct Row: Sendable, CustomTestStringConvertible {
      let hasKDC: Bool
      let allowsNTLM: Bool
      let ofFour: String
      let ofThree: String
      var testDescription: String { "KDC \(hasKDC), NTLM \(allowsNTLM)" }
    }

    static let rows = [
      Row(hasKDC: true, allowsNTLM: true, ofFour: "Negotiate", ofThree: "Negotiate"),
      Row(hasKDC: true, allowsNTLM: false, ofFour: "Negotiate", ofThree: "Negotiate"),
      Row(hasKDC: false, allowsNTLM: true, ofFour: "Digest", ofThree: "NTLM"),
      Row(hasKDC: false, allowsNTLM: false, ofFour: "Digest", ofThree: "Basic"),
    ]

    private func orders(_ schemes: [String]) -> [[String]] {
      guard schemes.count > 1 else { return [schemes] }
      return schemes.flatMap { first in
        orders(schemes.filter { $0 != first }).map { [first] + $0 }
      }
    }

    @Test("the strongest that can be answered is, in whichever order they come", arguments: rows)
    func order(_ row: Row) throws {
      var client = client
      let three = ["Negotiate", "NTLM", "Basic"]
      let server = try LoginProgram(client, ["acceptor", "Digest"] + three)
      for method in ["default", "ntlm"] {
        try client.store(
          "ann", "annpw", method, "--account-domain", method == "ntlm" ? "VAULT" : "")
      }
      for method in ["default", "ntlm"] {
        try client.vaultctl(
          "modify", "-s", "localhost", "-t", method, "--set-port", "\(server.port)")
      }
      if !row.allowsNTLM {
        try client.vaultctl(
          "policy", "add", "--name", "corp", "--host", "localhost", "--ntlm", "no")
      }
      if !row.hasKDC { try client.loseKDC() }
      let paths = (orders(three + ["Digest"]) + orders(three)).map {
        "/order/" + $0.joined(separator: ",")
      }
      let lines = try client.get(
        ["apart"] + paths.map { "url=http://localhost:\(server.port)\($0)" })
      let log = try server.end()
      for (path, line) in zip(paths, lines) {
        let scheme = path.contains("Digest") ? row.ofFour : row.ofThree
        let statuses = scheme == "NTLM" ? "[401, 401, 200]" : "[401, 200]"
        #expect(line == "\(statuses) done a page", "\(path)")
        #expect(
          log.filter { $0.path == path && $0.scheme != "-" }.allSatisfy { $0.scheme == scheme },
          "\(path)")
      }
      #expect(lines.count == 30 && log.count { $0.status == 200 } == 30)
    }
  }
}
