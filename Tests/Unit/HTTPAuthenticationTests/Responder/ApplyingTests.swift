import HTTPAuthentication
import HTTPChallenge
import SecureMemory
import Testing
import VaultModel

@Suite struct ApplyingTests {
  let request: RequestHead
  let basic = ResponseHead.challenge("Basic realm=\"Team\"")
  let digest = ResponseHead.challenge("Digest realm=\"Team\", nonce=\"n1\", qop=\"auth\"")
  let proxy: Proxy

  init() throws {
    request = try RequestHead.get("http://h/docs/page?q=1")
    proxy = try Proxy(host: "proxy", port: 3128)
  }

  @Test("user and password become the field of the request")
  func applyCredentials() throws {
    let responder = try ChallengeResponder(basic, to: request)
    let field = try responder.field(for: .of("Aladdin", "open sesame"), of: request)
    #expect(field.name == "Authorization")
    // RFC 7617 §2.
    #expect(field.value.isEqual(to: Secret("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")))
  }

  @Test("an empty user or password is a credential, and what goes unsent is of no account")
  func applyCredentialDictionary() throws {
    let responder = try ChallengeResponder(basic, to: request)
    let empty = try responder.field(for: .of("", ""), of: request)
    #expect(empty.value.isEqual(to: Secret("Basic Og==")))
    var credential = Credential.of("Aladdin", "open sesame")
    credential.accountDomain = "WORK"
    let field = try responder.field(for: credential, of: request)
    #expect(field.value.isEqual(to: Secret("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")))
    #expect(responder.isValid)
  }

  @Test("one call for one response: the strongest scheme that is offered makes the field")
  func addAuthentication() throws {
    let both = ResponseHead.challenge(
      "Basic realm=\"Team\", Digest realm=\"Team\", nonce=\"n1\", qop=\"auth\"")
    let field = try ChallengeResponder(both, to: request).field(for: .of("ann"), of: request)
    #expect(field.parameters["username"] == "ann" && field.parameters["nonce"] == "n1")
    let offer = try ChallengeResponder.offered(by: both, to: request)
    let chosen = try #require(offer.responders.first { $0.method == .basic })
    let other = try chosen.field(for: .of("Aladdin", "open sesame"), of: request)
    #expect(other.value.isEqual(to: Secret("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")))
  }

  @Test("a Digest response is made of the target as it is sent, and of the first count")
  func digestTarget() throws {
    let responder = try ChallengeResponder(digest, to: request)
    let field = try responder.field(for: .of("ann"), of: request)
    #expect(field.parameters["uri"] == "/docs/page?q=1" && field.count == 1)
    let proxied = try RequestHead.get("http://h/docs/page?q=1", through: proxy)
    let proxys = try ChallengeResponder(
      .proxyChallenge("Digest realm=\"P\", nonce=\"n1\", qop=\"auth\""), to: proxied)
    let other = try proxys.field(for: .of("ann"), of: proxied)
    #expect(other.name == "Proxy-Authorization" && other.parameters["uri"] == "/docs/page?q=1")
  }

  @Test("through a tunnel a proxy's response is for CONNECT and the server's host and port")
  func tunnel() throws {
    for (url, target) in [
      ("https://h/docs/page", "h:443"), ("https://h:8443/", "h:8443"),
      ("https://[::1]/", "[::1]:443"),
    ] {
      let proxied = try RequestHead.get(url, through: proxy)
      let challenge = "Digest realm=\"P\", nonce=\"n1\", qop=\"auth\""
      let responder = try ChallengeResponder(.proxyChallenge(challenge), to: proxied)
      let field = try responder.field(for: .of("ann"), of: proxied)
      let sent = field.parameters
      #expect(sent["uri"] == target)
      let expected = try DigestResponse(
        to: DigestChallenge(realm: "P", nonce: "n1"), nonce: "n1",
        clientNonce: sent["cnonce"] ?? "", count: 1, credential: .of("ann"), method: "CONNECT",
        uri: target)
      #expect(field.value.isEqual(to: expected.value))

      let server = try ChallengeResponder(digest, to: proxied)
      let own = try server.field(for: .of("ann"), of: proxied)
      #expect(own.name == "Authorization" && own.parameters["uri"] == proxied.url.target)
    }
  }

  @Test("a field is never made for another server or through another proxy")
  func otherServers() throws {
    let server = try ChallengeResponder(basic, to: request)
    for url in ["https://h/docs/page", "http://h:81/", "http://other/", "http://h.evil/"] {
      #expect(throws: VaultError(.invalidArgument, "")) {
        try server.field(for: .of("ann"), of: RequestHead.get(url))
      }
    }
    #expect(server.isValid)
    let proxied = try RequestHead.get("http://h/", through: proxy)
    let proxys = try ChallengeResponder(.proxyChallenge("Basic realm=\"P\""), to: proxied)
    let others = [
      try RequestHead.get("http://h/"),
      try RequestHead.get("http://h/", through: Proxy(host: "proxy", port: 3129)),
      try RequestHead.get("http://h/", through: Proxy(host: "other", port: 3128)),
      try RequestHead.get(
        "http://h/", through: Proxy(host: "proxy", port: 3128, overTLS: true)),
    ]
    for other in others {
      #expect(!proxys.applies(to: other))
      #expect(throws: VaultError(.invalidArgument, "")) {
        try proxys.field(for: .of("ann"), of: other)
      }
    }
    #expect(try proxys.applies(to: RequestHead.get("https://other/any", through: proxy)))
    #expect(proxys.domains.isEmpty)
  }

  @Test("a proxy's space has the proxy's host, port and kind, whatever the server")
  func proxySpace() throws {
    let proxied = try RequestHead.get(
      "https://h/", through: Proxy(host: "[fe80::1%25eth0]", port: 3128, overTLS: true))
    let responder = try ChallengeResponder(.proxyChallenge("Basic realm=\"P\""), to: proxied)
    #expect(responder.isProxy)
    #expect(
      try responder.space
        == ProtectionSpace(
          proxyHost: "fe80::1%eth0", port: 3128, type: .httpsProxy, realm: "P",
          authenticationMethod: .basic))
  }

  @Test("neither it nor its dump shows a credential that it was given")
  func holdsNoCredential() throws {
    let responder = try ChallengeResponder(digest, to: request)
    let field = try responder.field(for: .of("ann", "open sesame"), of: request)
    var text = "\(responder) \(field)"
    dump(responder, to: &text)
    dump(field, to: &text)
    let response = field.parameters["response"] ?? ""
    #expect(!response.isEmpty)
    for secret in ["ann", "open sesame", response] { #expect(!text.contains(secret)) }
  }
}
