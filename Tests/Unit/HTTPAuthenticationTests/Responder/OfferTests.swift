import HTTPAuthentication
import HTTPChallenge
import Testing
import VaultModel

@Suite struct OfferTests {
  let request: RequestHead

  init() throws { request = try RequestHead.get("http://h/docs/page") }

  func offer(_ values: String...) throws -> ChallengeResponder.Offer {
    let fields = values.map { ResponseHead.Field("www-AUTHENTICATE", $0) }
    return try ChallengeResponder.offered(
      by: ResponseHead(status: 401, fields: fields), to: request)
  }

  func digest(_ algorithm: String, realm: String = "Team") -> String {
    "Digest realm=\"\(realm)\", nonce=\"\(algorithm)\", qop=\"auth\", algorithm=\(algorithm)"
  }

  /// Returns the algorithms by the nonces that name them; `Basic` for Basic, `Bearer` for Bearer.
  func names(_ offer: ChallengeResponder.Offer) throws -> [String] {
    try offer.responders.map { responder in
      guard !responder.requiresToken else { return "Bearer" }
      let field = try responder.field(for: .of("ann"), of: request)
      return field.parameters["nonce"] ?? "Basic"
    }
  }

  @Test("the strongest is first, whatever the server's order; a session one after its plain one")
  func order() throws {
    let strongestFirst = [
      "SHA-512-256", "SHA-512-256-sess", "SHA-256", "SHA-256-sess", "MD5", "MD5-sess",
    ]
    let expected = strongestFirst + ["Bearer", "Basic"]
    let values =
      strongestFirst.map { digest($0) } + ["Bearer realm=\"Team\"", "Basic realm=\"Team\""]
    for turn in 0..<values.count {
      let turned = Array(values[turn...] + values[..<turn])
      let all = turned.joined(separator: ", ")
      #expect(try names(offer(all)) == expected)
      let reversed = turned.reversed().joined(separator: ", ")
      #expect(try names(offer(reversed)) == expected)
    }
  }

  @Test("what is not answered stands apart, in the server's order")
  func unanswered() throws {
    let offer = try offer("Negotiate, Basic realm=\"Team\"", "HOBA realm=\"Team\"", "NTLM")
    #expect(offer.responders.map(\.method) == [.basic])
    let hoba = try AuthenticationMethod("hoba")
    #expect(offer.unanswered.map(\.method) == [.negotiate, hoba, .ntlm])
    #expect(offer.unanswered.allSatisfy { $0.failure == .unsupported })
    #expect(offer.skipped.isEmpty)
  }

  @Test("Digest that offers nothing but auth-int is answered only if the body is at hand")
  func authInt() throws {
    let fields = [
      ResponseHead.Field(
        "WWW-Authenticate", "Digest realm=\"Team\", nonce=\"n1\", qop=\"auth-int\"")
    ]
    for (method, body, isAnswered) in [
      ("GET", nil, true), ("POST", nil, false), ("POST", [], true), ("PUT", [1], true),
    ] as [(String, [UInt8]?, Bool)] {
      var request = RequestHead(method, url: request.url)
      request.body = body
      let offer = try ChallengeResponder.offered(
        by: ResponseHead(status: 401, fields: fields), to: request)
      #expect(offer.responders.map(\.method) == (isAnswered ? [.digest] : []))
      #expect(offer.unanswered.map(\.method) == (isAnswered ? [] : [.digest]))
    }
  }

  @Test("what cannot be read is skipped, and the others still count")
  func skipped() throws {
    let long = String(repeating: "r", count: 5000)
    let offer = try offer(
      "Digest realm=\"Team\"", "Basic realm=\"\(long)\"", "Basic realm=\"Team\"")
    #expect(offer.responders.map(\.space.realm) == ["Team"])
    #expect(offer.skipped.count == 2)
    #expect(offer.skipped.allSatisfy { !$0.reason.isEmpty && !$0.reason.contains("rrr") })
  }

  @Test("one is offered for each realm, and none twice")
  func realms() throws {
    let offer = try offer(
      "Basic realm=\"b\"", "Basic realm=\"a\"", "Basic realm=\"b\"", digest("MD5", realm: "b"),
      digest("MD5", realm: "a"), digest("MD5", realm: "b"))
    #expect(offer.responders.map(\.method) == [.digest, .digest, .basic, .basic])
    #expect(offer.responders.map(\.space.realm) == ["b", "a", "b", "a"])
  }

  @Test("a 401 is the server's and a 407 the proxy's, whatever other fields stand there")
  func sides() throws {
    let proxied = try RequestHead.get("http://h/", through: Proxy(host: "proxy", port: 3128))
    let fields = [
      ResponseHead.Field("WWW-Authenticate", "Basic realm=\"server\""),
      ResponseHead.Field("Proxy-Authenticate", "Basic realm=\"proxy\""),
    ]
    for (status, realm) in [(401, "server"), (407, "proxy")] {
      let response = ResponseHead(status: status, fields: fields)
      let offer = try ChallengeResponder.offered(by: response, to: proxied)
      #expect(offer.responders.map(\.space.realm) == [realm])
      #expect(offer.responders.map(\.isProxy) == [status == 407])
    }
  }
}
