import SealedTree
import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultStore

@Suite("any store: changing and deleting")
struct ModifyingTests {
  @Test("what is not named stays as it was", arguments: StoreKind.allCases)
  func merge(kind: StoreKind) throws {
    let place = try kind.make()
    let added = try place.store.add(fullItem())
    let changed = try place.modify(added, .comment("new"))
    let stored = try #require(try place.find().first)
    var wanted = added
    wanted.comment = "new"
    wanted.modified = stored.modified
    wanted.revision = stored.revision
    #expect(Content(stored) == Content(wanted))
    #expect(stored.revision > added.revision && stored.modified >= added.modified)
    #expect(stored.created == added.created)
    #expect(changed.secret == nil && changed.refreshToken == nil)
    #expect(changed.revision == stored.revision && changed.comment == "new")
  }

  @Test(
    "each attribute can be changed, alone", arguments: StoreKind.allCases, Change.rows)
  func each(kind: StoreKind, row: Change) throws {
    let place = try kind.make()
    let added = try place.store.add(fullItem())
    var wanted = added
    let isAnother = wanted.apply([row.change])
    #expect(isAnother)
    if wanted.isExpired(at: .now()) { wanted = wanted.withoutSecrets }
    _ = try place.modify(added, row.change)
    let stored = try #require(try place.find().first)
    wanted.modified = stored.modified
    wanted.secretChanged = stored.secretChanged
    wanted.revision = stored.revision
    #expect(Content(stored) == Content(wanted))
    #expect(stored.revision > added.revision)
  }

  @Test("equal values change nothing, not even the date", arguments: StoreKind.allCases)
  func noChange(kind: StoreKind) throws {
    let place = try kind.make()
    let added = try place.store.add(fullItem())
    let before = try place.contents()
    let changes: [ItemChange] = [
      .account(added.account), .realm(added.realm), .server(added.server),
      .protocol(added.protocol), .authenticationMethod(added.authenticationMethod),
      .port(added.port), .path(added.path), .label(added.label), .comment(added.comment),
      .kind(added.kind), .origin(added.origin), .accountDomain(added.accountDomain),
      .creator(added.creator), .type(added.type), .isInvisible(true), .isNegative(true),
      .expires(added.expires), .custom("team", "platform"), .custom("absent", nil),
      .secretKind(.token), .secret(Secret("one")), .refreshToken(Secret("refresh")),
    ]
    for change in changes {
      let result = try place.modify(added, change)
      #expect(result.revision == added.revision)
    }
    #expect(
      try place.store.modify(added.id, hint: added.key, changes).revision == added.revision)
    #expect(try place.store.modify(added.id, hint: added.key, []).revision == added.revision)
    #expect(try place.modify(added, .label("x"), .label(added.label)).revision == added.revision)
    #expect(try place.contents() == before)
  }

  @Test("the last of two changes to one attribute wins", arguments: StoreKind.allCases)
  func last(kind: StoreKind) throws {
    let place = try kind.make()
    let added = try place.store.add(item())
    _ = try place.modify(
      added, .comment("a"), .secret(Secret("a")), .comment("b"), .secret(Secret("b")))
    #expect(try place.find().map(\.comment) == ["b"])
    #expect(try place.find().first?.secret?.array == Array("b".utf8))
  }

  @Test(
    "a new server keeps id, label and secret, and the old one is forgotten",
    arguments: StoreKind.allCases)
  func rename(kind: StoreKind) throws {
    let place = try kind.make()
    let added = try place.store.add(item())
    let (old, new) = (added.server, try HostName("other.example.org"))
    let moved = try place.modify(added, .server(new))
    #expect(moved.id == added.id && moved.label == "git.example.com")
    #expect(try place.find { $0.server = .equals(old) }.isEmpty)
    #expect(try place.find { $0.server = .equals(new) }.map(\.id) == [added.id])
    #expect(try place.find { $0.server = .equals(new) }.first?.secret?.count == 3)
    // The server that the caller passes is only a hint.
    #expect(try place.modify(added, .comment("found all the same")).server == new)
    try place.remove(added)
    #expect(try place.find().isEmpty)
  }

  @Test(
    "a collision leaves both as they were, and later changes work", arguments: StoreKind.allCases)
  func collision(kind: StoreKind) throws {
    let place = try kind.make()
    let ann = try place.store.add(item("ann"))
    let bob = try place.store.add(item("bob"))
    let far = try place.store.add(item("ann", on: "other.example.org"))
    let before = try place.contents()
    for (other, change) in [
      (bob, ItemChange.account("ann")), (far, .server(ann.server)),
    ] {
      let error = #expect(throws: VaultError.self) {
        _ = try place.modify(other, .comment("pending"), change, .secret(Secret("pending")))
      }
      #expect(error?.code == .duplicateItem)
      #expect(error?.candidates.map(\.id) == [ann.id, other.id])
      #expect(error?.candidates.last?.comment.isEmpty == true)
      #expect(try place.contents() == before)
      #expect(try place.store.history(of: other.id, hint: other.key, withSecrets: false).isEmpty)
    }
    #expect(try place.modify(bob, .label("later")).comment.isEmpty)
    #expect(try place.modify(bob, .account("carl")).account == "carl")
    #expect(try place.modify(far, .account("bob"), .server(ann.server)).account == "bob")
    #expect(try place.find().count == 3)
  }

  @Test("two items can change keys in turn", arguments: StoreKind.allCases)
  func swap(kind: StoreKind) throws {
    let place = try kind.make()
    let (ann, bob) = (try item("ann", secret: "a"), try item("bob", secret: "b"))
    try place.add(ann, bob)
    _ = try place.modify(ann, .account("other"))
    _ = try place.modify(bob, .account("ann"))
    _ = try place.modify(ann, .account("bob"))
    #expect(try place.find().map(\.id) == [bob.id, ann.id])
    #expect(try place.find().map { $0.secret?.array } == [[98], [97]])
  }

  @Test(
    "an item that is not there can be neither changed nor deleted", arguments: StoreKind.allCases)
  func notFound(kind: StoreKind) throws {
    let place = try kind.make()
    let stranger = try item("stranger")
    expect(.itemNotFound) { _ = try place.modify(stranger, .comment("x")) }
    expect(.itemNotFound) { try place.remove(stranger) }
    try place.add(item())
    expect(.itemNotFound) { _ = try place.modify(stranger, .comment("x")) }
    expect(.itemNotFound) { try place.remove(stranger) }
    #expect(try place.find().count == 1)
  }

  @Test("a deleted item is gone, once, and its key is free", arguments: StoreKind.allCases)
  func remove(kind: StoreKind) throws {
    let place = try kind.make()
    let (ann, bob) = (try fullItem(), try item("bob"))
    try place.add(ann, bob)
    try place.remove(ann)
    #expect(try place.find().map(\.account) == ["bob"])
    expect(.itemNotFound) { try place.remove(ann) }
    expect(.itemNotFound) { _ = try place.modify(ann, .comment("x")) }
    let again = try fullItem()
    try place.add(again)
    #expect(try place.find(ItemQuery(key: ann.key)).map(\.id) == [again.id])
  }
}

/// A change of the item that has every attribute.
struct Change: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let change: ItemChange

  init(_ testDescription: String, _ change: ItemChange) {
    self.testDescription = testDescription
    self.change = change
  }

  static let rows: [Change] = [
    Change("account", .account("bob")), Change("no account", .account("")),
    Change("realm", .realm("R")), Change("no realm", .realm("")),
    Change("no server", .server(.unset)), Change("protocol", .protocol(.http)),
    Change("no protocol", .protocol(.unset)), Change("method", .authenticationMethod(.digest)),
    Change("no method", .authenticationMethod(.unset)), Change("port", .port(65535)),
    Change("no port", .port(0)), Change("path", .path("/")), Change("no path", .path("")),
    Change("label", .label("L")), Change("comment", .comment("C")),
    Change("no comment", .comment("")), Change("kind", .kind("K")), Change("no kind", .kind("")),
    Change("origin", .origin("docker")), Change("no origin", .origin("")),
    Change("domain", .accountDomain("D")), Change("no domain", .accountDomain("")),
    Change("creator", .creator(.max)), Change("no creator", .creator(0)),
    Change("type", .type(.max)), Change("no type", .type(0)),
    Change("visible", .isInvisible(false)), Change("positive", .isNegative(false)),
    Change("never expires", .expires(nil)),
    Change("expires before 1970", .expires(Timestamp(milliseconds: -1))),
    Change("custom", .custom("team", "core")), Change("new custom", .custom("new", "x")),
    Change("empty custom", .custom("team", "")), Change("no custom", .custom("team", nil)),
    Change("kind of secret", .secretKind(.identity)),
    Change("unknown kind of secret", .secretKind(SecretKind(rawValue: 100))),
    Change("secret", .secret(Secret("two"))), Change("empty secret", .secret(Secret(""))),
    Change("token", .refreshToken(Secret("other"))), Change("no token", .refreshToken(nil)),
  ]
}
