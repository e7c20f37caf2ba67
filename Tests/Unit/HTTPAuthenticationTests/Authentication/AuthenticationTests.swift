import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel

/// One test for each function of CFHTTPAuthentication; `Documentation/networking.md` names them.
@Suite struct AuthenticationTests {
  let request: RequestHead
  let basic = ResponseHead.challenge("Basic realm=\"Team\"")
  let digest = ResponseHead.challenge("Digest realm=\"Team\", nonce=\"n1\", qop=\"auth\"")

  init() throws { request = try RequestHead.get("http://h/docs/page") }

  @Test("it is told from other values by its type, and is one object however often it is held")
  func typeID() throws {
    let values: [any Sendable] = [try Authentication(basic, to: request), request, "Basic"]
    #expect(values.compactMap { $0 as? Authentication }.count == 1)
    let first = try Authentication(basic, to: request)
    let second = first
    #expect(first === second)
  }

  @Test("it is made of the strongest challenge of a 401 or 407 that can be answered")
  func createFromResponse() throws {
    let both = ResponseHead.challenge(
      "NTLM", "Basic realm=\"Team\"", "Digest realm=\"Team\", nonce=\"n1\", qop=\"auth\"")
    let authentication = try Authentication(both, to: request)
    #expect(authentication.method == .digest)
    #expect(authentication.isValid && !authentication.isProxy)
    #expect(
      try authentication.space
        == ProtectionSpace(
          host: "h", protocol: .http, realm: "Team", authenticationMethod: .digest))
    #expect("\(authentication)" == "http://h \"Team\" digest")
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
      try Authentication(response, to: request)
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try Authentication.offered(by: response, to: request)
    }
  }

  @Test(
    "a response without a readable challenge makes one that says so, and has no field",
    arguments: ["", "Digest realm=\"Team\"", "Basic realm=\"Te, x", "=\"", ",,,"])
  func isValidParse(_ value: String) throws {
    let authentication = try Authentication(.challenge(value), to: request)
    #expect(authentication.problem == .parse && !authentication.isValid)
    #expect(authentication.method == .unset && authentication.realm == "h")
    #expect(throws: VaultError(.invalidData, "")) {
      try authentication.field(for: .of("ann"), of: request)
    }
  }

  @Test("a challenge without fields, or with a realm that no space has, is one that says so")
  func isValidParseWithoutRealm() throws {
    let none = try Authentication(ResponseHead(status: 401, fields: []), to: request)
    #expect(none.problem == .parse)
    let realm = String(repeating: "r", count: 5000)
    let long = try Authentication(.challenge("Basic realm=\"\(realm)\""), to: request)
    #expect(long.problem == .parse)
  }

  @Test("schemes that are not answered make one that says which, and has no field")
  func isValidUnsupported() throws {
    let authentication = try Authentication(
      .challenge("NTLM realm=\"Team\"", "Negotiate"), to: request)
    #expect(authentication.problem == .unsupported && !authentication.isValid)
    #expect(authentication.method == .ntlm && authentication.realm == "Team")
    #expect(throws: VaultError(.unsupported, "")) {
      try authentication.field(for: .of("ann"), of: request)
    }
    #expect(authentication.problem == .unsupported)
  }

  @Test("a user that the scheme cannot carry is a problem until the next credential")
  func isValidBadUser() throws {
    let authentication = try Authentication(basic, to: request)
    for user in ["a:b", "a\nb", "a\u{7F}"] {
      #expect(throws: VaultError(.invalidArgument, "")) {
        try authentication.field(for: .of(user), of: request)
      }
      #expect(authentication.problem == .badUser && !authentication.isValid)
    }
    _ = try authentication.field(for: .of("ann"), of: request)
    #expect(authentication.isValid)
  }

  @Test("a password that cannot be carried or is rejected is a problem until the next credential")
  func isValidBadPassword() throws {
    let authentication = try Authentication(basic, to: request)
    #expect(throws: VaultError(.invalidArgument, "")) {
      try authentication.field(for: .of("ann", "a\r\nb"), of: request)
    }
    #expect(authentication.problem == .badPassword)
    let field = try authentication.field(for: .of("ann", "wrong"), of: request)
    #expect(authentication.isValid)
    #expect(try authentication.judge(basic, to: field, of: request) == .rejected)
    #expect(authentication.problem == .badPassword && !authentication.isValid)
    _ = try authentication.field(for: .of("ann"), of: request)
    #expect(authentication.isValid)
  }

  @Test("a credential that is good and does not help is a problem of its own")
  func isValidRefused() throws {
    let authentication = try Authentication(basic, to: request)
    let field = try authentication.field(for: .of("ann"), of: request)
    #expect(try authentication.judge(.status(403), to: field, of: request) == .refused)
    #expect(authentication.problem == .refused && !authentication.isValid)
  }

  @Test("it applies to what is below the folder, or to the whole server, never to another")
  func appliesToRequest() throws {
    let folder = try Authentication(basic, to: request)
    let server = try Authentication(digest, to: request)
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
      try Authentication(.challenge(value), to: request).requiresOrderedRequests
    }
    #expect(try !isOrdered("Basic realm=\"Team\""))
    #expect(try !isOrdered("Bearer"))
    #expect(try isOrdered("NTLM"))
    #expect(try isOrdered("Negotiate"))
    #expect(try isOrdered("Digest realm=\"Team\", nonce=\"n1\", qop=\"auth\""))

    let old = try Authentication(.challenge("Digest realm=\"Team\", nonce=\"n1\""), to: request)
    #expect(!old.requiresOrderedRequests)
    let field = try old.field(for: .of("ann"), of: request)
    #expect(
      try old.judge(.status(200, info: "nextnonce=\"n2\""), to: field, of: request) == .accepted)
    #expect(old.requiresOrderedRequests)
  }

  @Test("the realm is the server's, or else the host that asks, which the space has no trace of")
  func copyRealm() throws {
    #expect(try Authentication(basic, to: request).realm == "Team")
    let none = try Authentication(.challenge("NTLM"), to: request)
    #expect(none.realm == "h" && none.space.realm == "")
    let proxy = try Proxy(host: "proxy", port: 3128)
    let proxied = try RequestHead.get("http://h/", through: proxy)
    #expect(try Authentication(.proxyChallenge("NTLM"), to: proxied).realm == "proxy")
  }

  @Test("the domains are the folder for Basic and what Digest names, on this server")
  func copyDomains() throws {
    let paths = { (authentication: Authentication) in authentication.domains.map(\.path) }
    #expect(paths(try Authentication(basic, to: request)) == ["/docs/"])
    #expect(paths(try Authentication(digest, to: request)) == ["/"])
    let named = ResponseHead.challenge(
      "Digest realm=\"Team\", nonce=\"n1\", domain=\"/a http://h/b/ http://other/c\"")
    let authentication = try Authentication(named, to: request)
    #expect(paths(authentication) == ["/a", "/b/"])
    #expect(authentication.domains.allSatisfy { $0.origin == request.url.origin })
  }

  @Test(
    "the method is the scheme in its canonical name, in whatever case it was written",
    arguments: [
      ("bAsIc realm=\"Team\"", AuthenticationMethod.basic),
      ("DIGEST realm=\"Team\", nonce=\"n1\"", .digest), ("ntlm", .ntlm), ("NEGOTIATE", .negotiate),
      ("bearer realm=\"Team\"", .bearer),
    ])
  func copyMethod(_ value: String, _ method: AuthenticationMethod) throws {
    #expect(try Authentication(.challenge(value), to: request).method == method)
  }

  @Test("passwords answer Basic, Digest and NTLM; a ticket Negotiate, and a token Bearer")
  func requiresUserAndPassword() throws {
    for (value, isRequired) in [
      ("Basic realm=\"Team\"", true), ("Digest realm=\"Team\", nonce=\"n1\"", true), ("NTLM", true),
      ("Negotiate", false), ("Bearer", false), ("", false),
    ] {
      let authentication = try Authentication(.challenge(value), to: request)
      #expect(authentication.requiresUserAndPassword == isRequired, "\(value)")
    }
  }

  @Test("an account domain is wanted by NTLM alone")
  func requiresAccountDomain() throws {
    for (value, isRequired) in [
      ("Basic realm=\"Team\"", false), ("Digest realm=\"Team\", nonce=\"n1\"", false),
      ("NTLM", true), ("Negotiate", false),
    ] {
      let authentication = try Authentication(.challenge(value), to: request)
      #expect(authentication.requiresAccountDomain == isRequired, "\(value)")
    }
  }

  @Test("the password travels in clear with Basic without TLS, on the way to a proxy, too")
  func passwordInClear() throws {
    let isSecure = { (response: ResponseHead, request: RequestHead) in
      try Authentication(response, to: request).receivesCredentialSecurely
    }
    #expect(try !isSecure(basic, request))
    #expect(try isSecure(digest, request))
    #expect(try isSecure(basic, RequestHead.get("https://h/")))
    for (isEncrypted, url) in [(false, "http://h/"), (false, "https://h/"), (true, "http://h/")] {
      let proxy = try Proxy(host: "proxy", port: 3128, isEncrypted: isEncrypted)
      let proxied = try RequestHead.get(url, through: proxy)
      #expect(try isSecure(.proxyChallenge("Basic realm=\"P\""), proxied) == isEncrypted)
    }
  }
}
