import Testing

@testable import VaultModel

@Suite("RequestPath")
struct RequestPathTests {
  @Test(
    "an item is for its path and what is below it, by whole segments",
    arguments: [
      ("/private", "private", 2), ("/private/", "private", 2), ("/private/x", "private", 2),
      ("/private/x?y=/z", "private", 2), ("/private?x", "private", 2), ("/private", "/private/", 2),
      ("/privateer", "private", nil), ("/privat", "private", nil), ("/", "private", nil),
      ("/other/private", "private", nil), ("/Private", "private", nil), ("/x?/private", "x", 2),
      ("/x?/private", "private", nil), ("/private/x", "private/x", 3), ("/private/x", "/", 1),
      ("/anything", "", 0), ("/anything", "/", 1), ("/private", "private/x", nil),
      ("/team%20git/x", "team git", 2), ("/t%c3%a9am", "téam", 2),
      ("/t%c3%a9am", "te\u{301}am", nil),
    ] as [(String, String, Int?)])
  func covers(_ row: (target: String, item: String, depth: Int?)) {
    #expect(RequestPath(target: row.target).depth(of: row.item) == row.depth)
  }

  @Test(
    "dot segments lead where every server goes, written plainly or encoded",
    arguments: [
      "/private/../other", "/private/%2e%2e/other", "/private/%2E./other/", "/private/./../other",
      "/../other", "/./other", "/x/y/../../other", "/private/..//other/../other",
    ])
  func dots(_ target: String) {
    #expect(RequestPath(target: target).depth(of: "private") == nil, "\(target)")
    #expect(RequestPath(target: target).depth(of: "") == 0)
  }

  @Test("what is left when dot segments are gone is covered")
  func withoutDots() {
    for target in ["/private/../other", "/private/%2e%2e/other", "/../other/x", "/./other"] {
      #expect(RequestPath(target: target).depth(of: "other") == 2, "\(target)")
    }
  }

  @Test(
    "where servers disagree on how a path goes up, no item that names a path is for it",
    arguments: [
      "/private/..%2f..%2fother", "/private%2f..%2fother", "/private/..%5cother",
      "/private/..\\other",
      "/private//../../other", "/private/..;/other", "/private/..;a=b/other",
      "/private/%252e%252e/other",
      "/private/%25252e%25252e%25252fother", "/private/x%2f/../..", "/private/%c0%ae%c0%ae/other",
      "/private/%u002e%u002e/other", "/private/%25u002e./other", "/private/.. /other",
      "/private/..%20/other", "/private/.../other", "/private/..%00/other", "/private/..%3f/other",
      "/private/..%23/other", "/private/..%09/other", "//private/../x",
    ])
  func unclear(_ target: String) {
    for item in ["private", "other", "private/x", "x"] {
      #expect(RequestPath(target: target).depth(of: item) == nil, "\(target) \(item)")
    }
    #expect(RequestPath(target: target).depth(of: "") == 0)
  }

  @Test("a path is read up to the first segment that servers read differently, and no further")
  func readable() {
    let project = RequestPath(target: "/api/v4/projects/team%2Frepository/hooks")
    #expect(project.depth(of: "api/v4") == 3)
    #expect(project.depth(of: "api/v4/projects") == 4)
    for item in ["api/v4/projects/team", "api/v4/projects/team/repository"] {
      #expect(project.depth(of: item) == nil)
    }
    for target in [
      "/a//b", "/a/b;v=1/c", "/a/100%25/c", "/a/%2525", "/a/b%5Cc", "/a/b%3Fc", "/a/%01",
    ] {
      #expect(RequestPath(target: target).depth(of: "a") == 2, "\(target)")
      #expect(RequestPath(target: target).depth(of: "a/b") == nil, "\(target)")
    }
    #expect(RequestPath(target: "//private").depth(of: "private") == nil)
  }

  @Test(
    "an item whose own path servers read differently is for no request",
    arguments: ["a//b", "a/../b", "a/./b", "a%20b", "a;b", "a\\b", "..", "a?b", " ", "a#b"])
  func unclearItem(_ path: String) {
    for target in ["/a/b", "/a%20b", "/a;b", "/b", "/", "/a?b", "/a%3Fb", "/a%2520b", "/a%5Cb"] {
      #expect(RequestPath(target: target).depth(of: path) == nil, "\(target)")
    }
  }

  @Test("the very text of a decoded path is meant first, whatever it means")
  func literal() throws {
    for text in ["a/b", "a//b", "/a/b", "a/../b", "a?b=c", "a%20b", "team.git"] {
      let depth = try #require(RequestPath(decoded: text).depth(of: text))
      #expect(depth > 4096, "\(text)")
    }
    let path = RequestPath(decoded: "team/repository.git")
    let depths = ["team/repository.git", "/team/repository.git", "team", "", "te"].map(
      path.depth(of:))
    #expect(depths.dropFirst() == [3, 2, 0, nil])
    #expect(RequestPath(decoded: "/team/x").depth(of: "team") == 2)
    // It may have been `private%2F..%2Fother`.
    #expect(RequestPath(decoded: "private/../other").depth(of: "other") == nil)
    #expect(RequestPath(decoded: "private/../other").depth(of: "private") == nil)
    #expect(RequestPath(decoded: "info/refs?service=x").depth(of: "info") == 2)
    #expect(RequestPath(decoded: "info/refs?service=x").depth(of: "info/refs") == nil)
  }

  @Test("where no path is known any item may be meant, and first one without a path")
  func unknown() {
    #expect(["", "private", "a/../b"].map(RequestPath.unknown.depth(of:)) == [1, 0, 0])
    #expect(["", "/", "private"].map(RequestPath.root.depth(of:)) == [0, 1, nil])
    #expect(RequestPath(target: "/") == .root)
  }

  @Test("a URL has the path of its request, read before it is decoded")
  func urls() throws {
    func depth(_ url: String, _ item: String) throws -> Int? {
      try URLReference(url).requestPath.depth(of: item)
    }
    #expect(try URLReference("https://h").requestPath == .unknown)
    #expect(try URLReference("https://h:443").requestPath == .unknown)
    // A slash is a path: that of the server itself, to which no item of another path applies.
    for url in ["https://h/", "https://h//", "https://h/#f", "https://h#f"] {
      #expect(try URLReference(url).requestPath == .root, "\(url)")
    }
    #expect(try depth("https://h?q", "private") == nil && depth("https://h?q", "") == 0)
    #expect(try depth("https://h/private/x", "private") == 2)
    #expect(try depth("https://h/private/x?y", "private/x") == 3)
    #expect(try depth("https://h/private/%2e%2e/x", "x") == 2)
    #expect(try depth("https://h/private%2Fx", "private") == nil)
    #expect(try depth("https://h/a//b?c", "a//b?c") ?? 0 > 4096)
    #expect(try depth("https://h/a/b/", "a/b") ?? 0 > 4096)
  }

  @Test("what is above two paths")
  func common() {
    func common(_ left: String, _ right: String) -> RequestPath {
      RequestPath(target: left).common(with: RequestPath(target: right))
    }
    #expect(common("/a/b/c", "/a/b/d") == RequestPath(target: "/a/b"))
    #expect(common("/a/bc", "/a/bd") == RequestPath(target: "/a"))
    #expect(common("/a/b", "/a/b/c") == RequestPath(target: "/a/b"))
    #expect(common("/a", "/b") == .root)
    #expect(RequestPath(target: "/a").common(with: .unknown) == .unknown)
  }

  @Test("among items the longest path stands first, above every other match, and none last")
  func order() throws {
    func item(
      _ path: String, port: UInt16 = 0, method: AuthenticationMethod = .default
    ) throws
      -> Item
    {
      Item(
        server: try HostName("h"), account: "ann", protocol: .https, port: port, path: path,
        authenticationMethod: method)
    }
    let space = try ProtectionSpace(host: "h", authenticationMethod: .basic)
    var items = [
      try item("", port: 443, method: .basic), try item("team", port: 443), try item("team/x"),
      try item("teamwork", port: 443, method: .basic),
    ]
    let query = ItemQuery(space, at: RequestPath(target: "/team/x/y"))
    let ranks = items.map { query.rank(of: $0) }
    #expect(ranks.last == .some(nil))
    items.removeLast()
    ItemQuery.sort(&items, ranks: ranks.compactMap(\.self))
    #expect(items.map(\.path) == ["team/x", "team", ""])
  }
}
