import HTTPAuthentication
import HTTPChallenge
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("DigestResponse") struct DigestResponseTests {
  @Test(
    "the response is that of the RFC, or of an implementation of its own",
    arguments: DigestVector.all + DigestVector.ofBodies)
  func response(_ vector: DigestVector) throws {
    #expect(try vector.answer().parameter("response") == "\"\(vector.response)\"")
  }

  @Test("the server's proof is accepted, and nothing else is", arguments: DigestVector.all)
  func proof(_ vector: DigestVector) throws {
    let answer = try vector.answer()
    #expect(try answer.isProven(by: AuthenticationInfo(["rspauth=\"\(vector.proof)\""])))
    #expect(
      try answer.isProven(by: AuthenticationInfo(["rspauth=\"\(vector.proof.uppercased())\""])))
    #expect(try !answer.isProven(by: AuthenticationInfo(["rspauth=\"\(vector.response)\""])))
    #expect(
      try !answer.isProven(by: AuthenticationInfo(["rspauth=\"\(vector.proof.dropLast())\""])))
    #expect(try !answer.isProven(by: AuthenticationInfo(["rspauth=\"\""])))
    #expect(try !answer.isProven(by: AuthenticationInfo(["nextnonce=\"n\""])))
  }

  @Test("a proof that names another request's count or client nonce is none")
  func proofOfAnother() throws {
    let vector = DigestVector.all[0]
    let answer = try vector.answer()
    let right =
      "rspauth=\"\(vector.proof)\", cnonce=\"\(vector.clientNonce)\", nc=00000001, qop=auth"
    #expect(try answer.isProven(by: AuthenticationInfo([right])))
    #expect(try !answer.isProven(by: AuthenticationInfo([right.replacing("00001", with: "00002")])))
    #expect(try !answer.isProven(by: AuthenticationInfo([right.replacing("\"f2/", with: "\"f3/")])))
    #expect(AuthenticationInfo([right + "-int"]).responseProof == nil)
  }

  @Test("a response that covers a body says so, and there is none without the body")
  func integrity() throws {
    var vector = DigestVector.ofBodies[0]
    #expect(try vector.answer().parameter("qop") == "auth-int")
    vector.body = nil
    #expect(throws: VaultError(.unsupported, "")) { try vector.answer() }
  }

  @Test("the whole field is as RFC 7616 §3.9.1 prints it, in our order")
  func field() throws {
    #expect(
      try DigestVector.all[1].answer().text == """
        Digest username="Mufasa", realm="http-auth@example.org", \
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", uri="/dir/index.html", \
        response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1", \
        algorithm=SHA-256, opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", qop=auth, \
        nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        """)
  }

  @Test("without qop the field has neither count nor client nonce, as RFC 2069 has it")
  func withoutQop() throws {
    let answer = try #require(DigestVector.all.first { $0.name == "RFC 2069" }).answer()
    for name in ["qop", "nc", "cnonce", "userhash"] { #expect(answer.parameter(name) == nil) }
    #expect(answer.parameter("opaque") == "\"5ccc069c403ebaf9f0171e9517e40e41\"")
    #expect(answer.parameter("algorithm") == nil)
  }

  @Test(
    "the algorithm is named as the server named it, without quotes, and not where it named none",
    arguments: [
      ("", nil), (", algorithm=MD5", "MD5"), (", algorithm=md5", "md5"),
      (", algorithm=\"Md5\"", "Md5"), (", algorithm=MD5-sess", "MD5-sess"),
      (", algorithm=md5-SESS", "md5-SESS"), (", algorithm=sha-256", "sha-256"),
      (", algorithm=SHA-512-256", "SHA-512-256"),
    ] as [(String, String?)])
  func algorithm(_ written: String, _ sent: String?) throws {
    let field = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\(written)"
    let request = try RequestHead.get("http://h/x")
    let responder = try ChallengeResponder(.challenge(field), to: request)
    func algorithm(_ count: UInt32) throws -> String? {
      let made = try responder.field(for: .of("ann"), of: request)
      #expect(made.count == count)
      return made.parameters["algorithm"]
    }
    #expect(try algorithm(1) == sent)
    #expect(try algorithm(2) == sent)
    // Later challenges of the same algorithm are answered in their own words.
    let later = "Digest realm=\"r\", nonce=\"m\", qop=\"auth\"\(written.uppercased())"
    #expect(
      try responder.renew(by: ChallengeResponder(.challenge(later), to: request)))
    #expect(try algorithm(1) == sent?.uppercased())
  }

  @Test("a user that is not ASCII is sent hashed, extended or in UTF-8, as the server offers")
  func user() throws {
    var vector = DigestVector.all[2]
    let hashed = try vector.answer()
    #expect(
      hashed.parameter("username")
        == "\"793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b\"")
    #expect(hashed.parameter("userhash") == "true")
    vector.challenge = vector.challenge.replacing("userhash=true", with: "userhash=false")
    let extended = try vector.answer()
    #expect(extended.parameter("username*") == "UTF-8''J%C3%A4s%C3%B8n%20Doe")
    #expect(extended.parameter("username") == nil)
    #expect(extended.parameter("userhash") == nil)
    #expect(extended.parameter("response") == "\"\(vector.response)\"")
    vector.challenge = vector.challenge.replacing("charset=UTF-8, ", with: "")
    let plain = try vector.answer()
    #expect(plain.parameter("username") == "\"J\u{E4}s\u{F8}n Doe\"")
    #expect(plain.parameter("username*") == nil)
    #expect(plain.parameter("response") == "\"\(vector.response)\"")
    vector.challenge = DigestVector.userHash.replacing("userhash=true", with: "userhash=false")
    vector.user = "\u{E4}*'%()\"!~"
    #expect(try vector.answer().parameter("username*") == "UTF-8''%C3%A4%2A%27%25%28%29%22!~")
  }

  @Test("user, realm, nonce, opaque and uri are escaped; what was escaped comes back as it came")
  func escapes() throws {
    let answer = try #require(DigestVector.all.last).answer()
    #expect(answer.parameter("username") == #""a\"b\\c""#)
    #expect(answer.parameter("realm") == #""say \"hi\" \\ there""#)
    #expect(answer.parameter("nonce") == #""n\"once""#)
    #expect(answer.parameter("uri") == #""/x?\"y\"""#)
    #expect(answer.parameter("nc") == "fedcba98")
    #expect(answer.parameter("opaque") == nil)
    var vector = DigestVector.all[0]
    vector.challenge = #"Digest realm="r", nonce="=a,b \\", opaque="", qop="auth""#
    #expect(try vector.answer().text.contains(#", nonce="=a,b \\", "#))
    #expect(try vector.answer().parameter("opaque") == "\"\"")
  }

  @Test("a realm that is not ASCII is hashed and sent as the bytes it came in")
  func realm() throws {
    var vector = DigestVector.all[0]
    vector.challenge = "Digest realm=\"Caf\u{E9}\", nonce=\"n\", qop=\"auth\""
    let composed = try vector.answer()
    #expect(composed.parameter("realm") == "\"Caf\u{E9}\"")
    vector.challenge = "Digest realm=\"Cafe\u{301}\", nonce=\"n\", qop=\"auth\""
    #expect(try composed.parameter("response") != vector.answer().parameter("response"))
  }

  @Test("user and password are hashed in NFC, however they were typed", arguments: [0, 2, 3])
  func normalForm(_ index: Int) throws {
    var composed = DigestVector.all[index]
    composed.user = "Zo\u{EB}"
    composed.password = "p\u{E2}ss\u{212B}"
    var decomposed = composed
    decomposed.user = "Zoe\u{308}"
    decomposed.password = "pa\u{302}ssA\u{30A}"
    let (one, other) = (try composed.answer(), try decomposed.answer())
    #expect(one.parameter("response") == other.parameter("response"))
    #expect(one.parameter("username") == other.parameter("username"))
  }

  @Test("another nonce than the challenge's can be answered")
  func nextNonce() throws {
    let vector = DigestVector.all[0]
    let challenge = try digestChallenge(vector.challenge)
    let answer = try DigestResponse(
      to: challenge, nonce: "next", clientNonce: vector.clientNonce, count: 1,
      credential: Credential(user: "u", secret: Secret("p"), persistence: .none), method: "GET",
      uri: "/")
    #expect(answer.nonce == "next")
    #expect(answer.parameter("nonce") == "\"next\"")
  }

  @Test(
    "a user with a control character is refused by name", arguments: ["a\0b", "a\nb", "\u{7F}"])
  func badUser(_ user: String) throws {
    var vector = DigestVector.all[0]
    vector.user = user
    let error = try #require(throws: VaultError.self) { try vector.answer() }
    #expect(error.code == .invalidArgument)
    #expect(error.context.hasPrefix("user:"))
    #expect(!error.context.contains(user))
  }

  @Test(
    "a uri with a blank or control character is refused", arguments: ["/a b", "/\r\nX: y", "/\0"])
  func badURI(_ uri: String) throws {
    var vector = DigestVector.all[0]
    vector.uri = uri
    let error = try #require(throws: VaultError.self) { try vector.answer() }
    #expect(error.code == .invalidArgument)
    #expect(error.context.hasPrefix("uri:"))
  }

  @Test("a dump of a response shows neither password nor key")
  func dumped() throws {
    let answer = try DigestVector.all[0].answer()
    var text = "\(answer) \(String(reflecting: answer))"
    dump(answer, to: &text)
    // H(A1) of RFC 7616 §3.9.1, from Python's hashlib.
    for secret in ["Circle", "3d78807defe7de2157e2b0b6573a855f"] { #expect(!text.contains(secret)) }
  }
}
