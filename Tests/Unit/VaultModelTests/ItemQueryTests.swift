import SecureMemory
import TestSupport
import Testing

@testable import VaultModel

@Suite("ItemQuery")
struct ItemQueryTests {
  static let now = Timestamp(seconds: 1_800_000_000)

  static func item(
    _ url: String, account: String = "alice", realm: String = "",
    method: AuthenticationMethod = .basic
  ) throws -> Item {
    let reference = try URLReference(url)
    return Item(
      server: reference.host, account: account, protocol: reference.protocol,
      port: reference.port ?? 0, realm: realm, path: reference.path,
      authenticationMethod: method)
  }

  func rank(_ query: ItemQuery, _ item: Item) -> Int? {
    query.rank(of: item, at: Self.now)
  }

  @Test("a query that names nothing matches everything with rank 0")
  func any() throws {
    #expect(try rank(ItemQuery(), Self.item("https://example.com/x")) == 0)
    #expect(rank(ItemQuery(), Item()) == 0)
  }

  @Test("a key finds exactly the item with that key, with rank 7")
  func key() {
    var random = SplitMix(seed: 8)
    var hits = 0
    for _ in 0..<5000 {
      let wanted = ItemKeyTests.random(using: &random)
      let stored = ItemKeyTests.random(using: &random)
      let item = Item(
        id: ItemID(high: 0, low: 0), key: stored, created: Self.now, modified: Self.now)
      #expect(rank(ItemQuery(key: wanted), item) == (wanted == stored ? 7 : nil))
      #expect(rank(ItemQuery(key: stored), item) == 7)
      if wanted == stored { hits += 1 }
    }
    #expect(hits < 100)
  }

  @Test("a query by server matches its items, of one account if that is named")
  func server() throws {
    let server = try HostName("example.com")
    let item = try Self.item("https://example.com:8443/p", realm: "r", method: .digest)
    #expect(rank(ItemQuery(server: server), item) == 1)
    #expect(rank(ItemQuery(server: server, account: "alice"), item) == 2)
    #expect(rank(ItemQuery(server: server, account: ""), item) == nil)
    #expect(rank(ItemQuery(server: try HostName("example.org")), item) == nil)
  }

  @Test("each named part that matches adds one to the rank, and one that does not excludes")
  func parts() throws {
    let item = try Self.item("https://example.com:8443/p", realm: "r", method: .digest)
    let changes: [(inout ItemQuery, Bool) throws -> Void] = [
      { $0.account = $1 ? .equals("alice") : .equals("Alice") },
      { $0.realm = $1 ? .equals("r") : .unset },
      { $0.server = try $1 ? .equals(HostName("EXAMPLE.com.")) : .equals(HostName("example.org")) },
      { $0.protocol = $1 ? .equals(.https) : .equals(.http) },
      { $0.authenticationMethod = $1 ? .equals(.digest) : .equals(.basic) },
      { $0.port = $1 ? .equals(8443) : .equals(443) },
      { $0.path = $1 ? .equals("p") : .equals("p/") },
    ]
    for subset in 0..<(1 << changes.count) {
      var query = ItemQuery()
      var count = 0
      for (bit, change) in changes.enumerated() where subset >> bit & 1 == 1 {
        try change(&query, true)
        count += 1
      }
      #expect(rank(query, item) == count)
      for change in changes {
        var other = query
        try change(&other, false)
        #expect(rank(other, item) == nil)
      }
    }
  }

  @Test("unset counts as a part that is named")
  func unset() throws {
    var query = ItemQuery()
    query.port = .unset
    query.path = .equals("")
    #expect(try rank(query, Self.item("https://example.com")) == 2)
    #expect(try rank(query, Self.item("https://example.com:443")) == nil)
    #expect(try rank(query, Self.item("https://example.com/x")) == nil)
  }

  @Test("attributes beside the key filter and do not count")
  func filters() throws {
    var item = try Self.item("https://example.com")
    item.label = "label"
    item.comment = "comment"
    item.kind = "kind"
    item.origin = "git"
    item.creator = 1
    item.type = 2
    item.isInvisible = true
    item.isNegative = true
    item.accountDomain = "CORP"
    item.secretKind = .token
    item.expires = Self.now
    item.refreshToken = Secret("again")
    item.oneTimePasswordKey = Secret("ABC")
    item.custom = ["team": "é", "empty": ""]
    let changes: [(inout ItemQuery, Bool) -> Void] = [
      { $0.label = .equals($1 ? "label" : "x") }, { $0.comment = .equals($1 ? "comment" : "x") },
      { $0.kind = .equals($1 ? "kind" : "x") }, { $0.origin = .equals($1 ? "git" : "x") },
      { $0.creator = .equals($1 ? 1 : 2) }, { $0.type = .equals($1 ? 2 : 1) },
      { $0.isInvisible = .equals($1) }, { $0.isNegative = .equals($1) },
      { $0.accountDomain = .equals($1 ? "CORP" : "corp") },
      { $0.secretKind = .equals($1 ? .token : .identity) }, { $0.hasExpiry = .equals($1) },
      { $0.hasRefreshToken = .equals($1) }, { $0.hasOneTimePasswordKey = .equals($1) },
      { $0.custom["team"] = .equals($1 ? "é" : "e\u{301}") },
      { $0.custom["none"] = $1 ? .unset : .equals("x") },
      { $0.custom = ["team": .any, "empty": $1 ? .unset : .equals("x")] },
      { $0.id = $1 ? item.id : ItemID(high: 0, low: 0) },
    ]
    for change in changes {
      var query = ItemQuery()
      change(&query, true)
      #expect(rank(query, item) == 0)
      change(&query, false)
      #expect(rank(query, item) == nil)
    }
  }

  @Test("what nothing is asked of may be anything, and what has to be unset may not be set")
  func unsetAttributes() {
    let plain = Item()
    let settings: [(name: String, set: (inout Item) -> Void, unset: (inout ItemQuery) -> Void)] = [
      ("account", { $0.account = "a" }, { $0.account = .unset }),
      ("realm", { $0.realm = "r" }, { $0.realm = .unset }),
      ("server", { $0.server = HostName(canonical: "h") }, { $0.server = .unset }),
      ("protocol", { $0.protocol = .https }, { $0.protocol = .unset }),
      ("port", { $0.port = 1 }, { $0.port = .unset }),
      ("path", { $0.path = "p" }, { $0.path = .unset }),
      ("label", { $0.label = "l" }, { $0.label = .unset }),
      ("comment", { $0.comment = "c" }, { $0.comment = .unset }),
      ("kind", { $0.kind = "k" }, { $0.kind = .unset }),
      ("origin", { $0.origin = "o" }, { $0.origin = .unset }),
      ("account domain", { $0.accountDomain = "d" }, { $0.accountDomain = .unset }),
      ("creator", { $0.creator = 1 }, { $0.creator = .unset }),
      ("type", { $0.type = 1 }, { $0.type = .unset }),
      ("invisible", { $0.isInvisible = true }, { $0.isInvisible = .unset }),
      ("negative", { $0.isNegative = true }, { $0.isNegative = .unset }),
      ("secret kind", { $0.secretKind = .identity }, { $0.secretKind = .unset }),
      ("expiry", { $0.expires = Self.now }, { $0.hasExpiry = .unset }),
      ("refresh token", { $0.refreshToken = Secret("t") }, { $0.hasRefreshToken = .unset }),
      (
        "one-time password", { $0.oneTimePasswordKey = Secret("t") },
        { $0.hasOneTimePasswordKey = .unset }
      ),
      ("custom", { $0.custom["c"] = "v" }, { $0.custom["c"] = .unset }),
    ]
    for (name, set, unset) in settings {
      var item = plain
      set(&item)
      var query = ItemQuery()
      #expect(rank(query, item) != nil, "\(name)")
      unset(&query)
      #expect(rank(query, item) == nil && rank(query, plain) != nil, "\(name)")
    }
    // `default` is a method, and not the lack of one.
    var query = ItemQuery()
    query.authenticationMethod = .unset
    #expect(rank(query, plain) == nil)
    var bare = plain
    bare.authenticationMethod = .unset
    #expect(rank(query, bare) == 1)
  }

  @Test("a query that was copied is another one")
  func copies() {
    var query = ItemQuery()
    query.comment = .equals("c")
    var other = query
    other.comment = .any
    #expect(rank(query, Item()) == nil && rank(other, Item()) == 0)
  }

  @Test("expired items are found unless they are not wanted")
  func expiry() {
    var item = Item()
    var query = ItemQuery()
    for (expires, isExpired) in [(nil, false), (1, false), (0, true), (-1, true)]
      as [(Int64?, Bool)]
    {
      item.expires = expires.map { Self.now.adding(milliseconds: $0) }
      query.includesExpired = true
      #expect(rank(query, item) == 0)
      query.includesExpired = false
      #expect(rank(query, item) == (isExpired ? nil : 0))
    }
    item.expires = .now().adding(milliseconds: -1)
    #expect(query.rank(of: item) == nil)
    item.expires = .now().adding(milliseconds: 3_600_000)
    #expect(query.rank(of: item) == 0)
  }

  @Test("subdomains match only if asked for, below the server itself")
  func subdomains() throws {
    var query = ItemQuery()
    query.server = try .equals(HostName("example.com"))
    let below = try Self.item("https://git.example.com")
    #expect(rank(query, below) == nil)
    query.includesSubdomains = true
    #expect(rank(query, below) == 0)
    #expect(try rank(query, Self.item("https://example.com")) == 1)
    #expect(try rank(query, Self.item("https://badexample.com")) == nil)
    #expect(try rank(query, Self.item("https://com")) == nil)
    query.server = .unset
    #expect(rank(query, below) == nil)
    query.server = .any
    #expect(rank(query, below) == 0)
  }

  @Test("the best is first: by rank, then by key, then by identity")
  func order() throws {
    let low = try (rank: 1, item: Self.item("https://a", account: "a"))
    let high = try (rank: 2, item: Self.item("https://b", account: "b"))
    let same = try (rank: 2, item: Self.item("https://b", account: "c"))
    #expect(ItemQuery.precedes(high, low) && !ItemQuery.precedes(low, high))
    #expect(ItemQuery.precedes(high, same) && !ItemQuery.precedes(same, high))
    #expect(!ItemQuery.precedes(high, high))
    var twin = high
    twin.item.id = ItemID(high: .max, low: .max)
    #expect(ItemQuery.precedes(high, twin) && !ItemQuery.precedes(twin, high))
  }

  @Test("the order of ranked items is a strict total order")
  func totalOrder() {
    var random = SplitMix(seed: 9)
    for _ in 0..<10_000 {
      let ranked: [ItemQuery.Ranked] = (0..<3).map { _ in
        (
          Int.random(in: 0...2, using: &random),
          Item(
            id: ItemID(high: 0, low: .random(in: 0...3, using: &random)),
            key: ItemKeyTests.random(using: &random), created: Self.now,
            modified: Self.now)
        )
      }
      let (a, b, c) = (ranked[0], ranked[1], ranked[2])
      #expect(!ItemQuery.precedes(a, a))
      let isSame = a.rank == b.rank && a.item.key == b.item.key && a.item.id == b.item.id
      #expect(
        [ItemQuery.precedes(a, b), ItemQuery.precedes(b, a), isSame].count { $0 } == 1)
      if ItemQuery.precedes(a, b), ItemQuery.precedes(b, c) { #expect(ItemQuery.precedes(a, c)) }
    }
  }
}
