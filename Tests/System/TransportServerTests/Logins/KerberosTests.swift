import Foundation
import HTTPTesting
import ProgramTesting
import Testing

/// All logins on connections, in one suite so that their servers start once.
@Suite("Logins on connections", .loginServers) enum LoginsOnConnections {}

extension LoginsOnConnections {
  @Suite("Kerberos")
  struct KerberosTests {
    let client: LoginClient

    init() throws { client = try LoginClient() }

    @Test("a ticket of the user's own logs in, without a user and a password")
    func ticket() throws {
      var client = client
      client.variables["KRB5CCNAME"] = "FILE:\(client.sandbox.home.path)/tickets"
      try client.kinit("ann", "annpw")
      #expect(try client.get("nego/ticket") == ["[401, 200] done a page"])
      #expect(try client.log("nego/ticket", 2).map { $0.prefix(5) } == ["- GET", "ann@V"])
    }

    @Test("Negotiate offers Kerberos alone, where NTLM is installed and has a user, too")
    func mechanisms() throws {
      var client = client
      client.variables["NTLM_USER_FILE"] = client.servers.ntlmUsers
      try client.kinit("ann", "annpw")
      #expect(try client.get("nego/mechanisms") == ["[401, 200] done a page"])
      let line = try client.log("nego/mechanisms", 2)[1]
      let token = try #require(Data(base64Encoded: String(line.split(separator: " ")[8])))
      func has(_ identifier: [UInt8]) -> Bool { token.range(of: Data(identifier)) != nil }
      #expect(has([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 1, 2, 2]))
      #expect(!has([0x2b, 6, 1, 4, 1, 0x82, 0x37, 2, 2, 0x0a]))
    }

    /// Logs in while the system's calls are recorded, and returns the lines about files.
    private func trace(_ path: String) throws -> [String] {
      let trace = client.sandbox.home.appending(path: "trace").path
      let result = try client.sandbox.run(
        [
          "strace", "-f", "-e", "trace=%file", "-o", trace,
          Project.products.appending(path: "LoginTestDriver").path,
          "url=\(client.servers.url(path))",
        ], environment: client.variables)
      #expect(result.lines == ["[401, 200] done a page"], "\(result.errors)")
      return try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(
        String.init)
    }

    /// Expects that no file was made or written but those of the vault.
    private func expectNoFile(
      _ lines: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let changes = ["O_CREAT", "O_WRONLY", "O_RDWR"] + ["link", "mk", "rename"].map { " \($0)" }
      let changed = lines.filter { line in changes.contains { line.contains($0) } }
      // The vault and its rollback record.
      let own = ["/test.vault", "/.local/state/vaultctl/", "/dev/"]
      let others = changed.filter { line in !own.contains { line.contains($0) } }
      #expect(others.isEmpty, "\(others)", sourceLocation: sourceLocation)
    }

    @Test("a password of the vault logs in without kinit, and no file is written")
    func password() throws {
      try client.store("ann", "annpw")
      let lines = try trace("nego/password")
      #expect(try client.log("nego/password", 2)[1].hasPrefix("ann@VAULT.TEST GET"))
      #expect(lines.contains { $0.contains("krb5.conf") })
      expectNoFile(lines)
    }

    @Test("a keytab of the vault logs in as its principal, and no file is written")
    func keytab() throws {
      let keytab = client.servers.kdc.path("robot.keytab")
      try client.vaultctl(
        "add", "-s", "localhost", "-r", "http", "-P", "\(client.servers.apache.port)", "-t",
        "negotiate", "-a", "robot", "--secret-kind", "keytab", "--password-file", keytab)
      let lines = try trace("nego/keytab")
      #expect(try client.log("nego/keytab", 2)[1].hasPrefix("robot@VAULT.TEST GET"))
      // A file in memory, which has no name.
      #expect(lines.contains { $0.contains("/proc/self/fd/") })
      expectNoFile(lines)
    }

    @Test("after a success the token is sent unasked, and the KDC is not asked again")
    func later() throws {
      let client = client
      // A user of this test alone: others ask the same KDC meanwhile.
      try client.store("joe", "joepw")
      let before = try client.servers.kdc.requests("AS", of: "joe@VAULT.TEST").count
      let lines = try client.get("nego/later", "count=3")
      #expect(lines == ["[401, 200] done a page", "[200] done a page", "[200] done a page"])
      let log = try client.log("nego/later", 4)
      #expect(log.dropFirst().allSatisfy { $0.hasPrefix("joe@VAULT.TEST GET") })
      // Preauthentication takes two requests.
      #expect(try client.servers.kdc.requests("AS", of: "joe@VAULT.TEST").count == before + 2)
    }

    @Test(
      "each failure has its own outcome",
      arguments: [
        ("ann", "wrong", "wrong-password"), ("bob", "wrong", "wrong-password"),
        ("nobody", "x", "unknown-user"), ("old", "oldpw", "expired-password"),
        ("off", "offpw", "revoked-user"), ("ann@NO.WHERE", "annpw", "unknown-realm"),
      ])
    func failure(user: String, password: String, problem: String) throws {
      let client = client
      try client.store(user, password)
      #expect(try client.get("nego/failure") == ["[401] mechanismFailed(\(problem)) "])
    }

    @Test("a wrong password is tried once at the KDC")
    func once() throws {
      let client = client
      // A user of this test alone: others ask the same KDC meanwhile.
      try client.store("eve", "wrong once")
      let before = try client.servers.kdc.requests("AS", of: "eve@VAULT.TEST").count
      _ = try client.get("nego/once")
      #expect(try client.servers.kdc.requests("AS", of: "eve@VAULT.TEST").count == before + 1)
    }

    @Test("a server that the realm does not know is told from a wrong password")
    func service() throws {
      let client = client
      try client.store("ann", "annpw", "negotiate", "--custom", "service-name=other.vault.test")
      #expect(try client.get("nego/service") == ["[401] mechanismFailed(unknown-service) "])
    }

    @Test("an item's own service name is asked for in place of the host's")
    func ownService() throws {
      let client = client
      try client.store("ann", "annpw", "negotiate", "--custom", "service-name=HTTP/localhost")
      #expect(try client.get("nego/own") == ["[401, 200] done a page"])
    }

    @Test("without a ticket, and without a KDC, the outcome says so")
    func nothing() throws {
      var client = client
      #expect(try client.get("nego/none") == ["[401] mechanismFailed(no-ticket) "])
      try client.loseKDC()
      try client.store("ann", "annpw")
      #expect(try client.get("nego/away2") == ["[401] mechanismFailed(unreachable-kdc) "])
    }

    @Test("a redirect to another origin carries no token")
    func redirect() throws {
      let client = client
      try client.store("ann", "annpw")
      #expect(try client.get("nego/away") == ["[401, 302, 200] done a page"])
      let there = try client.servers.elsewhere.requests(1, containing: "/open/found")
      #expect(there.allSatisfy { $0.hasPrefix("- GET") && $0.hasSuffix(" -") }, "\(there)")
    }

    @Test("a body is sent once for each round")
    func body() throws {
      let client = client
      try client.store("ann", "annpw")
      #expect(try client.get("nego/body", "post=all of it") == ["[401, 200] done a page"])
      let log = try client.log("nego/body", 2)
      #expect(log.map { $0.split(separator: " ")[5] } == ["9", "9"], "\(log)")
    }
  }
}
