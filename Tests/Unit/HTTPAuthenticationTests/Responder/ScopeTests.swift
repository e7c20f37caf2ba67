import HTTPAuthentication
import TestSupport
import Testing
import VaultModel

@Suite struct ScopeTests {
  /// The scope of a Basic challenge of one URL.
  struct Case: Sendable, CustomTestStringConvertible {
    let challenged: String
    let covered: [String]
    let other: [String]

    var testDescription: String { challenged }
  }

  static let cases = [
    // RFC 7617 §2.2.
    Case(
      challenged: "http://h/docs/index.html",
      covered: ["http://h/docs/", "http://h/docs/test.doc", "http://h/docs/?page=1"],
      other: ["http://h/other", "http://h/", "http://h/docs", "http://h/docsx/a"]),
    Case(
      challenged: "http://h/ab", covered: ["http://h/", "http://h/abc", "http://h?q", "http://h"],
      other: ["http://h:8080/ab", "https://h/ab", "http://h.evil/ab", "http://hh/ab"]),
    Case(
      challenged: "http://h/a/b/", covered: ["http://h/a/b/c", "http://h/a/b/c/../d"],
      other: ["http://h/a/bc", "http://h/a/b/../c", "http://h/a/b/%2E%2e/c", "http://h/a/b"]),
    Case(
      challenged: "http://h/%7euser/x",
      covered: ["http://h/~user/y", "http://h/%7Euser/", "http://h/./~%75ser/z"],
      other: ["http://h/%257Euser/y", "http://h/~User/y"]),
    Case(
      challenged: "http://h/a%2fb/c", covered: ["http://h/a%2Fb/d"],
      other: ["http://h/a/b/c", "http://h/a%252Fb/d"]),
    Case(
      challenged: "http://h/a/b/..", covered: ["http://h/a/", "http://h/a/c"],
      other: ["http://h/", "http://h/b"]),
    Case(
      challenged: "http://h/../../a/x", covered: ["http://h/a/y", "http://h/b/../a/z"],
      other: ["http://h/b"]),
    Case(
      challenged: "http://h/?a/b/c", covered: ["http://h/z", "http://h/a/b?c"],
      other: ["http://i/"]),
    Case(
      challenged: "http://h//a/x", covered: ["http://h//a/y"], other: ["http://h/a/y"]),
    Case(
      challenged: "http://h/é/x", covered: ["http://h/%c3%a9/y"], other: ["http://h/e/y"]),
    Case(
      challenged: "http://H.:80/a/x", covered: ["http://h/a/y"], other: ["http://h:81/a/y"]),
    Case(
      challenged: "https://[::1]:443/a/x", covered: ["https://[0::1]/a/y"],
      other: ["https://[::2]/a/y", "http://[::1]:443/a/y"]),
    Case(
      challenged: "http://ann:pw@h/a/x", covered: ["http://h/a/y", "http://bob@h/a/y"], other: []),
  ]

  @Test(
    "Basic is for what is below the folder of the challenged path, by segments", arguments: cases)
  func folder(_ scope: Case) throws {
    let responder = try ChallengeResponder(
      .challenge("Basic realm=\"Team\""), to: RequestHead.get(scope.challenged))
    #expect(try responder.applies(to: RequestHead.get(scope.challenged)))
    let folder = try #require(responder.domains.first)
    for url in scope.covered {
      #expect(try folder.covers(RequestURL(url)), "\(url)")
      #expect(try responder.applies(to: RequestHead.get(url)), "\(url)")
    }
    for url in scope.other {
      #expect(try !folder.covers(RequestURL(url)), "\(url)")
      #expect(try !responder.applies(to: RequestHead.get(url)), "\(url)")
    }
  }

  @Test(
    "Digest is for what its domain names on this server, by segments",
    arguments: [
      ("/a", ["/a"], ["/a", "/a/b", "/a?q"], ["/ab", "/", "/b"]),
      ("/a/", ["/a/"], ["/a/", "/a/b"], ["/a", "/ab"]),
      ("/a /b /a/c", ["/a", "/b"], ["/a/c", "/b/x"], ["/c"]),
      ("/a/c /a", ["/a"], ["/a/d"], ["/"]),
      ("http://h/a", ["/a"], ["/a/b"], ["/b"]),
      ("HTTP://H:80/a", ["/a"], ["/a/b"], ["/b"]),
      ("//h/a", ["/a"], ["/a/b"], ["/b"]),
      ("http://ann:pw@h/a", ["/a"], ["/a"], ["/b"]),
      ("a/b", ["/a/b"], ["/a/b/c"], ["/a", "/docs/a/b"]),
      ("/", ["/"], ["/", "/a"], []),
      ("", ["/"], ["/", "/a"], []),
      ("/x/../a/%62", ["/a/b"], ["/a/b/c"], ["/x"]),
      ("/a http://other/b", ["/a"], ["/a"], ["/b"]),
    ])
  func domain(_ domain: String, _ paths: [String], _ covered: [String], _ other: [String]) throws {
    let challenge = "Digest realm=\"Team\", nonce=\"n1\", domain=\"\(domain)\""
    let responder = try ChallengeResponder(
      .challenge(challenge), to: RequestHead.get("http://h/docs/page"))
    #expect(responder.domains.map(\.path) == paths)
    for path in covered {
      #expect(try responder.applies(to: RequestHead.get("http://h\(path)")), "\(path)")
      #expect(try !responder.applies(to: RequestHead.get("http://other\(path)")), "\(path)")
    }
    for path in other {
      #expect(try !responder.applies(to: RequestHead.get("http://h\(path)")), "\(path)")
    }
  }

  @Test(
    "a domain of nothing but other servers leaves only the path that was requested",
    arguments: [
      "http://other/", "https://h/", "http://h:8080/ //other/docs", "ftp://h/", "http://h.evil/ ::",
      "mailto:ann@h", "http://ann@@h/",
    ])
  func otherServers(_ domain: String) throws {
    let challenge = "Digest realm=\"Team\", nonce=\"n1\", domain=\"\(domain)\""
    let request = try RequestHead.get("http://h/docs/page?q")
    let responder = try ChallengeResponder(.challenge(challenge), to: request)
    #expect(responder.domains.map(\.path) == ["/docs/page"])
    #expect(responder.applies(to: request))
    for url in [
      "http://h/docs/", "http://other/", "https://h/docs/page", "http://h:8080/docs/page",
    ] {
      #expect(try !responder.applies(to: RequestHead.get(url)), "\(url)")
    }
  }

  @Test("the folders that challenge and accept add up, and are no more than 64")
  func folders() throws {
    let challenge = ResponseHead.challenge("Basic realm=\"Team\"")
    let responder = try ChallengeResponder(challenge, to: RequestHead.get("http://h/a/b/x"))
    for url in ["http://h/a/c/x", "http://h/a/c/d/x", "http://h/a/b/y"] {
      let other = try ChallengeResponder(challenge, to: RequestHead.get(url))
      #expect(responder.renew(by: other))
      #expect(!responder.domains.contains { $0.path == "/a/c/d/" })
      responder.include(scopesOf: other)
    }
    #expect(responder.domains.map(\.path) == ["/a/b/", "/a/c/"])
    try responder.include(
      scopesOf: ChallengeResponder(challenge, to: RequestHead.get("http://h/a/x")))
    #expect(responder.domains.map(\.path) == ["/a/"])
    try responder.include(
      scopesOf: ChallengeResponder(
        ResponseHead.challenge("Basic realm=\"Other\""), to: RequestHead.get("http://h/b/x")))
    #expect(responder.domains.map(\.path) == ["/a/"])
    for number in 0..<100 {
      let request = try RequestHead.get("http://h/\(number)/x")
      try responder.include(scopesOf: ChallengeResponder(challenge, to: request))
    }
    #expect(responder.domains.count == 64)
    #expect(responder.domains.last?.path == "/99/")
  }

  @Test("a folder is its own folder, whatever was requested, and covers the request")
  func normalForm() throws {
    var random = SplitMix(seed: 7)
    let parts = [
      "/", "/", "..", ".", "a", "B", "%2e", "%2E%2f", "%61", "%c3", "%25", "2e", "?", "é",
    ]
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 0..<10, using: &random)).map { _ in
        parts[Int.random(in: parts.indices, using: &random)]
      }
      let request = try RequestHead.get("http://h/" + text.joined())
      let challenge = ResponseHead.challenge("Basic realm=\"Team\"")
      let responder = try ChallengeResponder(challenge, to: request)
      let folder = try #require(responder.domains.first)
      #expect(responder.applies(to: request), "\(request.url)")
      #expect(folder.path.hasPrefix("/") && folder.path.hasSuffix("/"))
      #expect(!folder.path.contains("/../") && !folder.path.contains("/./"))
      let again = try ChallengeResponder(challenge, to: .get("http://h\(folder.path)"))
      #expect(again.domains == [folder], "\(request.url)")
    }
  }

  @Test("the depth is that of the most precise scope that covers a request")
  func depth() throws {
    let challenge = ResponseHead.challenge(
      "Digest realm=\"Team\", nonce=\"n1\", domain=\"/a/b/c/ /d\"")
    let responder = try ChallengeResponder(challenge, to: RequestHead.get("http://h/a/b/c/x"))
    #expect(try responder.scopeDepth(for: RequestHead.get("http://h/a/b/c/y")) == 3)
    #expect(try responder.scopeDepth(for: RequestHead.get("http://h/d/e/f")) == 1)
    #expect(try responder.scopeDepth(for: RequestHead.get("http://h/z")) == 0)
  }
}
