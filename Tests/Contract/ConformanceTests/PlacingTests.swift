import SealedTree
import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultStore

@Suite("any store: placing and handing over")
struct PlacingTests {
  static let end = Timestamp(seconds: 4_000_000_000)

  @Test(
    "where an item belongs is asked once it is changed, by what it will be and without its secrets",
    arguments: StoreKind.allCases)
  func asked(kind: StoreKind) throws {
    let clock = TestClock()
    let place = try kind.make(clock.source)
    let added = try place.store.add(fullItem())
    clock.pass(.seconds(60))
    var asked: [Item] = []
    func change(_ changes: ItemChange...) throws {
      _ = try place.store.modify(added.id, hint: added.key, changes) { item in
        asked.append(item)
        return .here(until: item.keptUntil)
      }
    }
    // Nothing changes, and nothing is asked.
    try change(.comment(added.comment), .secret(Secret("one")))
    #expect(asked.isEmpty)
    try change(.account("bob"), .secret(Secret("one")))
    try change(.refreshToken(Secret("another")))
    #expect(asked.map(\.secretChanged) == [added.created, added.created])
    #expect(asked.map(\.account) == ["bob", "bob"])
    try change(.secret(Secret("two")))
    #expect(asked.last?.secretChanged == clock.now)
    #expect(asked.allSatisfy { $0.secret == nil && $0.refreshToken == nil && $0.id == added.id })
    #expect(try place.find().first?.secretChanged == clock.now)
    // An empty secret differs from one that is not empty, and equals another empty one.
    clock.pass(.seconds(60))
    try change(.secret(Secret("")))
    try change(.secret(Secret("")), .comment("empty"))
    #expect(asked.suffix(2).map(\.secretChanged) == [clock.now, clock.now])
    clock.pass(.seconds(60))
    try change(.comment("still empty"))
    #expect(asked.last.map { $0.secretChanged < clock.now } == true)
  }

  @Test("an item is kept for as long as its place says", arguments: StoreKind.allCases)
  func until(kind: StoreKind) throws {
    let place = try kind.make()
    var given = try item()
    given.keptUntil = Self.end
    let added = try place.store.add(given)
    #expect(added.keptUntil == Self.end)
    #expect(try place.find().first?.keptUntil == Self.end)
    #expect(try place.modify(added, .comment("a")).keptUntil == Self.end)
    for end in [Timestamp(seconds: 5_000_000_000), Timestamp(milliseconds: .max), nil] {
      let comment = "until \(end?.description ?? "further notice")"
      let changed = try place.store.modify(added.id, hint: added.key, [.comment(comment)]) { _ in
        .here(until: end)
      }
      #expect(changed.isHere && changed.item.keptUntil == end && changed.item.secret == nil)
      #expect(try place.find().map(\.keptUntil) == [end])
    }
  }

  @Test(
    "what belongs elsewhere comes back with its secrets, and here nothing changes",
    arguments: StoreKind.allCases, [3, 4000])
  func elsewhere(kind: StoreKind, count: Int) throws {
    let place = try kind.make()
    var given = try fullItem()
    given.secret = Secret(SecretTests.binary(count))
    let added = try place.store.add(given)
    try place.add(item("bob", port: 8443, path: "/team/repository"))
    let before = try place.contents()
    func change(_ changes: ItemChange...) throws -> Item {
      let changed = try place.store.modify(added.id, hint: added.key, changes) { _ in .elsewhere }
      #expect(!changed.isHere && changed.item.id == added.id)
      #expect(try place.contents() == before)
      return changed.item
    }
    // An item here that has the new key does not matter elsewhere.
    var item = try change(.account("bob"))
    #expect(item.account == "bob" && item.secretChanged == added.secretChanged)
    #expect(item.secret?.array == SecretTests.binary(count))
    #expect(item.refreshToken?.array == Array("refresh".utf8))
    item = try change(.secret(Secret("two")))
    #expect(item.secret?.array == Array("two".utf8) && item.secretChanged >= added.secretChanged)
    #expect(item.refreshToken?.array == Array("refresh".utf8))
    item = try change(.refreshToken(nil))
    #expect(item.secret?.array == SecretTests.binary(count) && item.refreshToken == nil)
  }

  @Test("where no place is given, nothing changes", arguments: StoreKind.allCases)
  func refused(kind: StoreKind) throws {
    let place = try kind.make()
    let added = try place.store.add(fullItem())
    let before = try place.contents()
    expect(.policyRefused) {
      _ = try place.store.modify(
        added.id, hint: added.key, [.account("bob"), .secret(Secret("two"))]
      ) { _ throws(VaultError) in throw VaultError(.policyRefused, "no") }
    }
    #expect(try place.contents() == before)
    // A value out of bounds is an error before a place is asked for.
    expect(.invalidArgument) {
      _ = try place.store.modify(added.id, hint: added.key, [.account("\0")]) { _ in .elsewhere }
    }
    #expect(try place.modify(added, .comment("later")).comment == "later")
  }

  @Test(
    "an item that is handed over is the same in the other store, and put back in its own",
    arguments: StoreKind.allCases, StoreKind.allCases)
  func handedOver(from: StoreKind, to: StoreKind) throws {
    let clock = TestClock()
    let (source, target) = (try from.make(clock.source), try to.make(clock.source))
    for (given, size) in [(try fullItem(), 3), (try item("large"), 4000)] {
      var given = given
      given.secret = Secret(SecretTests.binary(size))
      given.keptUntil = clock.now.adding(.seconds(86400))
      let added = try source.store.add(given)
      clock.pass(.seconds(3600))
      _ = try source.modify(added, .secret(Secret(SecretTests.binary(size + 1))))
      clock.pass(.seconds(3600))
      let changed = try source.modify(added, .comment("moved"))
      clock.pass(.seconds(3600))
      let before = try #require(try source.find(ItemQuery(key: added.key)).first)
      let taken = try source.store.take(added.id, hint: added.key)
      #expect(Content(taken) == Content(before))
      #expect(taken.modified == changed.modified && taken.secretChanged != taken.modified)
      #expect(taken.keptUntil == given.keptUntil && taken.created == added.created)
      expect(.itemNotFound) { _ = try source.store.take(added.id, hint: added.key) }
      clock.pass(.seconds(3600))
      let put = try target.store.put(taken)
      #expect(put.secret == nil && put.refreshToken == nil && put.id == added.id)
      var wanted = taken
      wanted.persistence = to.persistence
      wanted.revision = put.revision
      let stored = try target.find(ItemQuery(key: added.key))
      #expect(stored.map(Content.init) == [Content(wanted)])
    }
    #expect(try source.find().isEmpty && target.find().count == 2)
  }

  @Test("what is put where its key is taken is a duplicate", arguments: StoreKind.allCases)
  func duplicate(kind: StoreKind) throws {
    let place = try kind.make()
    let added = try place.store.add(fullItem())
    let before = try place.contents()
    let error = #expect(throws: VaultError.self) { _ = try place.store.put(fullItem()) }
    #expect(error?.code == .duplicateItem && error?.candidates.map(\.id) == [added.id])
    #expect(error?.candidates.first?.secret == nil)
    #expect(try place.contents() == before)
    var long = try item("long")
    long.label = Refused.long
    expect(.tooLarge) { _ = try place.store.put(long) }
    #expect(try place.contents() == before)
  }

  @Test("an id that another item has by now is not given twice", arguments: StoreKind.allCases)
  func sameID(kind: StoreKind) throws {
    let place = try kind.make()
    let added = try place.store.add(item())
    var other = try #require(try place.find().first)
    other.account = "bob"
    #expect(try place.store.put(other).id != added.id)
    #expect(try place.find { $0.id = added.id }.map(\.account) == ["ann"])
  }
}
