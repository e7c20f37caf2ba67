import HTTPAuthentication
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite struct NonceTests {
  let request: RequestHead

  init() throws { request = try RequestHead.get("http://h/docs/page") }

  func challenge(_ nonce: String, _ rest: String = "qop=\"auth\"") -> ResponseHead {
    .challenge("Digest realm=\"Team\", nonce=\"\(nonce)\", \(rest)")
  }

  func make(_ nonce: String, _ rest: String = "qop=\"auth\"") throws -> ChallengeResponder {
    try ChallengeResponder(challenge(nonce, rest), to: request)
  }

  func field(_ responder: ChallengeResponder) throws -> AuthorizationField {
    try responder.field(for: .of("ann"), of: request)
  }

  func next(_ responder: ChallengeResponder) throws -> String {
    let field = try field(responder)
    return "\(field.parameters["nonce"] ?? "") \(field.count ?? 0)"
  }

  @Test("each field counts one more, with one client nonce, other for another nonce")
  func counting() throws {
    let responder = try make("n1")
    let fields = try (0..<5).map { _ in try field(responder) }
    #expect(fields.map(\.count) == [1, 2, 3, 4, 5])
    let clientNonces = Set(fields.map { $0.parameters["cnonce"] })
    #expect(clientNonces.count == 1)
    #expect(try make("n1").isOfSameChallenge(as: responder))
    #expect(try !clientNonces.contains(field(make("n1")).parameters["cnonce"]))
    #expect(responder.renew(by: try make("n2")))
    let later = try field(responder)
    #expect(later.count == 1 && !clientNonces.contains(later.parameters["cnonce"]))
  }

  @Test("after nextnonce a session keeps its key and client nonce, until the next challenge")
  func session() throws {
    let rest = "qop=\"auth\", algorithm=MD5-sess"
    let responder = try make("n1", rest)
    let first = try field(responder)
    let response = ResponseHead.status(200, info: "nextnonce=\"n2\"")
    #expect(try responder.judge(response, to: first, of: request) == .accepted)
    let second = try field(responder)
    let clientNonce = try #require(first.parameters["cnonce"])
    #expect(second.parameters["cnonce"] == clientNonce)
    #expect(second.parameters["nonce"] == "n2" && second.count == 1)
    let digest = try digestChallenge("Digest realm=\"Team\", nonce=\"n1\", \(rest)")
    let expected = try DigestResponse(
      to: digest, nonce: "n2", clientNonce: clientNonce, count: 1, sessionNonce: "n1",
      credential: .of("ann"), method: "GET", uri: "/docs/page")
    #expect(
      second.parameters["response"] == expected.parameter("response")?.replacing("\"", with: ""))
    #expect(responder.renew(by: try make("n3", rest)))
    #expect(try field(responder).parameters["cnonce"] != clientNonce)
  }

  @Test("64 threads use one authentication: their counts are distinct and without a gap")
  func threads() throws {
    let responder = try make("n1")
    let request = request
    let seen = Lock([UInt32?]())
    inThreads(64) { _ in
      for _ in 0..<8 {
        let field = try? responder.field(for: .of("ann"), of: request)
        seen.withLock { $0.append(field?.count) }
      }
    }
    let counts = seen.withLock { $0.compactMap { $0 }.sorted() }
    #expect(counts == Array(1...512))
  }

  @Test("threads that are told a nonce is stale at once all go on with the one that came first")
  func staleThreads() throws {
    let responder = try make("n1")
    let request = request
    let fields = try (0..<32).map { _ in try field(responder) }
    let seen = Lock([String]())
    inThreads(32) { thread in
      let stale = ResponseHead.challenge(
        "Digest realm=\"Team\", nonce=\"s\(thread)\", qop=\"auth\", stale=true")
      let verdict = try? responder.judge(stale, to: fields[thread], of: request)
      let next = try? responder.field(for: .of("ann"), of: request)
      seen.withLock { $0.append("\(verdict == .stale) \(next?.parameters["nonce"] ?? "")") }
    }
    let distinct = Set(seen.withLock { $0 })
    #expect(distinct.count == 1)
    #expect(distinct.first?.hasPrefix("true s") == true)
    #expect(try field(responder).count == 33)
  }

  @Test("a credential that cannot be sent leaves no gap in the counts")
  func noGap() throws {
    let responder = try make("n1")
    #expect(try field(responder).count == 1)
    #expect(throws: VaultError(.invalidArgument, "")) {
      try responder.field(for: .of("a\nb"), of: request)
    }
    #expect(responder.failure == .badUser)
    #expect(try field(responder).count == 2)
  }

  @Test(
    "of two requests with one nonce that are both called stale, the second uses the first's new")
  func staleTwice() throws {
    let responder = try make("n1")
    let first = try field(responder)
    let second = try field(responder)
    let judge = { (nonce: String, field: AuthorizationField) in
      let response = challenge(nonce, "qop=\"auth\", stale=true")
      return try responder.judge(response, to: field, of: request)
    }
    #expect(try judge("n2", first) == .stale)
    #expect(try next(responder) == "n2 1")
    #expect(try judge("n3", second) == .stale)
    #expect(try next(responder) == "n2 2")
  }

  @Test("a stale nonce that comes again goes on being counted")
  func sameNonce() throws {
    let responder = try make("n1")
    let first = try field(responder)
    let response = challenge("n1", "qop=\"auth\", stale=true")
    #expect(try responder.judge(response, to: first, of: request) == .stale)
    #expect(try next(responder) == "n1 2")
    #expect(responder.renew(by: try make("n1")))
    #expect(try next(responder) == "n1 3")
  }

  @Test("nextnonce is used from the next field on, unless another response was faster")
  func nextNonce() throws {
    let responder = try make("n1")
    let first = try field(responder)
    let second = try field(responder)
    let judge = { (nonce: String, field: AuthorizationField) in
      let response = ResponseHead.status(200, info: "nextnonce=\"\(nonce)\"")
      return try responder.judge(response, to: field, of: request)
    }
    #expect(try judge("n2", first) == .accepted)
    #expect(try judge("n3", second) == .accepted)
    let third = try field(responder)
    #expect(third.parameters["nonce"] == "n2" && third.count == 1)
    #expect(try judge("n2", third) == .accepted)
    #expect(try next(responder) == "n2 2")
  }

  @Test("a nonce of an earlier response that is refused without stale is tried anew, once")
  func oldNonce() throws {
    let responder = try make("n1")
    #expect(
      try responder.judge(.status(200), to: field(responder), of: request) == .accepted)
    let second = try field(responder)
    #expect(try responder.judge(challenge("n2"), to: second, of: request) == .stale)
    #expect(responder.isValid)
    let third = try field(responder)
    #expect(third.parameters["nonce"] == "n2")
    #expect(try responder.judge(challenge("n3"), to: third, of: request) == .rejected)
    #expect(responder.failure == .badPassword)
  }

  @Test("a nonce from nextnonce that is refused without stale is tried anew, once")
  func oldNextNonce() throws {
    let responder = try make("n1")
    let info = ResponseHead.status(200, info: "nextnonce=\"n2\"")
    #expect(try responder.judge(info, to: field(responder), of: request) == .accepted)
    let second = try field(responder)
    #expect(try responder.judge(challenge("n3"), to: second, of: request) == .stale)
    let third = try field(responder)
    #expect(try responder.judge(challenge("n4"), to: third, of: request) == .rejected)
  }

  @Test("a wrong password in requests at once is rejected for each, with whichever nonce")
  func rejectedAtOnce() throws {
    let responder = try make("n1")
    let fields = try (0..<3).map { _ in try field(responder) }
    #expect(responder.renew(by: try make("n2")))
    for (number, field) in fields.enumerated() {
      let response = challenge("later\(number)")
      #expect(try responder.judge(response, to: field, of: request) == .rejected)
    }
    #expect(try next(responder) == "n2 1")
  }

  @Test("only a challenge of the same server, scheme, realm and algorithm renews")
  func renewing() throws {
    let responder = try make("n1")
    let others = [
      try make("n2", "qop=\"auth\", algorithm=SHA-256"),
      try make("n2", "qop=\"auth\", algorithm=MD5-sess"),
      try ChallengeResponder(.challenge("Digest realm=\"team\", nonce=\"n2\""), to: request),
      try ChallengeResponder(.challenge("Basic realm=\"Team\""), to: request),
      try ChallengeResponder(challenge("n2"), to: RequestHead.get("https://h/docs/page")),
      try ChallengeResponder(challenge("n2"), to: RequestHead.get("http://other/docs/page")),
      try ChallengeResponder(.challenge(""), to: request),
    ]
    for other in others {
      #expect(!responder.isOfSameChallenge(as: other))
      #expect(!responder.renew(by: other))
    }
    #expect(try next(responder) == "n1 1")
    #expect(responder.renew(by: responder))
    #expect(responder.renew(by: try make("n2", "qop=\"auth\", opaque=\"o2\"")))
    let field = try field(responder)
    #expect(field.parameters["nonce"] == "n2" && field.parameters["opaque"] == "o2")
  }

  @Test("without qop there is no count, and the nonce is used again all the same")
  func withoutQuality() throws {
    let responder = try make("n1", "opaque=\"o\"")
    for _ in 0..<2 {
      let sent = try field(responder).parameters
      #expect(sent["nonce"] == "n1" && sent["nc"] == nil && sent["cnonce"] == nil)
    }
  }
}
