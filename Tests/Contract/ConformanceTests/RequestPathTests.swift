import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("any store: what is requested")
struct RequestPathTests {
  private func query(_ target: String) throws -> ItemQuery {
    ItemQuery(
      try ProtectionSpace(
        host: "git.example.com", realm: "Team Git", authenticationMethod: .basic),
      at: RequestPath(target: target))
  }

  @Test(
    "only items of paths above a request are found, the longest first, those without a path last",
    arguments: StoreKind.allCases)
  func paths(kind: StoreKind) throws {
    let place = try kind.make()
    try place.add(
      item("none", port: 443), item("team", path: "/team"), item("deep", path: "team/deep"),
      item("beside", port: 443, path: "teamwork"), item("other", realm: "Other", path: "team/deep"))
    #expect(try place.accounts(query("/team/deep/x")) == ["deep", "team", "none"])
    #expect(try place.accounts(query("/team/deepest")) == ["team", "none"])
    #expect(try place.accounts(query("/teamwork")) == ["beside", "none"])
    #expect(try place.accounts(query("/team/..%2fx")) == ["none"])
    var first = try query("/team/deep/x")
    first.limit = 1
    #expect(try place.accounts(first) == ["deep"])
  }

  @Test(
    "where no path is known items of any are found, first those without one",
    arguments: StoreKind.allCases)
  func unknown(kind: StoreKind) throws {
    let place = try kind.make()
    try place.add(item("a", port: 443, path: "dav"), item("b"))
    var query = try query("/")
    query.requestPath = .unknown
    #expect(try place.accounts(query) == ["b", "a"])
    query.requestPath = nil
    #expect(try place.accounts(query) == ["a", "b"])
  }
}
