@testable import HTTPChallenge
import Testing
import VaultModel

@Suite("ChallengeList") struct ChallengeListTests {
  /// A field that servers send, and its meaning.
  struct Line: Sendable {
    let field: String
    let meaning: [String]

    init(_ field: String, _ meaning: String...) {
      self.field = field
      self.meaning = meaning
    }
  }

  /// Returns one line for each challenge and skipped challenge.
  private func meaning(_ fields: [String]) -> [String] {
    let list = ChallengeList(fields)
    return list.challenges.map(\.summary)
      + list.skipped.map { "skipped \($0.scheme): \($0.reason)" }
  }

  @Test(
    "what real servers send is understood",
    arguments: [
      // Apache httpd: Basic, Digest, and after an old nonce.
      Line(#"Basic realm="Restricted Area""#, "basic <Restricted Area>"),
      Line(
        #"Digest realm="private", nonce="bWFkZSB1cA==0123", algorithm=MD5, qop="auth""#,
        "digest <private> MD5 auth nonce=bWFkZSB1cA==0123"),
      Line(
        #"Digest realm="private", nonce="n", algorithm=MD5, stale=true, qop="auth", domain="/a /b""#,
        "digest <private> MD5 auth nonce=n stale domain=/a|/b"),
      // IIS.
      Line("Negotiate, NTLM", "negotiate connection", "ntlm connection"),
      Line(
        #"Digest qop="auth",algorithm=MD5-sess,nonce="+Upgraded+v1ab=",charset=utf-8,realm="Digest""#,
        "digest <Digest> MD5-sess auth nonce=+Upgraded+v1ab= utf8"),
      Line("NTLM TlRMTVNTUAACAAAA==", "ntlm connection token=TlRMTVNTUAACAAAA=="),
      Line("Negotiate oYG2MIGzoAMKAQA=", "negotiate connection token=oYG2MIGzoAMKAQA="),
      // nginx, GitHub, lighttpd, Jetty, Tomcat, Squid, curl's own tests.
      Line(#"Basic realm="GitHub""#, "basic <GitHub>"),
      Line(#"Basic realm="Jenkins", charset="UTF-8""#, "basic <Jenkins> utf8"),
      Line(
        #"Digest realm="r", charset="UTF-8", algorithm=SHA-256, nonce="4f0:a", qop="auth", userhash=true"#,
        "digest <r> SHA-256 auth nonce=4f0:a userhash utf8"),
      Line(
        #"Digest realm="Squid", nonce="x", qop="auth", stale=false"#,
        "digest <Squid> MD5 auth nonce=x"),
      Line(
        #"Digest realm="testrealm", nonce="1053604145""#,
        "digest <testrealm> MD5 rfc2069 nonce=1053604145"),
      // Registries.
      Line(
        #"Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:a/b:pull,push""#,
        "bearer <https://auth.docker.io/token> service=registry.docker.io scope=repository:a/b:pull,push"
      ),
      Line(
        #"Bearer realm="example", error="invalid_token", error_description="The token expired""#,
        "bearer <example> error=invalid_token error_description=The token expired"),
      // FastAPI's HTTPBearer.
      Line("Bearer", "bearer"),
      Line(
        #"AWS4-HMAC-SHA256 credential="x""#, "aws4-hmac-sha256 credential=x unknown"),
      // RFC 9110 §11.6.1.
      Line(
        #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#,
        "basic <simple>", #"newauth <apps> type=1 title=Login to "apps" unknown"#),
      // RFC 7235's, with the second scheme first.
      Line(
        #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
        #"newauth <apps> type=1 title=Login to "apps" unknown"#, "basic <simple>"),
    ])
  func realServers(_ line: Line) {
    #expect(meaning([line.field]) == line.meaning)
  }

  @Test(
    "the list's grammar is that of RFC 9110",
    arguments: [
      Line("", /**/ ), Line(" , ,,\t,"), Line(",,Basic realm=a,,", "basic <a>"),
      Line("bAsIc ReAlM=\"A\"", "basic <A>"), Line("basic realm \t=\t \"a\"", "basic <a>"),
      Line("Basic , realm=a", "basic <a>"), Line("Basic\trealm=a", "basic <a>"),
      Line(#"Basic realm="a, Digest nonce=\"b\", c=d""#, #"basic <a, Digest nonce="b", c=d>"#),
      Line(#"Basic realm="\a\\\b\,""#, #"basic <a\b,>"#), Line(#"Basic realm="""#, "basic <>"),
      Line("Basic realm=a, Basic realm=b", "basic <a>", "basic <b>"),
      Line("Foo, Bar abc", "foo unknown", "bar token=abc unknown"),
      Line("Bar, baz = ,Foo", "foo unknown", "skipped Bar: a parameter without a value"),
      Line("Foo a=, Basic realm=b", "foo token=a= unknown", "basic <b>"),
      Line("Foo a==, b=c", "skipped Foo: a token and a parameter"),
      Line("Foo a=b, c = d ,e= \"f\"", "foo a=b c=d e=f unknown"),
      Line("Foo a-._~+/1== , Bar", "foo token=a-._~+/1== unknown", "bar unknown"),
      Line("Basic realm=https://a.b/c?d=e;f, Foo", "basic <https://a.b/c?d=e;f>", "foo unknown"),
      Line(
        "Digest realm=a,nonce=b==,algorithm=\"md5\",qop=auth,STALE=\"TRUE\"",
        "digest <a> MD5 auth nonce=b== stale"),
      Line("Basic realm=\"Caf\u{E9} \u{1F511}\"", "basic <Caf\u{E9} \u{1F511}>"),
      Line("Basic realm=\"a\tb\"", "basic <a\tb>"),
      Line(
        #"Digest realm="a", nonce="b", opaque="", qop="auth-int,Auth""#,
        "digest <a> MD5 auth nonce=b opaque="),
    ])
  func grammar(_ line: Line) {
    #expect(meaning([line.field]) == line.meaning)
  }

  @Test(
    "a malformed challenge is skipped with a reason, and the others count",
    arguments: [
      ("Basic abc", "Basic", "a token in place of parameters"),
      ("Bearer abc", "Bearer", "a token in place of parameters"),
      ("Basic realm=a, ReAlM=b", "Basic", "a parameter twice"),
      ("Foo a=b, A=b", "Foo", "a parameter twice"),
      ("Basic realm=a b c=d", "Basic", "no comma where one belongs"),
      ("Basic realm=\"a\"b", "Basic", "no comma where one belongs"),
      ("Basic realm=a\\\"b\"", "Basic", "no comma where one belongs"),
      ("Foo realm=\"a\", charset=", "Foo", "a parameter without a value"),
      ("Basic realm=\"a\", =b", "Basic", "neither a scheme nor a parameter"),
      ("Basic realm=\"a\", \"b, c\"", "Basic", "neither a scheme nor a parameter"),
      ("Basic \"a, Foo\"", "Basic", "neither a token nor a parameter after the scheme"),
      ("Foo bar baz", "Foo", "neither a token nor a parameter after the scheme"),
      ("Foo/bar", "Foo", "no comma where one belongs"),
      ("Caf\u{E9}", "Caf", "no comma where one belongs"),
      ("Digest realm=a", "Digest", "no nonce"),
      ("Digest realm=a, nonce=\"\"", "Digest", "no nonce"),
      ("Digest realm=a, nonce=b, algorithm=SHA-1", "Digest", "unknown algorithm"),
      ("Digest realm=a, nonce=b, algorithm=\"MD5,SHA-256\"", "Digest", "unknown algorithm"),
      ("Digest realm=a, nonce=b, qop=\"\"", "Digest", "no known qop"),
      ("Digest realm=a, nonce=b, qop=\"authx\"", "Digest", "no known qop"),
      (
        "Digest realm=a, nonce=b, algorithm=MD5-sess", "Digest",
        "algorithm of a session without qop"
      ),
    ])
  func malformed(_ field: String, _ scheme: String, _ reason: String) {
    let skipped = "skipped \(scheme): \(reason)"
    #expect(meaning([field]) == [skipped])
    let among = meaning(["Foo, " + field + ", Basic realm=\"z\""])
    #expect(among == ["foo unknown", "basic <z>", skipped])
    #expect(meaning([field, "Basic realm=\"z\""]) == ["basic <z>", skipped])
  }

  @Test(
    "what stands before any scheme is skipped", arguments: ["realm=a", "\"a, b\", c=d", "=", ";x"])
  func noScheme(_ field: String) {
    #expect(meaning([field + ", Foo"]) == ["foo unknown", "skipped : no scheme"])
  }

  @Test(
    "a quote that nothing ends takes the rest of its field, and not the next field",
    arguments: [
      #"Basic realm="a, Foo b=c"#, #"Basic realm="a b=c\"#, #"Basic realm="a,\""#,
    ])
  func unterminated(_ field: String) {
    #expect(
      meaning([field, "Foo"]) == ["foo unknown", "skipped Basic: unterminated quoted string"])
  }

  @Test(
    "a field with a control character is skipped as a whole",
    arguments: ["\r\n", "\n", "\0", "\u{7F}", "\u{1B}"])
  func controls(_ text: String) {
    let reason = "skipped : control character in the field"
    #expect(meaning(["Foo, Basic realm=\"a\(text)\"", "Bar"]) == ["bar unknown", reason])
    #expect(meaning(["Basic realm=a\(text)Foo: b"]) == [reason])
  }

  @Test(
    "the strongest challenge is the one of the strongest algorithm, and of equal ones the first",
    arguments: [
      ([], nil), (["Foo", "Bar"], "foo"), (["Foo", "Basic realm=b", "Basic realm=c"], "b"),
      (["Basic realm=b", "Digest realm=d, nonce=n", "Foo realm=f"], "d"),
      (["Basic realm=b", "Bearer realm=t", "Foo realm=f"], "t"),
      (["Bearer realm=t", "Basic realm=b", "Digest realm=d, nonce=n"], "d"),
      (["Bearer realm=t", "Bearer realm=u"], "t"), (["Foo", "Bearer realm=t"], "t"),
      (
        [
          "Digest realm=d, nonce=n, qop=auth, algorithm=md5-sess", "Digest realm=e, nonce=n",
          "Digest realm=g, nonce=n",
        ], "e"
      ),
      (
        ["Digest realm=d, nonce=n, algorithm=sha-256", "Digest realm=e, nonce=n", "Basic realm=b"],
        "d"
      ),
      (
        [
          "Digest realm=d, nonce=n, algorithm=sha-256",
          "Digest realm=e, nonce=n, algorithm=sha-512-256",
        ], "e"
      ),
    ] as [([String], String?)])
  func strongest(_ fields: [String], _ name: String?) {
    let strongest = ChallengeList(fields).strongest
    #expect(strongest.map { $0.realm.isEmpty ? $0.method.rawValue : $0.realm } == name)
  }

  @Test(
    "without a realm, Basic and Digest are of the empty realm",
    arguments: [
      // FastAPI's HTTPBasic.
      Line("Basic", "basic <>"), Line("Basic charset=utf-8", "basic <> utf8"),
      Line("Digest nonce=a", "digest <> MD5 rfc2069 nonce=a"),
      Line("Negotiate, Basic", "negotiate connection", "basic <>"),
    ])
  func emptyRealm(_ line: Line) {
    #expect(meaning([line.field]) == line.meaning)
  }

  @Test(
    "auth-int is required where it is all there is",
    arguments: [
      Line("Digest nonce=b, qop=auth-int", "digest <> MD5 auth-int nonce=b"),
      Line("Digest nonce=b, qop=\"x, AUTH-INT\"", "digest <> MD5 auth-int nonce=b"),
      Line("Digest nonce=b, qop=\"auth-int,auth\"", "digest <> MD5 auth nonce=b"),
    ])
  func integrity(_ line: Line) {
    #expect(meaning([line.field]) == line.meaning)
  }

  @Test("fields count in their order, and a challenge does not go on in the next")
  func fields() {
    #expect(
      meaning(["Basic realm=a", "charset=utf-8", "Foo"])
        == ["basic <a>", "foo unknown", "skipped : no scheme"])
    #expect(meaning([]) == [])
  }
}

extension Challenge {
  /// Everything in the challenge, for comparisons.
  var summary: String {
    switch self {
    case .basic(let challenge): "basic <\(challenge.realm)>" + (challenge.isUTF8 ? " utf8" : "")
    case .digest(let challenge): challenge.summary
    case .bearer(let challenge): challenge.summary
    case .connection(let challenge): challenge.summary
    case .unanswered(let challenge): challenge.summary
    }
  }
}

extension DigestChallenge {
  fileprivate var summary: String {
    var words = [
      "digest", "<\(realm)>", algorithm.name, qop ?? "rfc2069", "nonce=\(nonce)",
    ]
    if let opaque { words.append("opaque=\(opaque)") }
    if isStale { words.append("stale") }
    if offersUserHash { words.append("userhash") }
    if isUTF8 { words.append("utf8") }
    if !domain.isEmpty { words.append("domain=" + domain.joined(separator: "|")) }
    return words.joined(separator: " ")
  }
}

extension BearerChallenge {
  fileprivate var summary: String {
    var words = ["bearer"]
    if value(of: "realm") != nil { words.append("<\(realm)>") }
    words += parameters.filter { $0.name != "realm" }.map { "\($0.name)=\($0.value)" }
    return words.joined(separator: " ")
  }
}

extension ConnectionChallenge {
  fileprivate var summary: String {
    "\(method.rawValue) connection" + (token.isEmpty ? "" : " token=\(token)")
  }
}

extension UnansweredChallenge {
  fileprivate var summary: String {
    var words = [method.rawValue]
    if value(of: "realm") != nil { words.append("<\(realm)>") }
    if !token.isEmpty { words.append("token=\(token)") }
    words += parameters.filter { $0.name != "realm" }.map { "\($0.name)=\($0.value)" }
    return (words + ["unknown"]).joined(separator: " ")
  }
}
