import HTTPAuthentication
import HTTPChallenge
import SecureMemory
import Testing
import VaultModel

@Suite struct VerdictTests {
  static let digestText = "Digest realm=\"Team\", nonce=\"n1\", qop=\"auth\""
  static let challenge = DigestChallenge(realm: "Team", nonce: "n1")

  let request: RequestHead
  let proxied: RequestHead
  let basic: ChallengeResponder
  let digest: ChallengeResponder
  let proxy: ChallengeResponder

  init() throws {
    request = try RequestHead.get("http://h/docs/page")
    proxied = try RequestHead.get("http://h/docs/page", through: Proxy(host: "proxy", port: 3128))
    basic = try ChallengeResponder(.challenge("Basic realm=\"Team\""), to: request)
    digest = try ChallengeResponder(.challenge(Self.digestText), to: request)
    proxy = try ChallengeResponder(.proxyChallenge("Basic realm=\"P\""), to: proxied)
  }

  /// Returns the verdict on a credential that has just been sent.
  func verdict(
    _ responder: ChallengeResponder, _ response: ResponseHead
  ) throws -> ChallengeResponder.Verdict {
    let request = responder.isProxy ? proxied : request
    let field = try responder.field(for: .of("ann"), of: request)
    return try responder.judge(response, to: field, of: request)
  }

  @Test(
    "what is neither 401 nor 407 speaks for itself",
    arguments: [
      (100, ChallengeResponder.Verdict.undecided, ChallengeResponder.Verdict.undecided),
      (200, .accepted, .accepted), (204, .accepted, .accepted), (206, .accepted, .accepted),
      (302, .accepted, .accepted), (304, .accepted, .accepted), (404, .accepted, .accepted),
      (403, .refused, .accepted), (400, .undecided, .accepted), (429, .undecided, .accepted),
      (500, .undecided, .undecided), (503, .undecided, .undecided),
    ])
  func statuses(
    _ status: Int, _ server: ChallengeResponder.Verdict, _ proxys: ChallengeResponder.Verdict
  ) throws {
    #expect(try verdict(basic, .status(status)) == server)
    #expect(try verdict(digest, .status(status)) == server)
    #expect(try verdict(proxy, .status(status)) == proxys)
  }

  @Test("the same challenge again rejects, and the next nonce is the one that it brings")
  func rejected() throws {
    #expect(try verdict(basic, .challenge("Basic realm=\"Team\"")) == .rejected)
    let again = ResponseHead.challenge("Digest realm=\"Team\", nonce=\"n2\", qop=\"auth\"")
    #expect(try verdict(digest, again) == .rejected)
    let field = try digest.field(for: .of("ann"), of: request)
    #expect(field.parameters["nonce"] == "n2" && field.count == 1)
    #expect(try verdict(proxy, .proxyChallenge("Basic realm=\"P\"")) == .rejected)
  }

  @Test("a challenge of the realm for another scheme or algorithm says nothing of this one's")
  func otherScheme() throws {
    #expect(try verdict(digest, .challenge("Basic realm=\"Team\"")) == .undecided)
    let other = "Digest realm=\"Team\", nonce=\"n2\", algorithm=SHA-256, stale=true"
    #expect(try verdict(digest, .challenge(other)) == .undecided)
    for challenge in ["Negotiate", "Bearer realm=\"Team\"", Self.digestText] {
      #expect(try verdict(basic, .challenge(challenge)) == .undecided)
    }
    #expect(try verdict(proxy, .proxyChallenge("Digest realm=\"P\", nonce=\"n\"")) == .undecided)
    for responder in [basic, digest, proxy] { #expect(responder.isValid) }
    let field = try digest.field(for: .of("ann"), of: request)
    #expect(field.parameters["nonce"] == "n1" && field.count == 3)
  }

  @Test("beside challenges for others, the same challenge rejects")
  func amongOthers() throws {
    let both = [Self.digestText, "Basic realm=\"Team\"", "Negotiate"]
    let response = ResponseHead(status: 401, fields: both.map { .init("WWW-Authenticate", $0) })
    #expect(try verdict(basic, response) == .rejected)
    #expect(try verdict(digest, response) == .rejected)
  }

  @Test("a 401 without a challenge rejects")
  func withoutChallenge() throws {
    #expect(try verdict(basic, ResponseHead(status: 401, fields: [])) == .rejected)
    #expect(try verdict(digest, .challenge("Digest realm=\"Team\"")) == .rejected)
  }

  @Test("pages that ask for another scheme of the realm are no longer this one's")
  func otherSchemesPages() throws {
    #expect(basic.applies(to: request))
    #expect(try verdict(basic, .challenge("Digest realm=\"Other\", nonce=\"n\"")) == .undecided)
    #expect(basic.applies(to: request))
    #expect(try verdict(basic, .challenge(Self.digestText)) == .undecided)
    #expect(!basic.applies(to: request))
    #expect(try verdict(proxy, .proxyChallenge("Digest realm=\"P\", nonce=\"n\"")) == .undecided)
    #expect(proxy.applies(to: proxied))
  }

  @Test("a challenge of other realms says nothing of this one's credential")
  func otherRealm() throws {
    for responder in [basic, digest] {
      for values in ["Basic realm=\"Other\"", "Digest realm=\"team\", nonce=\"x\", stale=true"] {
        #expect(try verdict(responder, .challenge(values, "Negotiate")) == .undecided)
      }
      #expect(responder.isValid)
    }
  }

  @Test("the empty realm is one for Basic and Digest, and Team is another")
  func emptyRealm() throws {
    let empty = try ChallengeResponder(.challenge("Basic"), to: request)
    #expect(empty.space.realm.isEmpty)
    #expect(try verdict(empty, .challenge("Basic")) == .rejected)
    #expect(try verdict(empty, .challenge("Basic realm=\"Team\"")) == .undecided)
    #expect(try verdict(basic, .challenge("Basic")) == .undecided)
    #expect(try verdict(basic, .challenge("Basic, Basic realm=\"Team\"")) == .rejected)
  }

  @Test("stale is no rejection: the object stays valid and takes the new nonce")
  func stale() throws {
    let stale = ResponseHead.challenge(
      "Digest realm=\"Team\", nonce=\"n2\", qop=\"auth\", stale=TRUE")
    #expect(try verdict(digest, stale) == .stale)
    #expect(digest.isValid)
    let field = try digest.field(for: .of("ann"), of: request)
    #expect(field.parameters["nonce"] == "n2" && field.count == 1)
  }

  @Test("a 407 says nothing of the server's credential, a 401 that the proxy's was accepted")
  func sides() throws {
    #expect(try verdict(proxy, .challenge("Basic realm=\"P\"")) == .accepted)
    let server = try ChallengeResponder(.challenge("Basic realm=\"P\""), to: proxied)
    let field = try server.field(for: .of("ann"), of: proxied)
    let response = ResponseHead.proxyChallenge("Basic realm=\"P\"")
    #expect(try server.judge(response, to: field, of: proxied) == .undecided)
  }

  @Test("a field is judged by what made it, and with the request that it was made for")
  func misuse() throws {
    let field = try basic.field(for: .of("ann"), of: request)
    let proxyField = try proxy.field(for: .of("ann"), of: proxied)
    #expect(throws: VaultError(.invalidArgument, "")) {
      try basic.judge(.status(200), to: proxyField, of: request)
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try basic.judge(.status(200), to: field, of: RequestHead.get("http://other/"))
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try proxy.judge(.status(407), to: proxyField, of: request)
    }
  }

  @Test("a server that knows the password proves it; one that only says so is unproven")
  func proof() throws {
    let field = try digest.field(for: .of("ann"), of: request)
    let proof = try field.proof(of: Self.challenge, .of("ann"))
    let sent = field.parameters
    let info = { (proof: String) in
      "qop=auth, rspauth=\"\(proof)\", cnonce=\"\(sent["cnonce"] ?? "")\", nc=\(sent["nc"] ?? "")"
    }
    let judge = { (response: ResponseHead) in
      try digest.judge(response, to: field, of: request)
    }
    #expect(try judge(.status(200, info: info(proof))) == .accepted)
    let wrong = try field.proof(of: Self.challenge, .of("ann", "wrong"))
    #expect(wrong != proof)
    for status in [200, 302, 404] {
      #expect(try judge(.status(status, info: info(wrong))) == .unproven)
    }
    #expect(try judge(.status(200, info: info(""))) == .unproven)
    #expect(try judge(.status(200)) == .accepted)
    for (info, verdict) in [
      (info(proof), ChallengeResponder.Verdict.accepted), (info(wrong), .unproven),
      (nil, .unproven),
    ] {
      #expect(
        try digest.judge(
          .status(200, info: info), to: field, of: request, requiringProof: true) == verdict)
    }
    // Basic has no proof.
    let plain = try basic.field(for: .of("ann"), of: request)
    #expect(
      try basic.judge(.status(200), to: plain, of: request, requiringProof: true) == .accepted)
  }

  @Test("what is unproven brings no nonce")
  func unprovenNonce() throws {
    let response = ResponseHead.status(200, info: "rspauth=\"00\", nextnonce=\"evil\"")
    #expect(try verdict(digest, response) == .unproven)
    #expect(try digest.field(for: .of("ann"), of: request).parameters["nonce"] == "n1")
  }

  @Test("a proxy proves itself in Proxy-Authentication-Info, on whatever the server says")
  func proxyProof() throws {
    let proxy = try ChallengeResponder(.proxyChallenge(Self.digestText), to: proxied)
    for status in [200, 401] {
      let field = try proxy.field(for: .of("ann"), of: proxied)
      let sent = field.parameters
      let proof = try field.proof(of: Self.challenge, .of("ann"))
      let rest = "qop=auth, cnonce=\"\(sent["cnonce"] ?? "")\", nc=\(sent["nc"] ?? "")"
      let good = ResponseHead.status(status, proxyInfo: "\(rest), rspauth=\"\(proof)\"")
      #expect(try proxy.judge(good, to: field, of: proxied) == .accepted)
      let bad = ResponseHead.status(status, proxyInfo: "\(rest), rspauth=\"00\"")
      #expect(try proxy.judge(bad, to: field, of: proxied) == .unproven)
      let servers = ResponseHead.status(status, info: "\(rest), rspauth=\"00\"")
      #expect(try proxy.judge(servers, to: field, of: proxied) == .accepted)
    }
  }
}
