import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("any store: finding")
struct FindingTests {
  @Test("an empty store finds nothing and says so without an error", arguments: StoreKind.allCases)
  func empty(kind: StoreKind) throws {
    let place = try kind.make()
    #expect(try place.find().isEmpty)
    #expect(try place.find { $0.server = try .host("git.example.com") }.isEmpty)
    #expect(try place.find { $0.id = ItemID() }.isEmpty)
  }

  @Test(
    "each attribute is any, unset or equal", arguments: StoreKind.allCases, QueriedAttribute.rows)
  func matches(kind: StoreKind, row: QueriedAttribute) throws {
    let place = try kind.make()
    // Without a server an item has no label of the store's making.
    var (with, without) = (Item(), Item())
    with.comment = "with"
    without.comment = row.testDescription == "comment" ? "" : "without"
    without.authenticationMethod = .unset
    with.authenticationMethod = .unset
    // If the row's attribute is not in the key, the ports distinguish the two items.
    if row.testDescription != "port" { with.port = 7 }
    try row.set(&with)
    try place.add(with, without)
    func ids(_ wanted: QueriedAttribute.Wanted) throws -> Set<ItemID> {
      Set(try place.find { try row.ask(&$0, wanted) }.map(\.id))
    }
    #expect(try ids(.any) == [with.id, without.id])
    #expect(try ids(.equal) == [with.id])
    if row.testDescription != "comment" || without.comment.isEmpty {
      #expect(try ids(.unset) == [without.id])
      #expect(try ids(.equalsNothing) == [without.id])
    }
    if row.hasOther { #expect(try ids(.other).isEmpty) }
  }

  @Test(
    "an id finds its item alone, and with other attributes only if they match too",
    arguments: StoreKind.allCases)
  func identity(kind: StoreKind) throws {
    let place = try kind.make()
    let (ann, bob) = (try item("ann"), try item("bob"))
    try place.add(ann, bob)
    #expect(try place.find { $0.id = bob.id }.map(\.account) == ["bob"])
    let both = try place.find {
      $0.id = bob.id
      $0.account = .equals("ann")
    }
    #expect(both.isEmpty)
  }

  @Test("the server is canonical, realm, account and path are bytes", arguments: StoreKind.allCases)
  func spelling(kind: StoreKind) throws {
    let place = try kind.make()
    try place.add(item(on: "BÜCHER.example.", realm: "R", path: "/A"))
    #expect(try place.find { $0.server = try .host("xn--bcher-kva.EXAMPLE") }.count == 1)
    #expect(try place.find { $0.realm = .equals("r") }.isEmpty)
    #expect(try place.find { $0.account = .equals("ANN") }.isEmpty)
    #expect(try place.find { $0.path = .equals("/a") }.isEmpty)
    #expect(try place.find { $0.path = .equals("/A/") }.isEmpty)
  }

  @Test(
    "subdomains answer only when asked for, below the server itself", arguments: StoreKind.allCases)
  func subdomains(kind: StoreKind) throws {
    let place = try kind.make()
    for server in ["a.example.com", "example.com", "b.a.example.com", "badexample.com", "com", ""] {
      try place.add(item(server.isEmpty ? "none" : server, on: server))
    }
    var query = ItemQuery()
    query.server = try .host("example.com")
    #expect(try place.accounts(query) == ["example.com"])
    query.includesSubdomains = true
    #expect(try place.accounts(query) == ["example.com", "a.example.com", "b.a.example.com"])
    query.limit = 2
    #expect(try place.accounts(query) == ["example.com", "a.example.com"])
  }

  @Test(
    "a limit takes the best, and none or less finds nothing", arguments: StoreKind.allCases,
    [(Int.min, 0), (-1, 0), (0, 0), (1, 1), (2, 2), (3, 3), (Int.max, 3)])
  func limit(kind: StoreKind, row: (limit: Int, count: Int)) throws {
    let place = try kind.make()
    try place.add(item("c"), item("a"), item("b"))
    var query = ItemQuery()
    query.limit = row.limit
    #expect(try place.accounts(query) == Array(["a", "b", "c"].prefix(row.count)))
  }

  @Test("expired items are left out only when asked for", arguments: StoreKind.allCases)
  func expiry(kind: StoreKind) throws {
    let place = try kind.make()
    let now = Timestamp.now()
    for (account, expires) in [
      ("never", nil), ("past", now.adding(milliseconds: -1)),
      ("early", Timestamp(milliseconds: -1)),
      ("future", now.adding(milliseconds: 3_600_000)),
    ] {
      var given = try item(account)
      given.expires = expires
      try place.add(given)
    }
    var query = ItemQuery()
    #expect(try place.accounts(query).count == 4)
    query.includesExpired = false
    #expect(try place.accounts(query) == ["future", "never"])
    let past = try #require(try place.find { $0.account = .equals("past") }.first)
    #expect(past.expires == now.adding(milliseconds: -1))
    _ = try place.modify(past, .expires(nil))
    #expect(try place.accounts(query) == ["future", "never", "past"])
  }
}

/// An attribute of items, and how it is set and queried.
struct QueriedAttribute: Sendable, CustomTestStringConvertible {
  enum Wanted { case any, unset, equal, equalsNothing, other }

  let testDescription: String
  let set: @Sendable (inout Item) throws -> Void
  let ask: @Sendable (inout ItemQuery, Wanted) throws -> Void
  var hasOther = true

  private static func match<Value>(
    _ wanted: Wanted, _ value: Value, _ nothing: Value, _ other: Value
  ) -> Match<Value> {
    switch wanted {
    case .any: .any
    case .unset: .unset
    case .equal: .equals(value)
    case .equalsNothing: .equals(nothing)
    case .other: .equals(other)
    }
  }

  private static func text(
    _ name: String, _ item: any WritableKeyPath<Item, String> & Sendable,
    _ query: any WritableKeyPath<ItemQuery, Match<String>> & Sendable
  ) -> QueriedAttribute {
    QueriedAttribute(testDescription: name) {
      $0[keyPath: item] = "value"
    } ask: {
      $0[keyPath: query] = match($1, "value", "", "Value")
    }
  }

  private static func code(
    _ name: String, _ item: any WritableKeyPath<Item, UInt32> & Sendable,
    _ query: any WritableKeyPath<ItemQuery, Match<UInt32>> & Sendable
  ) -> QueriedAttribute {
    QueriedAttribute(testDescription: name) {
      $0[keyPath: item] = 5
    } ask: {
      $0[keyPath: query] = match($1, 5, 0, 6)
    }
  }

  private static func flag(
    _ name: String, _ item: any WritableKeyPath<Item, Bool> & Sendable,
    _ query: any WritableKeyPath<ItemQuery, Match<Bool>> & Sendable
  ) -> QueriedAttribute {
    QueriedAttribute(testDescription: name) {
      $0[keyPath: item] = true
    } ask: {
      $0[keyPath: query] = match($1, true, false, true)
    }
  }

  static let rows: [QueriedAttribute] = [
    text("account", \.account, \.account), text("realm", \.realm, \.realm),
    text("path", \.path, \.path), text("label", \.label, \.label),
    text("comment", \.comment, \.comment), text("kind", \.kind, \.kind),
    text("origin", \.origin, \.origin), code("creator", \.creator, \.creator),
    code("type", \.type, \.type),
    flag("isInvisible", \.isInvisible, \.isInvisible),
    flag("isNegative", \.isNegative, \.isNegative),
    QueriedAttribute(testDescription: "server") {
      $0.server = try HostName("example.com")
    } ask: {
      $0.server = match($1, try HostName("example.com"), .unset, try HostName("example.org"))
    },
    QueriedAttribute(testDescription: "protocol") {
      $0.protocol = .https
    } ask: {
      $0.protocol = match($1, .https, .unset, .httpsProxy)
    },
    QueriedAttribute(testDescription: "method") {
      $0.authenticationMethod = .digest
    } ask: {
      $0.authenticationMethod = match($1, .digest, .unset, .default)
    },
    QueriedAttribute(testDescription: "port") {
      $0.port = 443
    } ask: {
      $0.port = match($1, 443, 0, 444)
    },
  ].map { row in
    var row = row
    row.hasOther = !row.testDescription.hasPrefix("is")
    return row
  }
}
