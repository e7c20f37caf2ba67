import Foundation
import HTTPTesting
import ProgramTesting
import Testing

extension LoginsOnConnections {
  @Suite("The server's proof")
  struct ProofTests {
    let client: LoginClient

    init() throws { client = try LoginClient() }

    @Test("a token that somebody has changed is no proof, and the response is not the server's")
    func tampered() throws {
      try client.store("ann", "annpw")
      let relay = try client.relay { head in
        let name = "WWW-Authenticate: Negotiate "
        guard let token = head.range(of: name)?.upperBound else { return head }
        // Within the part that only the server can make.
        let place = head.index(token, offsetBy: 90)
        let other = head[place] == "A" ? "B" : "A"
        return String(head[..<place]) + other + String(head[head.index(after: place)...])
      }
      try client.vaultctl(
        "modify", "-s", "localhost", "--set-port", "\(relay.port)")
      let lines = try client.get(["url=http://localhost:\(relay.port)/nego/tampered"])
      #expect(lines == ["[401, 200] unproven a page"])
    }

    @Test("a missing token is no proof where one is required", arguments: [false, true])
    func missing(isRequired: Bool) throws {
      try client.store("ann", "annpw")
      let relay = try client.relay { head in
        guard head.contains(" 200 OK") else { return head }
        return head.split(separator: "\r\n", omittingEmptySubsequences: false)
          .filter { !$0.hasPrefix("WWW-Authenticate:") }.joined(separator: "\r\n")
      }
      try client.vaultctl("modify", "-s", "localhost", "--set-port", "\(relay.port)")
      let lines = try client.get(
        ["url=http://localhost:\(relay.port)/nego/missing"] + (isRequired ? ["proof"] : []))
      #expect(
        isRequired
          ? lines.first?.hasPrefix("[401, 200] error ") == true
          : lines == ["[401, 200] done a page"], "\(lines)")
    }
  }
}
