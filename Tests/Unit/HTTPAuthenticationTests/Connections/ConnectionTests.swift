import CredentialVault
import GSSAuthentication
import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel

/// Logins on connections, with a mechanism that a test scripts.
@Suite struct ConnectionTests {
  private func authenticator(
    _ vault: Vault, _ logins: ScriptedLogins, proof: Bool = false
  ) -> Authenticator {
    var settings = Authenticator.Settings(requiresProof: proof)
    settings.beginLogin = logins.starter
    return Authenticator(vault: vault, settings: settings)
  }

  private func store(
    _ vault: Vault, _ method: AuthenticationMethod = .default, at url: String = "https://h/"
  ) throws {
    try vault.set(
      Credential(
        user: "ann", secret: Secret("right"), persistence: .permanent, accountDomain: "CORP"),
      for: ProtectionSpace(url: url, authenticationMethod: method))
  }

  /// A row: whether there is a ticket or a KDC, whether NTLM is allowed, and what is sent.
  struct Row: Sendable, CustomTestStringConvertible {
    let hasTicket: Bool
    let hasKDC: Bool
    let allowsNTLM: Bool
    let offers: [AuthenticationMethod]
    let sent: [String]
    var testDescription: String { "\(offers) \(hasTicket) \(hasKDC) \(allowsNTLM)" }
  }

  private static let all: [AuthenticationMethod] = [.negotiate, .digest, .ntlm, .basic]

  static let rows: [Row] = [
    // With an item for every scheme, Kerberos comes first if its KDC answers.
    Row(
      hasTicket: false, hasKDC: true, allowsNTLM: true, offers: all, sent: ["Negotiate ann@CORP-1"]),
    Row(hasTicket: false, hasKDC: false, allowsNTLM: true, offers: all, sent: ["Digest"]),
    Row(
      hasTicket: true, hasKDC: false, allowsNTLM: true, offers: all, sent: ["Negotiate tickets-1"]),
    Row(
      hasTicket: false, hasKDC: false, allowsNTLM: true, offers: [.negotiate, .ntlm, .basic],
      sent: ["NTLM CORP\\ann-1", "NTLM CORP\\ann-2"]),
    Row(
      hasTicket: false, hasKDC: false, allowsNTLM: false, offers: [.negotiate, .ntlm, .basic],
      sent: ["Basic"]),
    Row(
      hasTicket: false, hasKDC: false, allowsNTLM: false, offers: [.ntlm, .basic], sent: ["Basic"]),
    Row(hasTicket: false, hasKDC: true, allowsNTLM: false, offers: [.basic], sent: ["Basic"]),
  ]

  @Test(
    "the strongest scheme that can be answered is, in whichever order they come", arguments: rows)
  func order(_ row: Row) async throws {
    var orders = row.offers.indices.map { Array(row.offers[$0...] + row.offers[..<$0]) }
    orders += orders.map { $0.reversed() }
    for offers in orders {
      let fixture = try Fixture()
      try store(fixture.vault)
      if row.allowsNTLM {
        _ = try fixture.vault.policy.update { rules in
          var rule = PersistencePolicy.Rule(name: "ntlm")
          rule.allowsNTLM = true
          rules.append(rule)
        }
      }
      var problems: [String: MechanismProblem] = [:]
      if !row.hasTicket { problems["tickets"] = .noTicket }
      if !row.hasKDC { problems["ann@CORP"] = .unreachableKDC }
      let server = LoginServer(offers)
      let logins = ScriptedLogins(problems)
      let result = try await authenticator(fixture.vault, logins).get("https://h/x", from: server)
      #expect(result.reason == .done)
      #expect(server.log.withLock(\.self) == ["-"] + row.sent, "\(offers)")
      let isLogin = row.sent[0].hasPrefix("N")
      let login = result.logins.last ?? nil
      #expect((login != nil) == isLogin && result.keeps == isLogin)
    }
  }

  @Test("a client that cannot tell connections apart is given no login on one")
  func unable() async throws {
    let fixture = try Fixture()
    try store(fixture.vault)
    let logins = ScriptedLogins()
    let server = LoginServer([.negotiate, .ntlm])
    let result = try await authenticator(fixture.vault, logins).get("https://h/x", from: server) {
      _ in nil
    }
    #expect(result.reason == .unsupported([.negotiate, .ntlm]))
    #expect(logins.begun.withLock(\.self).isEmpty && server.log.withLock(\.self) == ["-"])
  }

  @Test("Negotiate is not answered over http to another machine, unless a rule says so")
  func inClear() async throws {
    let fixture = try Fixture()
    try store(fixture.vault, at: "http://h/")
    let logins = ScriptedLogins()
    let authenticator = authenticator(fixture.vault, logins)
    let refused = try await authenticator.get("http://h/x", from: LoginServer([.negotiate]))
    #expect(refused.reason == .downgraded && logins.begun.withLock(\.self).isEmpty)
    _ = try fixture.vault.policy.update { rules in
      var rule = PersistencePolicy.Rule(name: "clear")
      rule.allowsNegotiateInClear = true
      rules.append(rule)
    }
    #expect(
      try await authenticator.get("http://h/x", from: LoginServer([.negotiate])).reason == .done)
  }

  @Test("a wrong proof is not the server's, and a missing one only where it is required")
  func proof() async throws {
    for (proof, isRequired, reason) in [
      ("proof", true, Outcome.Reason.done), ("other", false, .unproven), ("", false, .done),
    ] {
      let fixture = try Fixture()
      try store(fixture.vault)
      let result = try await authenticator(fixture.vault, ScriptedLogins(), proof: isRequired).get(
        "https://h/x", from: LoginServer([.negotiate], proof: proof))
      #expect(result.reason == reason, "\(proof)")
      #expect(result.keeps == (reason == .done))
    }
    let fixture = try Fixture()
    try store(fixture.vault)
    let strict = authenticator(fixture.vault, ScriptedLogins(), proof: true)
    await #expect(throws: VaultError(.authenticationFailed, "")) {
      try await strict.get("https://h/x", from: LoginServer([.negotiate], proof: ""))
    }
  }

  @Test("a login whose connection is closed between two rounds is begun again, twice at most")
  func lost() async throws {
    let fixture = try Fixture()
    try store(fixture.vault, .ntlm)
    let server = LoginServer([.ntlm])
    // The third response comes on another connection, with a challenge: the server knows no login.
    var connection: UInt64 = 1
    var request = RequestHead(url: try RequestURL("https://h/x"))
    request.tellsConnectionsApart = true
    var exchange = try await authenticator(fixture.vault, ScriptedLogins()).exchange(for: request)
    let challenge = ResponseHead(status: 401, fields: [.init("WWW-Authenticate", "NTLM")])
    _ = try await exchange.next(after: challenge, on: ClientConnection(number: 0))
    var lost = 0
    while lost < 10 {
      let two = server.answer(request, exchange.fields)
      connection += 1
      _ = try await exchange.next(after: two, on: ClientConnection(number: connection))
      connection += 1
      let step = try await exchange.next(
        after: challenge, on: ClientConnection(number: connection))
      if let reason = step.reason {
        #expect(reason == .rejected)
        break
      }
      lost += 1
    }
    #expect(lost == 2)
  }

  @Test("after a success, Negotiate is sent unasked, and NTLM relies on its connection")
  func later() async throws {
    for method in [AuthenticationMethod.negotiate, .ntlm] {
      let fixture = try Fixture()
      try store(fixture.vault, method)
      let authenticator = authenticator(fixture.vault, ScriptedLogins())
      let server = LoginServer([method])
      let first = try await authenticator.get("https://h/x", from: server)
      var request = RequestHead(url: try RequestURL("https://h/x"))
      request.tellsConnectionsApart = true
      let exchange = try await authenticator.exchange(for: request)
      #expect(exchange.owner != nil && exchange.owner == first.logins.last)
      #expect(exchange.fields.count == (method == .negotiate ? 1 : 0))
      // Another password is another login.
      try await fixture.vault.set(
        Credential(
          user: "ann", secret: Secret("new"), persistence: .permanent, accountDomain: "CORP"),
        for: ProtectionSpace(url: "https://h/", authenticationMethod: method))
      let other = try await authenticator.exchange(for: request)
      #expect(other.owner != nil && other.owner != exchange.owner)
    }
  }

  @Test("a login that is sent unasked is bound to the certificate of the last one")
  func bound() async throws {
    let fixture = try Fixture()
    try store(fixture.vault)
    let logins = ScriptedLogins()
    let authenticator = authenticator(fixture.vault, logins)
    let server = LoginServer([.negotiate])
    func begun(_ bindings: [UInt8]...) -> [String] {
      bindings.map { "ann@CORP negotiate HTTP@h \($0)" }
    }
    for _ in 0..<2 {
      let result = try await authenticator.get("https://h/x", from: server, boundBy: [1])
      #expect(result.reason == .done)
    }
    #expect(logins.begun.withLock(\.self) == begun([1], [1]))
    // With another certificate, the login is made again, and bound to that.
    server.refused.withLock { $0 = 1 }
    let result = try await authenticator.get("https://h/x", from: server, boundBy: [2])
    #expect(result.reason == .done)
    _ = try await authenticator.get("https://h/x", from: server, boundBy: [2])
    #expect(logins.begun.withLock(\.self) == begun([1], [1], [1], [2], [2]))
  }

  @Test("a problem of the library is told by its own words")
  func problems() {
    for (text, problem) in [
      ("Preauthentication failed; No credentials were supplied", MechanismProblem.wrongPassword),
      ("Client 'x@R' not found in Kerberos database", .unknownUser),
      ("Server HTTP/h@R not found in Kerberos database", .unknownService),
      ("Clock skew too great", .clockSkew),
      ("Cannot contact any KDC for realm 'R'", .unreachableKDC),
      ("anything else", .failed),
    ] {
      #expect(MechanismProblem(message: text) == problem, "\(text)")
    }
    for problem in MechanismProblem.allCases {
      #expect(!problem.message.isEmpty && !problem.hint.isEmpty)
    }
  }
}
