import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel

/// One test for each function of CFHTTPAuthentication; `Documentation/networking.md` names them.
@Suite struct ChallengeResponderTests {
  let request: RequestHead
  let basic = ResponseHead.challenge("Basic realm=\"Team\"")
  let digest = ResponseHead.challenge("Digest realm=\"Team\", nonce=\"n1\", qop=\"auth\"")

  init() throws { request = try RequestHead.get("http://h/docs/page") }

  @Test("it is told from other values by its type, and is one object however often it is held")
  func typeID() throws {
    let values: [any Sendable] = [try ChallengeResponder(basic, to: request), request, "Basic"]
    #expect(values.compactMap { $0 as? ChallengeResponder }.count == 1)
    let first = try ChallengeResponder(basic, to: request)
    let second = first
    #expect(first === second)
  }

  @Test("it is made of the strongest challenge of a 401 or 407 that can be answered")
  func createFromResponse() throws {
    let both = ResponseHead.challenge(
      "NTLM", "Basic realm=\"Team\"", "Digest realm=\"Team\", nonce=\"n1\", qop=\"auth\"")
    let responder = try ChallengeResponder(both, to: request)
    #expect(responder.method == .digest)
    #expect(responder.isValid && !responder.isProxy)
    #expect(
      try responder.space
        == ProtectionSpace(
          host: "h", protocol: .http, realm: "Team", authenticationMethod: .digest))
    #expect("\(responder)" == "http://h \"Team\" digest")
  }

  @Test(
    "other statuses make none, and a 407 without a proxy least of all",
    arguments: [100, 200, 302, 400, 402, 403, 407, 500])
  func createFromOtherResponse(_ status: Int) throws {
    let fields = ["WWW-Authenticate", "Proxy-Authenticate"].map {
      ResponseHead.Field($0, "Basic realm=\"Team\"")
    }
    let response = ResponseHead(status: status, fields: fields)
    #expect(throws: VaultError(.invalidArgument, "")) {
      try ChallengeResponder(response, to: request)
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try ChallengeResponder.offered(by: response, to: request)
    }
  }

  @Test(
    "a response without a readable challenge makes one that says so, and has no field",
    arguments: ["", "Digest realm=\"Team\"", "Basic realm=\"Te, x", "=\"", ",,,"])
  func isValidParse(_ value: String) throws {
    let responder = try ChallengeResponder(.challenge(value), to: request)
    #expect(responder.failure == .unreadable && !responder.isValid)
    #expect(responder.method == .unset && responder.realm == "h")
    #expect(throws: VaultError(.invalidData, "")) {
      try responder.field(for: .of("ann"), of: request)
    }
  }

  @Test("a challenge without fields, or with a realm that no space has, is one that says so")
  func isValidParseWithoutRealm() throws {
    let none = try ChallengeResponder(ResponseHead(status: 401, fields: []), to: request)
    #expect(none.failure == .unreadable)
    let realm = String(repeating: "r", count: 5000)
    let long = try ChallengeResponder(.challenge("Basic realm=\"\(realm)\""), to: request)
    #expect(long.failure == .unreadable)
  }

  @Test("schemes that are not answered make one that says which, and has no field")
  func isValidUnsupported() throws {
    let responder = try ChallengeResponder(
      .challenge("NTLM realm=\"Team\"", "Negotiate"), to: request)
    #expect(responder.failure == .unsupported && !responder.isValid)
    #expect(responder.method == .ntlm && responder.realm == "Team")
    #expect(throws: VaultError(.unsupported, "")) {
      try responder.field(for: .of("ann"), of: request)
    }
    #expect(responder.failure == .unsupported)
  }

  @Test("a user that the scheme cannot carry is a problem until the next credential")
  func isValidBadUser() throws {
    let responder = try ChallengeResponder(basic, to: request)
    for user in ["a:b", "a\nb", "a\u{7F}"] {
      #expect(throws: VaultError(.invalidArgument, "")) {
        try responder.field(for: .of(user), of: request)
      }
      #expect(responder.failure == .badUser && !responder.isValid)
    }
    _ = try responder.field(for: .of("ann"), of: request)
    #expect(responder.isValid)
  }

  @Test("a password that cannot be carried or is rejected is a problem until the next credential")
  func isValidBadPassword() throws {
    let responder = try ChallengeResponder(basic, to: request)
    #expect(throws: VaultError(.invalidArgument, "")) {
      try responder.field(for: .of("ann", "a\r\nb"), of: request)
    }
    #expect(responder.failure == .badPassword)
    let field = try responder.field(for: .of("ann", "wrong"), of: request)
    #expect(responder.isValid)
    #expect(try responder.judge(basic, to: field, of: request) == .rejected)
    #expect(responder.failure == .badPassword && !responder.isValid)
    _ = try responder.field(for: .of("ann"), of: request)
    #expect(responder.isValid)
  }

  @Test("a credential that is good and does not help is a problem of its own")
  func isValidRefused() throws {
    let responder = try ChallengeResponder(basic, to: request)
    let field = try responder.field(for: .of("ann"), of: request)
    #expect(try responder.judge(.status(403), to: field, of: request) == .refused)
    #expect(responder.failure == .refused && !responder.isValid)
  }

  @Test("it applies to what is below the folder, or to the whole server, never to another")
  func appliesToRequest() throws {
    let folder = try ChallengeResponder(basic, to: request)
    let server = try ChallengeResponder(digest, to: request)
    for (url, isInFolder, isOnServer) in [
      ("http://h/docs/other?q", true, true), ("http://H:80/docs/a/b", true, true),
      ("http://h/docsx", false, true), ("http://h/", false, true),
      ("https://h/docs/page", false, false), ("http://h.evil/docs/page", false, false),
      ("http://h:8080/docs/page", false, false), ("http://other/docs/page", false, false),
    ] {
      let other = try RequestHead.get(url)
      #expect(folder.applies(to: other) == isInFolder, "\(url)")
      #expect(server.applies(to: other) == isOnServer, "\(url)")
    }
  }

  @Test("what counts its uses, and what authenticates the connection, wants requests in order")
  func requiresOrderedRequests() throws {
    let isOrdered = { (value: String) in
      try ChallengeResponder(.challenge(value), to: request).requiresOrderedRequests
    }
    #expect(try !isOrdered("Basic realm=\"Team\""))
    #expect(try !isOrdered("Bearer"))
    #expect(try isOrdered("NTLM"))
    #expect(try isOrdered("Negotiate"))
    #expect(try isOrdered("Digest realm=\"Team\", nonce=\"n1\", qop=\"auth\""))

    let old = try ChallengeResponder(.challenge("Digest realm=\"Team\", nonce=\"n1\""), to: request)
    #expect(!old.requiresOrderedRequests)
    let field = try old.field(for: .of("ann"), of: request)
    #expect(
      try old.judge(.status(200, info: "nextnonce=\"n2\""), to: field, of: request) == .accepted)
    #expect(old.requiresOrderedRequests)
  }

  @Test("the realm is the server's, or else the host that asks, which the space has no trace of")
  func copyRealm() throws {
    #expect(try ChallengeResponder(basic, to: request).realm == "Team")
    let none = try ChallengeResponder(.challenge("NTLM"), to: request)
    #expect(none.realm == "h" && none.space.realm == "")
    let proxy = try Proxy(host: "proxy", port: 3128)
    let proxied = try RequestHead.get("http://h/", through: proxy)
    #expect(try ChallengeResponder(.proxyChallenge("NTLM"), to: proxied).realm == "proxy")
  }

  @Test("the domains are the folder for Basic and what Digest names, on this server")
  func copyDomains() throws {
    let paths = { (responder: ChallengeResponder) in responder.domains.map(\.path) }
    #expect(paths(try ChallengeResponder(basic, to: request)) == ["/docs/"])
    #expect(paths(try ChallengeResponder(digest, to: request)) == ["/"])
    let named = ResponseHead.challenge(
      "Digest realm=\"Team\", nonce=\"n1\", domain=\"/a http://h/b/ http://other/c\"")
    let responder = try ChallengeResponder(named, to: request)
    #expect(paths(responder) == ["/a", "/b/"])
    #expect(responder.domains.allSatisfy { $0.origin == request.url.origin })
  }

  @Test(
    "the method is the scheme in its canonical name, in whatever case it was written",
    arguments: [
      ("bAsIc realm=\"Team\"", AuthenticationMethod.basic),
      ("DIGEST realm=\"Team\", nonce=\"n1\"", .digest), ("ntlm", .ntlm), ("NEGOTIATE", .negotiate),
      ("bearer realm=\"Team\"", .bearer),
    ])
  func copyMethod(_ value: String, _ method: AuthenticationMethod) throws {
    #expect(try ChallengeResponder(.challenge(value), to: request).method == method)
  }

  @Test("passwords answer Basic, Digest and NTLM; a ticket Negotiate, and a token Bearer")
  func requiresUserAndPassword() throws {
    for (value, isRequired) in [
      ("Basic realm=\"Team\"", true), ("Digest realm=\"Team\", nonce=\"n1\"", true), ("NTLM", true),
      ("Negotiate", false), ("Bearer", false), ("", false),
    ] {
      let responder = try ChallengeResponder(.challenge(value), to: request)
      #expect(responder.requiresUserAndPassword == isRequired, "\(value)")
    }
  }

  @Test("an account domain is wanted by NTLM alone")
  func requiresAccountDomain() throws {
    for (value, isRequired) in [
      ("Basic realm=\"Team\"", false), ("Digest realm=\"Team\", nonce=\"n1\"", false),
      ("NTLM", true), ("Negotiate", false),
    ] {
      let responder = try ChallengeResponder(.challenge(value), to: request)
      #expect(responder.requiresAccountDomain == isRequired, "\(value)")
    }
  }

  @Test("the password travels in clear with Basic without TLS, on the way to a proxy, too")
  func passwordInClear() throws {
    let isSecure = { (response: ResponseHead, request: RequestHead) in
      try ChallengeResponder(response, to: request).receivesCredentialSecurely
    }
    #expect(try !isSecure(basic, request))
    #expect(try isSecure(digest, request))
    #expect(try isSecure(basic, RequestHead.get("https://h/")))
    for (isEncrypted, url) in [(false, "http://h/"), (false, "https://h/"), (true, "http://h/")] {
      let proxy = try Proxy(host: "proxy", port: 3128, overTLS: isEncrypted)
      let proxied = try RequestHead.get(url, through: proxy)
      #expect(try isSecure(.proxyChallenge("Basic realm=\"P\""), proxied) == isEncrypted)
    }
  }
}
