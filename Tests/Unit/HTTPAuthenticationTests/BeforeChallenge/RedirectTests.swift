import CredentialVault
import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel

/// The credentials that are kept on a redirect.
@Suite struct RedirectTests {
  private let authenticator = Authenticator(
    vault: .inMemory(), settings: .init(beforeChallenge: .always))

  private func first() throws -> Exchange {
    var request = try RequestHead.get("https://h/x")
    request.credential = .of("ann", "pw")
    request.user = "ann"
    return try authenticator.exchange(for: request)
  }

  @Test(
    "to another origin goes neither the request's credential nor its account, and not back again",
    arguments: ["http://h/y", "https://other/y", "https://h:444/y", "https://ann@other/y"])
  func otherOrigin(_ url: String) throws {
    let target = try first().redirected(to: RequestURL(url))
    #expect(target.fields.isEmpty)
    #expect(target.request.credential == nil)
    #expect(target.request.user == nil)
    #expect(target.request.url.user == nil)
    let back = try target.redirected(to: RequestURL("https://h/x"))
    #expect(back.fields.isEmpty)
    #expect(back.request.credential == nil && back.request.user == nil)
  }

  @Test("within the origin both go along, and the request's method unless another is asked for")
  func sameOrigin() throws {
    let target = try first().redirected(to: RequestURL("https://h:443/y"), method: "HEAD")
    #expect(target.fields.count == 1)
    #expect(target.request.user == "ann")
    #expect(target.request.method == "HEAD")
    #expect(try target.redirected(to: RequestURL("https://h/z")).request.method == "HEAD")
  }

  /// The targets of a redirect from `https://h/a/x`, and whether they are of the same origin.
  private static let targets: [(String, Bool)] = [
    ("https://h/a/y", true), ("https://h/", true), ("https://h:443/a/y", true),
    ("https://H/a/y", true), ("HTTPS://h/a/y", true), ("https://h./a/y", true),
    ("https://h/a/x?q=https://h/", true), ("https://eve:pw@h/a/y", true),
    ("http://h/a/y", false), ("http://h:443/a/y", false), ("https://h:444/a/y", false),
    ("https://h:80/a/y", false), ("https://other/a/y", false), ("https://h.other/a/y", false),
    ("https://a.h/a/y", false), ("https://hh/a/y", false), ("https://h@other/a/y", false),
    ("https://h:pw@other/", false), ("https://127.0.0.1/a/y", false), ("https://[::1]/a/y", false),
    ("https://xn--h-tfa/a/y", false),
  ]

  @Test("21 targets of a redirect: what the request or a success brought stays in its origin")
  func targets() async throws {
    let fixture = try Fixture()
    try fixture.store("bob", "stored")
    let authenticator = Authenticator(vault: fixture.vault)
    let server = MemoryServer(users: ["bob": "stored", "ann": "pw"])
    #expect(try await authenticator.get("https://h/a/x", from: server).status == 200)
    var own = try RequestHead.get("https://h/a/x")
    own.credential = .of("ann", "pw")
    #expect(try await authenticator.get(own, from: server).status == 200)
    #expect(Self.targets.count == 21)
    for (url, isSame) in Self.targets {
      for request in [try RequestHead.get("https://h/a/x"), own] {
        let exchange = try await authenticator.exchange(for: request)
        #expect(exchange.fields.count == 1)
        let target = try await exchange.redirected(to: RequestURL(url))
        let isInScope = isSame && target.request.url.target.hasPrefix("/a/")
        #expect(target.fields.count == (isInScope ? 1 : 0), "\(url)")
        #expect((target.request.credential != nil) == (isSame && request.credential != nil))
      }
    }
  }

  @Test("the same 21 targets: a token of the request's or the vault's stays in its origin, too")
  func tokens() async throws {
    let fixture = try Fixture()
    try fixture.storeToken("stored", user: "bob")
    let authenticator = Authenticator(vault: fixture.vault)
    let server = TokenServer(["stored": [], "own": []])
    #expect(try await authenticator.get("https://h/a/x", from: server).status == 200)
    var own = try RequestHead.get("https://h/a/x")
    own.credential = Credential(token: Secret("own"), user: "ann", persistence: .none)
    #expect(try await authenticator.get(own, from: server).status == 200)
    #expect(server.log == [nil, "stored", nil, "own"])
    for (url, isSame) in Self.targets {
      for request in [try RequestHead.get("https://h/a/x"), own] {
        let exchange = try await authenticator.exchange(for: request)
        #expect(exchange.fields.count == 1)
        let target = try await exchange.redirected(to: RequestURL(url))
        let isInScope = isSame && target.request.url.target.hasPrefix("/a/")
        #expect(target.fields.count == (isInScope ? 1 : 0), "\(url)")
        #expect((target.request.credential != nil) == (isSame && request.credential != nil))
      }
    }
  }

  @Test("a user or password that a server writes into the URL counts for nothing")
  func writtenByServer() throws {
    let exchange = try authenticator.exchange(for: .get("https://ann:pw@h/x"))
    let target = try exchange.redirected(to: RequestURL("https://eve:other@h/y"))
    let ann = try BasicResponse.value(.of("ann", "pw"))
    #expect(target.fields.count == 1 && target.fields[0].value.isEqual(to: ann))
    #expect(target.request.url.user == "ann")
    let plain = try authenticator.exchange(for: .get("https://h/x"))
      .redirected(to: RequestURL("https://eve:other@h/y"))
    #expect(plain.fields.isEmpty && plain.request.url.user == nil)
  }
}
