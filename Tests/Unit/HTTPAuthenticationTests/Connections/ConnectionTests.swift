import CredentialVault
import GSSAuthentication
import HTTPAuthentication
import HTTPTesting
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

  /// A row of the table: what there is, and what answers each set of schemes.
  struct Row: Sendable, CustomTestStringConvertible {
    /// Whether the user has a ticket, a KDC knows the vault's password, and a rule allows NTLM.
    let has: (ticket: Bool, kdc: Bool, ntlm: Bool)
    /// What is sent after the first request, for all four schemes, without Digest, for the two that
    /// log in on connections, and for NTLM alone.
    let sent: [[String]]
    var testDescription: String { "\(has)" }

    init(ticket: Bool, kdc: Bool, ntlm: Bool, _ sent: [String]...) {
      has = (ticket, kdc, ntlm)
      self.sent = sent
    }
  }

  private static let offers: [[AuthenticationMethod]] = [
    [.negotiate, .digest, .ntlm, .basic], [.negotiate, .ntlm, .basic], [.negotiate, .ntlm], [.ntlm],
  ]

  private static let password = ["Negotiate ann@CORP-1"]
  private static let ticket = ["Negotiate tickets-1"]
  private static let ntlm = ["NTLM CORP\\ann-1", "NTLM CORP\\ann-2"]

  static let rows: [Row] = [
    Row(ticket: false, kdc: false, ntlm: false, ["Digest"], ["Basic"], [], []),
    Row(ticket: false, kdc: false, ntlm: true, ["Digest"], ntlm, ntlm, ntlm),
    Row(ticket: false, kdc: true, ntlm: false, password, password, password, []),
    Row(ticket: false, kdc: true, ntlm: true, password, password, password, ntlm),
    Row(ticket: true, kdc: false, ntlm: false, ticket, ticket, ticket, []),
    Row(ticket: true, kdc: false, ntlm: true, ticket, ticket, ticket, ntlm),
    // The vault's password comes before the ticket.
    Row(ticket: true, kdc: true, ntlm: false, password, password, password, []),
    Row(ticket: true, kdc: true, ntlm: true, password, password, password, ntlm),
  ]

  @Test(
    "the strongest scheme that can be answered is, in whichever order they come", arguments: rows)
  func order(_ row: Row) async throws {
    for (offered, sent) in zip(Self.offers, row.sent) {
      for offers in offered.orders {
        let fixture = try Fixture()
        try store(fixture.vault)
        if row.has.ntlm {
          _ = try fixture.vault.policy.update { rules in
            var rule = PersistencePolicy.Rule(name: "ntlm")
            rule.allowsNTLM = true
            rules.append(rule)
          }
        }
        var problems: [String: MechanismProblem] = [:]
        if !row.has.ticket { problems["tickets"] = .noTicket }
        if !row.has.kdc { problems["ann@CORP"] = .unreachableKDC }
        let server = LoginServer(offers)
        let result = try await authenticator(fixture.vault, ScriptedLogins(problems)).get(
          "https://h/x", from: server)
        #expect(server.log.withLock(\.self) == ["-"] + sent, "\(offers)")
        let isLogin = sent.first?.hasPrefix("N") ?? false
        #expect(((result.logins.last ?? nil) != nil) == isLogin && result.keeps == isLogin)
        let reason: Outcome.Reason =
          if !sent.isEmpty {
            .done
          } else if offers.contains(.negotiate) {
            .mechanismFailed(.unreachableKDC)
          } else {
            .unsupported([.ntlm])
          }
        #expect(result.reason == reason, "\(offers)")
      }
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

  @Test("where this machine lacks the mechanism, nobody is asked for another password")
  func missing() async throws {
    for problem in [MechanismProblem.missingMechanism, .missingLibrary, .weakAnswer] {
      let fixture = try Fixture()
      _ = try fixture.vault.policy.update { rules in
        var rule = PersistencePolicy.Rule(name: "ntlm")
        rule.allowsNTLM = true
        rules.append(rule)
      }
      let prompt = ScriptedPrompt(.use("CORP\\ann", "right"), .use("CORP\\ann", "other"))
      var settings = Authenticator.Settings()
      settings.beginLogin = ScriptedLogins(["CORP\\ann": problem]).starter
      let result = try await Authenticator(
        vault: fixture.vault, prompt: prompt, settings: settings
      ).get("https://h/x", from: LoginServer([.ntlm]))
      #expect(result.reason == .mechanismFailed(problem))
      #expect(prompt.questions.count == 1)
    }
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

extension Array {
  /// The elements in each order.
  fileprivate var orders: [[Element]] {
    guard count > 1 else { return [self] }
    return indices.flatMap { index in
      var rest = self
      let first = rest.remove(at: index)
      return rest.orders.map { [first] + $0 }
    }
  }
}
