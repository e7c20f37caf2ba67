import SecureMemory
import Testing

@testable import VaultModel

@Suite("ItemChange")
struct ItemChangeTests {
  /// One change of every kind, each to a value that a new item does not have.
  static let every: [ItemChange] = [
    .account("a"), .realm("r"), .server(HostName(canonical: "s")), .protocol(.https),
    .authenticationMethod(.basic), .port(1), .path("p"), .label("l"), .comment("c"), .kind("k"),
    .origin("o"), .accountDomain("d"), .creator(1), .type(2), .isInvisible(true),
    .isNegative(true), .expires(Timestamp(milliseconds: 1)), .custom("x", "y"),
    .secretKind(.token), .secret(Secret("s")), .refreshToken(Secret("t")),
  ]

  /// Lets `#expect` call a mutating member.
  func apply(to item: inout Item, _ changes: [ItemChange]) -> Bool {
    item.apply(changes)
  }

  @Test("each change is made, counts once and is none when it is made again")
  func each() {
    for (index, change) in Self.every.enumerated() {
      var item = Item()
      #expect(apply(to: &item, [change]), "change \(index)")
      #expect(!apply(to: &item, [change]), "change \(index)")
    }
  }

  @Test("all changes together give an item with every value")
  func all() {
    var item = Item()
    let before = item
    let changed = item.apply(Self.every)
    #expect(changed)
    #expect(
      item.key
        == Item.Key(
          account: "a", realm: "r", server: HostName(canonical: "s"), protocol: .https,
          authenticationMethod: .basic, port: 1, path: "p"))
    #expect([item.label, item.comment, item.kind, item.origin] == ["l", "c", "k", "o"])
    #expect(item.accountDomain == "d" && item.creator == 1 && item.type == 2)
    #expect(item.isInvisible && item.isNegative && item.expires?.milliseconds == 1)
    #expect(item.custom == ["x": "y"] && item.secretKind == .token)
    #expect(item.secret?.isEqual(to: Secret("s")) == true)
    #expect(item.refreshToken?.isEqual(to: Secret("t")) == true)
    #expect(item.id == before.id && item.created == before.created)
    #expect(item.modified == before.modified && item.revision == before.revision)
  }

  @Test("no change changes nothing")
  func none() {
    var item = Item()
    #expect(!apply(to: &item, []))
    #expect(!apply(to: &item, [.account(""), .port(0), .expires(nil), .custom("x", nil)]))
    #expect(!apply(to: &item, [.refreshToken(nil)]))
    #expect(item.extended.isEmpty)
  }

  @Test("the last of two changes to one attribute wins, and back to the old value is no change")
  func last() {
    var item = Item(account: "old")
    #expect(apply(to: &item, [.account("a"), .account("b")]))
    #expect(item.account == "b")
    #expect(!apply(to: &item, [.account("c"), .comment("c"), .comment(""), .account("b")]))
    #expect(apply(to: &item, [.custom("x", "1"), .custom("y", "2"), .custom("x", nil)]))
    #expect(item.custom == ["y": "2"])
  }

  @Test("text that is only canonically equivalent is a change")
  func bytes() {
    for change in [
      ({ .account($0) }), { .realm($0) }, { .path($0) }, { .label($0) }, { .comment($0) },
      { .kind($0) }, { .origin($0) }, { .accountDomain($0) }, { .custom("x", $0) },
    ] as [(String) -> ItemChange] {
      var item = Item()
      #expect(apply(to: &item, [change("caf\u{E9}")]))
      #expect(apply(to: &item, [change("cafe\u{301}")]))
      #expect(!apply(to: &item, [change("cafe\u{301}")]))
    }
  }

  @Test("a secret counts as changed if its bytes differ or it was not at hand")
  func secrets() {
    var item = Item(secret: Secret("one"))
    item.refreshToken = Secret("token")
    #expect(!apply(to: &item, [.secret(Secret("one")), .refreshToken(Secret("token"))]))
    #expect(apply(to: &item, [.secret(Secret("two"))]))
    #expect(apply(to: &item, [.secret(Secret("twoo"))]))
    #expect(apply(to: &item, [.refreshToken(nil)]))
    #expect(item.refreshToken == nil)
    var without = item.withoutSecrets
    #expect(apply(to: &without, [.secret(Secret("twoo"))]))
    #expect(!apply(to: &without, [.label("")]))
  }
}
