import Testing
@testable import VaultModel

@Suite("ItemQuery of a protection space")
struct ItemQuerySpaceTests {
  func rank(
    _ space: ProtectionSpace, _ url: String, realm: String = "",
    method: AuthenticationMethod = .basic
  ) throws -> Int? {
    let item = try ItemQueryTests.item(url, realm: realm, method: method)
    return ItemQuery(space).rank(of: item)
  }

  @Test("unset and the default port are equal, the literal one first")
  func port() throws {
    let space = try ProtectionSpace(host: "example.com", authenticationMethod: .basic)
    #expect(try rank(space, "https://example.com:443") == 5)
    #expect(try rank(space, "https://example.com") == 4)
    #expect(try rank(space, "https://example.com:8443") == nil)
    let other = try ProtectionSpace(
      host: "example.com", port: 8443, authenticationMethod: .basic)
    #expect(try rank(other, "https://example.com:8443") == 5)
    #expect(try rank(other, "https://example.com") == nil, "unset means 443")
    #expect(try rank(other, "https://example.com:443") == nil)
    let none = try ProtectionSpace(
      host: "example.com", protocol: NetworkProtocol("x"), authenticationMethod: .basic)
    #expect(try rank(none, "x://example.com") == 5)
    #expect(try rank(none, "x://example.com:1") == nil)
  }

  @Test("without the fallbacks only the literal values match")
  func literal() throws {
    var query = try ItemQuery(ProtectionSpace(host: "a", authenticationMethod: .basic))
    let literal = try ItemQueryTests.item("https://a:443")
    let unsetPort = try ItemQueryTests.item("https://a")
    let defaultMethod = try ItemQueryTests.item("https://a:443", method: .default)
    #expect([literal, unsetPort, defaultMethod].map { query.rank(of: $0) } == [5, 4, 4])
    query.fallbacks = .defaultPort
    #expect([literal, unsetPort, defaultMethod].map { query.rank(of: $0) } == [5, 4, nil])
    query.fallbacks = .defaultMethod
    #expect([literal, unsetPort, defaultMethod].map { query.rank(of: $0) } == [5, nil, 4])
    query.fallbacks = []
    #expect([literal, unsetPort, defaultMethod].map { query.rank(of: $0) } == [5, nil, nil])
  }

  @Test(
    "a stored method default answers any password method, below an exact one",
    arguments: [
      (AuthenticationMethod.basic, true), (.digest, true), (.ntlm, true), (.negotiate, true),
      (.form, true), (.msn, true), (.dpa, true), (.rpa, true), (.bearer, false),
      (.clientCertificate, false), (.serverTrust, false), (.unset, false),
      (AuthenticationMethod(rawValue: "x"), false),
    ])
  func method(asked: AuthenticationMethod, isAnswered: Bool) throws {
    let space = try ProtectionSpace(host: "example.com", authenticationMethod: asked)
    let url = "https://example.com:443"
    #expect(try rank(space, url, method: asked) == 5)
    #expect(try rank(space, url, method: .default) == (isAnswered ? 4 : nil))
    for other in [AuthenticationMethod.basic, .digest, .bearer, .unset] where other != asked {
      #expect(try rank(space, url, method: other) == nil)
    }
  }

  @Test(
    "a token under the method default answers Bearer, and no password method; a private key none")
  func token() throws {
    var item = try ItemQueryTests.item("https://example.com:443", method: .default)
    for (kind, found) in [
      (SecretKind.password, [4, nil, 5]), (.token, [nil, 4, 5]), (.identity, [nil, nil, nil]),
    ] {
      item.secretKind = kind
      let ranks = try [AuthenticationMethod.basic, .bearer, .default].map { method in
        ItemQuery(try ProtectionSpace(host: "example.com", authenticationMethod: method))
          .rank(of: item)
      }
      #expect(ranks == found)
    }
  }

  @Test("asking for default finds only what was stored as default")
  func defaultMethod() throws {
    let space = try ProtectionSpace(host: "example.com")
    let url = "https://example.com:443"
    #expect(try rank(space, url, method: .default) == 5)
    #expect(try rank(space, url, method: .basic) == nil)
    #expect(try rank(space, url, method: .unset) == nil)
  }

  @Test("any path and account match and do not count")
  func path() throws {
    let space = try ProtectionSpace(host: "example.com", authenticationMethod: .basic)
    #expect(try rank(space, "https://example.com:443/a/b") == 5)
    let other = try ItemQueryTests.item("https://example.com:443", account: "bob")
    #expect(ItemQuery(space).rank(of: other) == 5)
  }

  @Test("the realm is exact: bytes, case, and absent is empty")
  func realm() throws {
    func space(_ realm: String) throws -> ProtectionSpace {
      try ProtectionSpace(host: "a", realm: realm, authenticationMethod: .basic)
    }
    #expect(try rank(space("Team"), "https://a:443", realm: "Team") == 5)
    #expect(try rank(space("Team"), "https://a:443", realm: "team") == nil)
    #expect(try rank(space("Team"), "https://a:443") == nil)
    #expect(try rank(space(""), "https://a:443") == 5)
    #expect(try rank(space(""), "https://a:443", realm: "Team") == nil)
    #expect(try rank(space("caf\u{E9}"), "https://a:443", realm: "cafe\u{301}") == nil)
  }

  @Test("server and proxy spaces never match each other's items")
  func proxies() throws {
    let kinds: [NetworkProtocol] = [.http, .https, .ftp, .rtsp, .socks, .httpProxy, .httpsProxy]
    for asked in kinds {
      for stored in kinds {
        let space = try ProtectionSpace(host: "a", port: 3128, protocol: asked)
        let other = try ProtectionSpace(host: "a", port: 3128, protocol: stored)
        let item = Item(space: other, account: "", secret: nil)
        #expect((ItemQuery(space).rank(of: item) != nil) == (asked == stored))
      }
    }
  }

  @Test("an item that was made for a space is found by it with the best rank")
  func roundTrip() throws {
    for url in ["https://a", "http://a:8080", "x://a", "ssh://[::1]:22"] {
      let space = try ProtectionSpace(url: url, realm: "r", authenticationMethod: .basic)
      let item = Item(space: space, account: "alice", secret: nil)
      #expect(ItemQuery(space).rank(of: item) == 5)
    }
  }

  @Test("of everything that answers for a space the literal item is first")
  func sorted() throws {
    let space = try ProtectionSpace(host: "a", authenticationMethod: .basic)
    let query = ItemQuery(space)
    let items = try [
      ItemQueryTests.item("https://a", account: "a", method: .default),
      ItemQueryTests.item("https://a", account: "b"),
      ItemQueryTests.item("https://a:443", account: "c", method: .default),
      ItemQueryTests.item("https://a:443", account: "z"),
      ItemQueryTests.item("https://a:443", account: "y"),
      ItemQueryTests.item("http://a:443", account: "no"),
    ]
    let found = items.compactMap { item in query.rank(of: item).map { (rank: $0, item: item) } }
      .sorted(by: ItemQuery.precedes)
    #expect(found.map(\.item.account) == ["y", "z", "b", "c", "a"])
    #expect(found.map(\.rank) == [5, 5, 4, 4, 3])
  }
}

@Suite("Match")
struct MatchTests {
  @Test("any accepts everything, unset only the unset value, equals its value")
  func words() throws {
    let host = try HostName("a")
    for match in [Match<String>.any] { #expect(match.accepts("") && match.accepts("a")) }
    for match in [Match<String>.unset, .equals("")] {
      #expect(match.accepts("") && !match.accepts("a") && !match.accepts("\0"))
    }
    #expect(Match.equals("a").accepts("a"))
    #expect(!Match.equals("a").accepts("A") && !Match.equals("a").accepts(""))
    #expect(!Match.equals("caf\u{E9}").accepts("cafe\u{301}"))

    for match in [Match<UInt16>.unset, .equals(0)] {
      #expect(match.accepts(0) && !match.accepts(80))
    }
    #expect(Match<UInt16>.equals(80).accepts(80) && !Match<UInt16>.equals(80).accepts(0))
    for match in [Match<UInt32>.unset, .equals(0)] {
      #expect(match.accepts(0) && !match.accepts(1))
    }
    for match in [Match<Bool>.unset, .equals(false)] {
      #expect(match.accepts(false) && !match.accepts(true))
    }
    #expect(Match<Bool>.equals(true).accepts(true) && !Match<Bool>.equals(true).accepts(false))
    for match in [Match<HostName>.unset, .equals(.unset)] {
      #expect(match.accepts(.unset) && !match.accepts(host))
    }
    for match in [Match<NetworkProtocol>.unset, .equals(.unset)] {
      #expect(match.accepts(.unset) && !match.accepts(.http))
    }
    for match in [Match<AuthenticationMethod>.unset, .equals(.unset)] {
      #expect(match.accepts(.unset) && !match.accepts(.default))
    }
    #expect(!Match.equals(AuthenticationMethod.default).accepts(.unset))
  }

  @Test("matches are equal if they ask the same in the same words")
  func equality() {
    #expect(Match<String>.any == .any && Match<String>.unset == .unset)
    #expect(Match<String>.any != .unset && Match.equals("a") != .any)
    #expect(Match.equals("a") == .equals("a") && Match.equals("a") != .equals("b"))
    #expect(Match.equals("caf\u{E9}") != .equals("cafe\u{301}"))
    #expect(Match<UInt16>.equals(1) == .equals(1) && Match<UInt16>.equals(1) != .equals(2))
  }
}
