import HTTPTesting
import ProgramTesting
import Testing

extension LoginsOnConnections {
  /// Servers that require that logins are bound to their certificate (RFC 5929 §4).
  @Suite("Channel bindings")
  struct BindingTests {
    let client: LoginClient

    init() throws { client = try LoginClient() }

    /// A server: MIT's library with Kerberos or with gss-ntlmssp, and pyspnego with NTLM.
    enum Kind: String, CaseIterable {
      case kerberos, mechanism, pyspnego

      var isNTLM: Bool { self != .kerberos }

      func words(_ client: LoginClient) -> [String] {
        switch self {
        case .kerberos: ["acceptor", "Negotiate"]
        case .mechanism: ["acceptor", "NTLM"]
        case .pyspnego: ["ntlm", client.servers.ntlmUsers]
        }
      }

      /// The statuses of a request that is accepted.
      var accepted: String { isNTLM ? "[401, 401, 200]" : "[401, 200]" }
    }

    private func start(_ kind: Kind, _ options: [String]) throws -> LoginProgram {
      let server = try LoginProgram(client, kind.words(client) + options)
      try client.store(
        "ann", "annpw", kind.isNTLM ? "ntlm" : "negotiate", "--account-domain",
        kind.isNTLM ? "VAULT" : "", securePort: server.port)
      return server
    }

    private func get(
      _ path: String, _ server: LoginProgram, _ certificate: String
    ) throws -> [String] {
      try client.get([
        "url=https://localhost:\(server.port)\(path)", "anchor=\(certificate).der", "count=2",
      ])
    }

    @Test(
      "a login is bound to the server's certificate, by the hash of its signature",
      arguments: Kind.allCases, ["sha256", "sha384"])
    func bound(kind: Kind, hash: String) throws {
      let own = try client.sandbox.makeCertificate("own", signedBy: hash)
      let server = try start(kind, ["--tls", own, "--bound", own, "--hash", hash])
      let lines = try get("/page", server, own)
      #expect(lines == ["\(kind.accepted) done a page", "[200] done a page"])
      let log = try server.end()
      #expect(log.map(\.user).suffix(2).allSatisfy { $0.contains("ann") }, "\(log)")
      guard kind.isNTLM else { return }
      #expect(NTLMAnswerMessage(log[2].token)?.isBound == true)
    }

    @Test("a login at a server that requires none is accepted too", arguments: Kind.allCases)
    func free(kind: Kind) throws {
      let own = try client.sandbox.makeCertificate("own")
      let server = try start(kind, ["--tls", own])
      #expect(try get("/page", server, own).first == "\(kind.accepted) done a page")
    }

    @Test(
      "a login that is bound to another certificate is refused, as behind a machine in between",
      arguments: Kind.allCases)
    func other(kind: Kind) throws {
      let own = try client.sandbox.makeCertificate("own")
      let other = try client.sandbox.makeCertificate("other")
      let server = try start(kind, ["--tls", own, "--bound", other])
      let lines = try get("/page", server, own)
      #expect(lines.allSatisfy { !$0.contains("200") }, "\(lines)")
      #expect(try server.end().allSatisfy { $0.user == "-" })
    }

    @Test("a login that is bound to nothing is refused", arguments: Kind.allCases)
    func unbound(kind: Kind) throws {
      let own = try client.sandbox.makeCertificate("own")
      let server = try start(kind, ["--bound", own])
      try client.vaultctl("modify", "-s", "localhost", "--set-protocol", "http")
      let lines = try client.get(["url=http://localhost:\(server.port)/page"])
      #expect(lines.allSatisfy { $0.contains("rejected") }, "\(lines)")
      let log = try server.end()
      #expect(log.allSatisfy { $0.user == "-" })
      guard kind.isNTLM else { return }
      #expect(NTLMAnswerMessage(log[2].token)?.isBound == false)
    }

    @Test("a login over a session of TLS that goes on is bound too", arguments: Kind.allCases)
    func resumed(kind: Kind) throws {
      let own = try client.sandbox.makeCertificate("own")
      let server = try start(kind, ["--tls", own, "--bound", own])
      let lines = try get("/close/page", server, own)
      #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix("200] done a page") }, "\(lines)")
      let log = try server.end()
      #expect(log.contains { $0.user.contains("ann") && $0.isResumed }, "\(log)")
    }
  }
}
