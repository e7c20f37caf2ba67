import HTTPTesting
import ProgramTesting
import Testing

extension LoginsOnConnections {
  @Suite("NTLM")
  struct NTLMTests {
    let client: LoginClient

    init() throws { client = try LoginClient() }

    @Test("it is off: of Negotiate and NTLM, only Negotiate is answered")
    func off() throws {
      try client.store("ann", "annpw", "default", "--account-domain", "VAULT")
      #expect(try client.get("ntlm/off") == ["[401] mechanismFailed(unknown-realm) "])
    }

    @Test("an item that is stored for it answers, once for a connection")
    func item() throws {
      try client.store("ann", "annpw", "ntlm", "--account-domain", "VAULT")
      let lines = try client.get("ntlm/item", "count=3")
      #expect(lines == ["[401, 401, 200] done a page", "[200] done a page", "[200] done a page"])
      let log = try client.log("ntlm/item", 5)
      #expect(log.map { $0.split(separator: " ")[3] } == ["401", "401", "200", "200", "200"])
      #expect(log.suffix(3).allSatisfy { $0.hasPrefix("VAULT\\\\ann ") || $0.hasPrefix("ann") })
      // The later ones had no field, and went over the connection of the login.
      #expect(log.suffix(2).allSatisfy { $0.hasSuffix(" -") }, "\(log)")
      #expect(Set(log.suffix(4).map { $0.split(separator: " ")[4] }).count == 1, "\(log)")
    }

    @Test("a rule lets any password answer it, and a rule forbids it to any")
    func rules() throws {
      try client.store("ann", "annpw", "default", "--account-domain", "VAULT")
      try client.vaultctl("policy", "add", "--name", "corp", "--host", "localhost", "--ntlm", "yes")
      #expect(try client.get("ntlm/yes") == ["[401, 401, 200] done a page"])
      try client.store("bob", "bobpw", "ntlm", "--account-domain", "VAULT")
      try client.vaultctl("policy", "remove", "corp")
      try client.vaultctl("policy", "add", "--name", "corp", "--host", "localhost", "--ntlm", "no")
      #expect(try client.get("ntlm/no", "user=bob") == ["[401] noCredential "])
    }

    @Test("the domain is asked for where the vault has none")
    func domain() throws {
      try client.vaultctl("policy", "add", "--name", "corp", "--host", "localhost", "--ntlm", "yes")
      let lines = try client.get("ntlm/asked", "user=ann", "password=annpw", "domain=VAULT")
      #expect(lines == ["asked for ntlm with a domain", "[401, 401, 200] done a page"])
    }

    @Test("an item for it that has no domain is asked for one")
    func itemWithoutDomain() throws {
      try client.store("ann", "annpw", "ntlm")
      let lines = try client.get("ntlm/item-asked", "user=ann", "password=annpw", "domain=VAULT")
      #expect(lines == ["asked for ntlm with a domain", "[401, 401, 200] done a page"])
    }

    @Test("a body is sent once for each round")
    func body() throws {
      try client.store("ann", "annpw", "ntlm", "--account-domain", "VAULT")
      let lines = try client.get("ntlm/body", "post=all of it")
      #expect(lines == ["[401, 401, 200] done a page"])
      let log = try client.log("ntlm/body", 3)
      #expect(log.map { $0.split(separator: " ")[5] } == ["9", "9", "9"], "\(log)")
    }

    @Test("an answer of version 1 is never sent", arguments: 0...2)
    func weak(level: Int) throws {
      var client = client
      client.variables["LM_COMPAT_LEVEL"] = "\(level)"
      try client.store("ann", "annpw", "ntlm", "--account-domain", "VAULT")
      #expect(try client.get("ntlm/weak\(level)") == ["[401, 401] mechanismFailed(weak-answer) "])
    }

    @Test("without the mechanism's package, the outcome names it")
    func missing() throws {
      var client = client
      client.variables["GSS_MECH_CONFIG"] = "/dev/null"
      try client.store("ann", "annpw", "ntlm", "--account-domain", "VAULT")
      #expect(try client.get("ntlm/missing") == ["[401] mechanismFailed(missing-mechanism) "])
    }

    @Test("a wrong password is rejected by the server, once")
    func wrong() throws {
      try client.store("ann", "not hers", "ntlm", "--account-domain", "VAULT")
      #expect(try client.get("ntlm/wrong") == ["[401, 401, 401] rejected "])
    }
  }
}
