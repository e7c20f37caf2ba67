import Foundation
import HTTPTesting
import ProgramTesting
import Testing

extension LoginsOnConnections {
  @Suite("NTLM at servers of two makes")
  struct OtherServerTests {
    let client: LoginClient

    init() throws { client = try LoginClient() }

    private func store(_ port: Int) throws {
      try client.store("ann", "annpw", "ntlm", "--account-domain", "VAULT")
      try client.vaultctl("modify", "-s", "localhost", "--set-port", "\(port)")
    }

    /// A server names the time, or does not, in which case no code of the messages' integrity is
    /// made (MS-NLMP §3.1.5.1.2).
    @Test(
      "pyspnego's is answered once for a connection, with the code and without it",
      arguments: [true, false])
    func pyspnego(namesTime: Bool) throws {
      let words = ["ntlm", client.servers.ntlmUsers] + (namesTime ? [] : ["--timeless"])
      let server = try LoginProgram(client, words)
      try store(server.port)
      let lines = try client.get(["url=http://localhost:\(server.port)/page", "count=2"])
      #expect(lines == ["[401, 401, 200] done a page", "[200] done a page"])
      let log = try server.end()
      #expect(log.map(\.user) == ["-", "-", "VAULT\\ann", "VAULT\\ann"])
      #expect(NTLMAnswerMessage(log[2].token)?.hasIntegrityCode == namesTime)
      #expect(log[3].token.isEmpty)
    }

    @Test("gss-ntlmssp's is answered with the code and without it", arguments: [true, false])
    func mechanism(namesTime: Bool) throws {
      let path = "ntlm/code-\(namesTime)"
      let relay = try client.relay { namesTime ? $0 : Self.withoutTime($0) }
      try store(relay.port)
      let lines = try client.get(["url=http://localhost:\(relay.port)/\(path)"])
      #expect(lines == ["[401, 401, 200] done a page"])
      let last = try #require(try client.log(path, 3).last)
      let message = NTLMAnswerMessage(last.split(separator: " ")[8])
      #expect(message?.hasIntegrityCode == namesTime, "\(last)")
    }

    /// Changes the number of the time in a challenge to one that means nothing.
    private static func withoutTime(_ head: String) -> String {
      let name = "WWW-Authenticate: NTLM "
      guard let start = head.range(of: name)?.upperBound,
        let end = head[start...].range(of: "\r\n")?.lowerBound,
        var challenge = Data(base64Encoded: String(head[start..<end])),
        let time = challenge.range(of: Data([7, 0, 8, 0]))
      else { return head }
      challenge[time.lowerBound] = 0x17
      return String(head[..<start]) + challenge.base64EncodedString() + head[end...]
    }
  }
}
