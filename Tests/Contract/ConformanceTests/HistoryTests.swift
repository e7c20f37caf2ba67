import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultStore

@Suite("any store: previous secrets")
struct HistoryTests {
  /// Returns an item's previous secrets as text, the newest first; nil for one without its secret.
  private static func history(_ place: Place, _ item: Item) throws -> [String?] {
    try place.store.history(of: item.id, hint: item.key, withSecrets: true).map {
      $0.secret.map { String(decoding: $0.array, as: UTF8.self) }
    }
  }

  /// Creates a store with an item that had these secrets, the last of which is its present one.
  private static func make(
    _ kind: StoreKind, _ secrets: [String], _ time: TimeSource = .system
  ) throws -> (place: Place, item: Item) {
    let place = try kind.make(time)
    let added = try place.store.add(item(secret: secrets[0]))
    for secret in secrets.dropFirst() { _ = try place.modify(added, .secret(Secret(secret))) }
    return (place, added)
  }

  @Test(
    "a new item has none, and each change of the secret leaves one", arguments: StoreKind.allCases)
  func order(kind: StoreKind) throws {
    let (place, added) = try Self.make(kind, ["a"])
    #expect(try Self.history(place, added).isEmpty)
    for (secret, history) in [("b", ["a"]), ("c", ["b", "a"]), ("d", ["c", "b", "a"])] {
      _ = try place.modify(added, .secret(Secret(secret)))
      #expect(try Self.history(place, added) == history)
    }
    let listed = try place.store.history(of: added.id, hint: added.key, withSecrets: false)
    #expect(listed.count == 3 && listed.allSatisfy { $0.secret == nil && $0.id.item == added.id })
    #expect(try place.find().first?.secret?.array == Array("d".utf8))
  }

  @Test("one keeps the certificates of its time", arguments: StoreKind.allCases)
  func certificates(kind: StoreKind) throws {
    let place = try kind.make()
    var given = try item()
    given.certificates = [0x30, 1, 1]
    let added = try place.store.add(given)
    #expect(added.certificates == [0x30, 1, 1])
    _ = try place.modify(added, .certificates([0x30, 1, 2]))
    for number: UInt8 in 3...4 {
      _ = try place.modify(
        added, .secret(Secret("\(number)")), .certificates([0x30, 1, number]))
    }
    let history = try place.store.history(of: added.id, hint: added.key, withSecrets: false)
    #expect(history.map(\.certificates) == [[0x30, 1, 3], [0x30, 1, 2]])
    #expect(try place.find().first?.certificates == [0x30, 1, 4])
  }

  @Test("one tells when it was set and replaced, and what it was", arguments: StoreKind.allCases)
  func times(kind: StoreKind) throws {
    let clock = TestClock()
    let place = try kind.make(clock.source)
    var given = try item()
    let (ends, kept) = (clock.now.adding(.seconds(7200)), clock.now.adding(.seconds(9000)))
    given.expires = ends
    given.keptUntil = kept
    given.secretKind = .token
    let added = try place.store.add(given)
    clock.pass(.seconds(60))
    _ = try place.store.modify(
      added.id, hint: added.key, [.secret(Secret("two")), .secretKind(.password), .expires(nil)]
    ) { _ in .here(until: nil) }
    clock.pass(.seconds(60))
    _ = try place.modify(added, .comment("between"))
    clock.pass(.seconds(60))
    _ = try place.modify(added, .secret(Secret("three")))
    let history = try place.store.history(of: added.id, hint: added.key, withSecrets: true)
    #expect(history.map(\.kind) == [.password, .token])
    #expect(history.map(\.set) == [60, 0].map { added.created.adding(.seconds($0)) })
    #expect(history.map(\.replaced) == [180, 60].map { added.created.adding(.seconds($0)) })
    #expect(history.map(\.expires) == [nil, ends] && history.map(\.keptUntil) == [nil, kept])
    #expect(history.map { $0.secret?.array } == [Array("two".utf8), Array("one".utf8)])
  }

  @Test("ten are kept, and the oldest one goes", arguments: StoreKind.allCases)
  func limit(kind: StoreKind) throws {
    let secrets = (0..<13).map { "secret \($0)" }
    let (place, added) = try Self.make(kind, secrets)
    #expect(try Self.history(place, added) == secrets[2..<12].reversed())
  }

  @Test(
    "a secret that comes back leaves the history: none is there twice",
    arguments: StoreKind.allCases)
  func twice(kind: StoreKind) throws {
    let (place, added) = try Self.make(kind, ["a", "bb", "c"])
    _ = try place.modify(added, .secret(Secret("a")))
    #expect(try Self.history(place, added) == ["c", "bb"])
    _ = try place.modify(added, .secret(Secret("bb")))
    #expect(try Self.history(place, added) == ["a", "c"])
    // Setting the present secret again does not add it either.
    _ = try place.modify(added, .secret(Secret("bb")), .comment("x"))
    #expect(try Self.history(place, added) == ["a", "c"])
  }

  @Test("an empty secret is none, in the history neither", arguments: StoreKind.allCases)
  func empty(kind: StoreKind) throws {
    let (place, added) = try Self.make(kind, ["", "a", ""])
    #expect(try Self.history(place, added) == ["a"])
    _ = try place.modify(added, .secret(Secret("b")))
    #expect(try Self.history(place, added) == ["a"])
  }

  @Test(
    "other changes leave the history as it is, a refresh token's too", arguments: StoreKind.allCases
  )
  func attributes(kind: StoreKind) throws {
    let (place, added) = try Self.make(kind, ["a", "b"])
    let before = try place.store.history(of: added.id, hint: added.key, withSecrets: false).map(
      \.id)
    _ = try place.modify(added, .comment("x"), .expires(Timestamp(seconds: 4_000_000_000)))
    _ = try place.modify(added, .refreshToken(Secret("first")))
    _ = try place.modify(added, .refreshToken(Secret("second")), .secretKind(.token))
    let after = try place.store.history(of: added.id, hint: added.key, withSecrets: false)
    #expect(after.map(\.id) == before && after.map(\.expires) == [nil])
    #expect(try Self.history(place, added) == ["a"])
  }

  @Test("a renamed item takes its history along", arguments: StoreKind.allCases)
  func rename(kind: StoreKind) throws {
    let (place, added) = try Self.make(kind, ["a", "b", "c"])
    _ = try place.modify(added, .server(try HostName("other.example.org")), .account("bob"))
    #expect(try Self.history(place, added) == ["b", "a"])
    // Together with another secret.
    let moved = try place.modify(added, .server(added.server), .secret(Secret("d")))
    #expect(try Self.history(place, moved) == ["c", "b", "a"])
    // Another item under the old key has none of it.
    let other = try place.store.add(item())
    #expect(try Self.history(place, other).isEmpty)
    #expect(try Self.history(place, moved).count == 3)
  }

  @Test("a deleted item leaves none, nor does one that is taken", arguments: StoreKind.allCases)
  func deleted(kind: StoreKind) throws {
    let (place, added) = try Self.make(kind, ["a", "b"])
    try place.remove(added)
    expect(.itemNotFound) { _ = try Self.history(place, added) }
    let again = try place.store.put(added)
    #expect(again.id == added.id)
    #expect(try Self.history(place, again).isEmpty)
    _ = try place.modify(again, .secret(Secret("c")))
    #expect(try Self.history(place, again) == ["a"])
    let taken = try place.store.take(again.id, hint: again.key)
    try place.store.put(taken)
    #expect(try Self.history(place, again).isEmpty)
    #expect(taken.secret?.array == Array("c".utf8))
  }

  @Test(
    "one that has expired is listed, and comes without its secret", arguments: StoreKind.allCases)
  func expired(kind: StoreKind) throws {
    let clock = TestClock()
    let (place, added) = try Self.make(kind, ["a"], clock.source)
    let end = clock.now.adding(.seconds(60))
    func set(_ secret: String, _ expires: Timestamp?, _ kept: Timestamp?) throws {
      _ = try place.store.modify(
        added.id, hint: added.key, [.secret(Secret(secret)), .expires(expires)]
      ) { _ in .here(until: kept) }
    }
    try set("b", end, nil)
    try set("c", nil, end)
    try set("d", nil, nil)
    clock.pass(.milliseconds(59_999))
    #expect(try Self.history(place, added) == ["c", "b", "a"])
    clock.pass(.milliseconds(1))
    #expect(try Self.history(place, added) == [nil, nil, "a"])
    let history = try place.store.history(of: added.id, hint: added.key, withSecrets: false)
    #expect(history.map { $0.isExpired(at: clock.now) } == [true, true, false])
    // It can be restored, as it was.
    try set("b", nil, nil)
    #expect(try Self.history(place, added) == ["d", nil, "a"])
  }

  @Test(
    "one that comes back is as old as it was, and kept no longer", arguments: StoreKind.allCases)
  func returns(kind: StoreKind) throws {
    let clock = TestClock()
    let begin = clock.now
    let place = try kind.make(clock.source)
    var given = try item(secret: "a")
    given.expires = begin.adding(.seconds(5000))
    given.keptUntil = begin.adding(.seconds(6000))
    let added = try place.store.add(given)
    var judged: [Timestamp] = []
    func set(_ changes: ItemChange..., until: Timestamp?) throws -> Item {
      clock.pass(.seconds(60))
      return try place.store.modify(added.id, hint: added.key, changes) { item in
        judged.append(item.secretChanged)
        return .here(until: until)
      }.item
    }
    let late = begin.adding(.seconds(9000))
    _ = try set(.secret(Secret("b")), .expires(late), until: late)
    var back = try set(.secret(Secret("a")), until: late)
    // By its own date, its own expiry, and the time that a policy granted it.
    #expect(judged == [begin.adding(.seconds(60)), begin] && back.secretChanged == begin)
    #expect(back.expires == given.expires && back.keptUntil == given.keptUntil)
    // An earlier end applies, and so does an expiry that is named.
    let soon = begin.adding(.seconds(4000))
    _ = try set(.secret(Secret("b")), .expires(soon), until: soon)
    back = try set(.secret(Secret("a")), until: soon)
    #expect(back.expires == soon && back.keptUntil == soon)
    _ = try set(.secret(Secret("c")), .expires(nil), until: nil)
    back = try set(.secret(Secret("a")), .expires(late), until: nil)
    #expect(back.secretChanged == begin && back.expires == late && back.keptUntil == soon)
    // A secret that is in no history is new.
    #expect(try set(.secret(Secret("d")), until: nil).secretChanged == clock.now)
  }

  @Test("those of one moment have different times, in their order", arguments: StoreKind.allCases)
  func moment(kind: StoreKind) throws {
    let clock = TestClock()
    let (place, added) = try Self.make(kind, ["a", "b", "c", "d"], clock.source)
    let history = try place.store.history(of: added.id, hint: added.key, withSecrets: false)
    #expect(Set(history.map(\.id)).count == 3)
    #expect(history.map(\.replaced) == history.map(\.replaced).sorted(by: >))
    #expect(try Self.history(place, added) == ["c", "b", "a"])
  }

  @Test("secrets of any size, and of any bytes, are kept", arguments: StoreKind.allCases)
  func bytes(kind: StoreKind) throws {
    let place = try kind.make()
    let added = try place.store.add(item(secret: nil))
    let secrets = [1, 1024, 1025, 40_000, 1 << 20].map {
      [UInt8](repeating: UInt8(truncatingIfNeeded: $0 >> 3), count: $0)
    }
    for secret in secrets { _ = try place.modify(added, .secret(Secret(secret))) }
    _ = try place.modify(added, .secret(Secret("small")))
    let history = try place.store.history(of: added.id, hint: added.key, withSecrets: true)
    let isSame = history.map { $0.secret?.array } == secrets.reversed()
    #expect(isSame)
    // And one of them is restored.
    _ = try place.modify(added, .secret(Secret(secrets[3])))
    let isBack = try place.find().first?.secret?.array == secrets[3]
    #expect(isBack)
    let lengths = try Self.history(place, added).map { $0?.utf8.count ?? 0 }
    #expect(lengths.count == 5 && lengths[0] == 5)
  }

  @Test("one of them is opened by its id", arguments: StoreKind.allCases)
  func one(kind: StoreKind) throws {
    let clock = TestClock()
    let (place, added) = try Self.make(kind, ["a"], clock.source)
    _ = try place.store.modify(
      added.id, hint: added.key, [.secret(Secret("b")), .expires(clock.now.adding(.seconds(60)))]
    ) { _ in .here(until: nil) }
    _ = try place.modify(added, .secret(Secret("c")), .expires(nil))
    let history = try place.store.history(of: added.id, hint: added.key, withSecrets: false)
    func open(_ number: Int) throws -> [UInt8]? {
      try place.store.previousSecret(history[number].id, hint: added.key).secret?.array
    }
    #expect(try open(0) == Array("b".utf8) && open(1) == Array("a".utf8))
    clock.pass(.seconds(60))
    #expect(try open(0) == nil && open(1) == Array("a".utf8))
    _ = try place.modify(added, .secret(Secret("a")))
    expect(.itemNotFound) { _ = try open(1) }
  }

  @Test("an item that is not there has no history", arguments: StoreKind.allCases)
  func notFound(kind: StoreKind) throws {
    let place = try kind.make()
    expect(.itemNotFound) { _ = try Self.history(place, try item("stranger")) }
  }
}
