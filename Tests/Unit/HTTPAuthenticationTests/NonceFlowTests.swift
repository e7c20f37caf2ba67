import CredentialVault
import HTTPAuthentication
import HTTPChallenge
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// Nonces from one request to the next.
@Suite struct NonceFlowTests {
  private func store(_ fixture: Fixture) throws {
    try fixture.store("ann", "right", .permanent, .digest)
  }

  @Test("a password changed where the nonce is always the same is asked for once, and used on")
  func passwordChanged() async throws {
    let fixture = try Fixture()
    try store(fixture)
    let prompt = ScriptedPrompt { _ in .use("ann", "new") }
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    let server = MemoryServer(offers: [.digest])
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    server.setPassword("new", of: "ann")
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    // Preemptively; with a new nonce, because the other one may be the reason; with that; with the
    // typed password.
    #expect(server.statuses == [401, 200, 401, 401, 401, 200])
    #expect(server.schemes == [nil, "digest", "digest", nil, "digest", "digest"])
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(try await authenticator.get("https://h/y", from: server).status == 200)
    #expect(server.statuses.suffix(2) == [200, 200])
    #expect(prompt.questions.count == 1)
  }

  @Test(
    "where proof is required, a response without the right one is an error, and nothing is stored")
  func requiresProof() async throws {
    let challenge = DigestChallenge(realm: "Team", nonce: "n")
    for isRequired in [false, true] {
      for proof in ["right", "wrong", "none"] {
        let vault = Vault.inMemory()
        let authenticator = Authenticator(
          vault: vault, prompt: ScriptedPrompt { _ in .use("ann", "right", .session) },
          settings: .init(requiresProof: isRequired))
        var exchange = try await authenticator.exchange(for: .get("https://h/x"))
        let step = try await exchange.next(
          after: .challenge("Digest realm=\"Team\", nonce=\"n\", qop=\"auth\""))
        let field = try #require(step.fields?.first)
        let info = try proof == "none" ? nil : field.proof(of: challenge, .of("ann", proof))
        let response = ResponseHead.status(
          200, info: info.map { "rspauth=\"\($0)\", qop=auth" })
        if isRequired, proof != "right" {
          await #expect(throws: VaultError(.authenticationFailed, "")) {
            try await exchange.next(after: response)
          }
        } else {
          let reason = try await exchange.next(after: response).reason
          #expect(reason == (proof == "wrong" ? .unproven : .done))
        }
        let isStored = proof == "right" || (!isRequired && proof == "none")
        #expect(try await vault.findAll(ItemQuery()).count == (isStored ? 1 : 0))
      }
    }
  }

  @Test("where proof is required, a proxy gives its own, except of a tunnel, which shows none")
  func requiresProofOfProxy() async throws {
    let proxy = try Proxy(host: "proxy", port: 3128)
    for (url, isTunnel) in [("http://h/x", false), ("https://h/x", true)] {
      let authenticator = Authenticator(
        vault: .inMemory(), prompt: ScriptedPrompt { _ in .use("ann", "right", .none) },
        settings: .init(requiresProof: true))
      var exchange = try await authenticator.exchange(for: .get(url, through: proxy))
      let step = try await exchange.next(
        after: .proxyChallenge("Digest realm=\"Team\", nonce=\"n\", qop=\"auth\""))
      #expect(step.schemes == [.digest])
      if isTunnel {
        #expect(try await exchange.next(after: .status(200)).reason == .done)
      } else {
        await #expect(throws: VaultError(.authenticationFailed, "")) {
          try await exchange.next(after: .status(200))
        }
      }
    }
  }

  @Test("what a server sends through a tunnel as its proxy's proof or nonce is not the proxy's")
  func tunnel() async throws {
    let authenticator = Authenticator(
      vault: .inMemory(), prompt: ScriptedPrompt { _ in .use("pat", "passing", .session) })
    let proxy = try Proxy(host: "proxy", port: 3128)
    var exchange = try authenticator.exchange("https://h/x", through: proxy)
    let challenge = ResponseHead.proxyChallenge("Digest realm=\"P\", nonce=\"n\", qop=\"auth\"")
    #expect(try await exchange.next(after: challenge).schemes == [.digest])
    let info = "rspauth=\"00\", qop=auth, nextnonce=\"theirs\""
    #expect(try await exchange.next(after: .status(200, proxyInfo: info)).reason == .done)
    let next = try authenticator.exchange("https://h/y", through: proxy).fields.first
    #expect(next?.parameters["nonce"] == "n" && next?.count == 2)
  }

  @Test("a proxy that proves nothing ends the exchange as such, although the server says 403")
  func unprovenProxy() async throws {
    for requiresProof in [false, true] {
      var request = try RequestHead.get("http://h/x", through: Proxy(host: "proxy", port: 3128))
      request.proxyCredential = .of("pat")
      request.credential = .of("ann")
      var exchange = try await Authenticator(
        vault: .inMemory(), settings: .init(requiresProof: requiresProof)
      )
      .exchange(for: request)
      let parameters = "nonce=\"n\", qop=\"auth\""
      #expect(
        try await exchange.next(after: .proxyChallenge("Digest realm=\"P\", \(parameters)"))
          .schemes == [.digest])
      let proof = try #require(exchange.fields.first).proof(
        of: DigestChallenge(realm: "P", nonce: "n"), .of("pat"))
      let challenge = ResponseHead(
        status: 401,
        fields: [
          .init("WWW-Authenticate", "Basic realm=\"Team\""),
          .init("Proxy-Authentication-Info", "rspauth=\"\(proof)\", qop=auth"),
        ])
      #expect(try await exchange.next(after: challenge).schemes == [.basic, .digest])
      let forged = ResponseHead.status(403, proxyInfo: "rspauth=\"00\", qop=auth")
      if requiresProof {
        await #expect(throws: VaultError(.authenticationFailed, "")) {
          try await exchange.next(after: forged)
        }
      } else {
        #expect(try await exchange.next(after: forged).reason == .unproven)
      }
    }
  }

  @Test("50 requests at once where each nonce is good for one: all succeed, in 4 tries at most")
  func once() async throws {
    let fixture = try Fixture()
    try store(fixture)
    let prompt = ScriptedPrompt()
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    let server = MemoryServer(offers: [.digest])
    server.takeNoncesOnce()
    #expect(try await authenticator.get("https://h/first", from: server).status == 200)
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for page in 0..<50 {
        group.addTask { try await authenticator.get("https://h/\(page)", from: server).status }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 200, count: 50))
    #expect(prompt.questions.isEmpty)
    let tries = Dictionary(grouping: server.log, by: \.target).values.map(\.count)
    #expect((tries.max() ?? 0) <= 4)
  }

  @Test("endless stale: one try with the newest nonce, one with its own, and then no field unasked")
  func endless() async throws {
    let fixture = try Fixture()
    try store(fixture)
    let authenticator = Authenticator(vault: fixture.vault)
    let server = MemoryServer(offers: [.digest])
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(try authenticator.exchange("https://h/x").fields.count == 1)
    server.callEverythingStale()
    let before = server.log.count
    let (status, outcome) = try await authenticator.get("https://h/x", from: server)
    #expect(status == 401)
    #expect(outcome.reason == .refused)
    #expect(server.schemes.dropFirst(before) == ["digest", "digest", nil, "digest"])
    #expect(try authenticator.exchange("https://h/x").fields.isEmpty)
    #expect(try await authenticator.get("https://h/x", from: server).1.reason == .refused)
    #expect(
      server.schemes.dropFirst(before + 4)
        == [nil, "digest", "digest", nil, "digest"])
  }

  @Test("what was called stale before a success is not counted after it")
  func countedAnew() async throws {
    var request = try RequestHead.get("http://h/x", through: Proxy(host: "proxy", port: 3128))
    request.proxyCredential = .of("pat")
    request.credential = .of("ann")
    var exchange = try await Authenticator(vault: .inMemory()).exchange(for: request)
    let challenge = { (number: Int) in
      ResponseHead.proxyChallenge(
        "Digest realm=\"P\", nonce=\"\(number)\", qop=\"auth\", stale=\(number > 0)")
    }
    #expect(try await exchange.next(after: challenge(0)).schemes == [.digest])
    #expect(try await exchange.next(after: challenge(1)).schemes == [.digest])
    #expect(try await exchange.next(after: challenge(2)).schemes == [])
    #expect(try await exchange.next(after: challenge(0)).schemes == [.digest])
    // The proxy forwarded it to the server: its credential was accepted.
    #expect(
      try await exchange.next(after: .challenge("Basic realm=\"Team\"")).schemes
        == [.basic, .digest])
    #expect(try await exchange.next(after: challenge(3)).schemes == [.basic, .digest])
    #expect(try await exchange.next(after: challenge(4)).schemes == [.basic])
    #expect(try await exchange.next(after: challenge(0)).schemes == [.basic, .digest])
    #expect(try await exchange.next(after: challenge(5)).reason == .refused)
  }

  @Test("a rejection with a nonce that others count may be of the order: an own nonce decides")
  func outOfOrder() async throws {
    let fixture = try Fixture()
    try store(fixture)
    let authenticator = Authenticator(vault: fixture.vault)
    try await authenticator.get("https://h/x", from: MemoryServer(offers: [.digest]))
    let challenge = { (nonce: String) in
      ResponseHead.challenge("Digest realm=\"Team\", qop=\"auth\", nonce=\"\(nonce)\"")
    }
    var exchange = try authenticator.exchange("https://h/x")
    #expect(exchange.fields.count == 1)
    let stale = ResponseHead.challenge(
      "Digest realm=\"Team\", qop=\"auth\", nonce=\"b\", stale=true")
    #expect(try await exchange.next(after: stale).fields?.first?.parameters["nonce"] == "b")
    #expect(try await exchange.next(after: challenge("c")).schemes == [])
    let own = try await exchange.next(after: challenge("d"))
    #expect(own.fields?.first?.parameters["nonce"] == "d")
    #expect(own.fields?.first?.parameters["nc"] == "00000001")
    #expect(try await exchange.next(after: challenge("e")).reason == .rejected)
  }

  @Test("a stale answer for one use is sent again with the new nonce, and not asked for again")
  func staleAnswer() async throws {
    let prompt = ScriptedPrompt(.use("ann", "right", .none))
    var exchange = try Authenticator(vault: .inMemory(), prompt: prompt).exchange("https://h/x")
    let challenge = "Digest realm=\"Team\", qop=\"auth\", nonce="
    let first = try await exchange.next(after: .challenge(challenge + "\"a\""))
    #expect(first.fields?.first?.parameters["nonce"] == "a")
    let second = try await exchange.next(after: .challenge(challenge + "\"b\", stale=true"))
    #expect(second.fields?.first?.parameters["nonce"] == "b")
    #expect(prompt.questions.count == 1)
  }
}
