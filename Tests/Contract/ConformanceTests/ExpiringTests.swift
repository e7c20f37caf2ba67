import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultStore

@Suite("any store: expiring")
struct ExpiringTests {
  /// The reason why an item expires.
  enum End: String, CaseIterable, CustomTestStringConvertible {
    case own
    case policy

    var testDescription: String { self == .own ? "its own time" : "the policy's" }

    func set(_ time: Timestamp?, of item: inout Item) {
      switch self {
      case .own: item.expires = time
      case .policy: item.keptUntil = time
      }
    }
  }

  /// Creates a store with an item that expires in an hour.
  private static func make(
    _ kind: StoreKind, _ end: End, _ clock: TestClock
  ) throws -> (Place, Item) {
    let place = try kind.make(clock.source)
    var given = try item()
    given.refreshToken = Secret("refresh")
    end.set(clock.now.adding(.seconds(3600)), of: &given)
    return (place, try place.store.add(given))
  }

  @Test(
    "what has expired is listed, and comes without its secrets", arguments: StoreKind.allCases,
    End.allCases)
  func expired(kind: StoreKind, end: End) throws {
    let clock = TestClock()
    let (place, added) = try Self.make(kind, end, clock)
    var valid = ItemQuery()
    valid.includesExpired = false
    clock.pass(.milliseconds(3_599_999))
    #expect(try place.find().first?.secret?.array == Array("one".utf8))
    #expect(try place.find(valid).first?.refreshToken?.array == Array("refresh".utf8))
    clock.pass(.milliseconds(1))
    let found = try place.find()
    #expect(found.map(\.id) == [added.id])
    #expect(found.first?.isExpired(at: clock.now) == true)
    #expect(found.first?.secret == nil && found.first?.refreshToken == nil)
    #expect(try place.find(valid).isEmpty)
    // Its key is still taken.
    expect(.duplicateItem) { try place.add(item()) }
  }

  @Test(
    "what has expired is handed over and changed all the same", arguments: StoreKind.allCases,
    End.allCases)
  func moved(kind: StoreKind, end: End) throws {
    let clock = TestClock()
    let (place, added) = try Self.make(kind, end, clock)
    clock.pass(.seconds(7200))
    let elsewhere = try place.store.modify(added.id, hint: added.key, [.comment("x")]) { _ in
      .elsewhere
    }
    #expect(elsewhere.item.secret?.array == Array("one".utf8))
    let taken = try place.store.take(added.id, hint: added.key)
    #expect(taken.secret?.array == Array("one".utf8))
    #expect(taken.refreshToken?.array == Array("refresh".utf8))
    try place.store.put(taken)
    #expect(try place.find().map { $0.secret == nil } == [true])
    // With another expiry it is valid again, and has its old secret.
    _ = try place.store.modify(added.id, hint: added.key, [.comment("y"), .expires(nil)]) { _ in
      .here(until: nil)
    }
    #expect(try place.find().first?.secret?.array == Array("one".utf8))
  }

  @Test("an end in the past is one", arguments: StoreKind.allCases, End.allCases)
  func past(kind: StoreKind, end: End) throws {
    let place = try kind.make()
    for (number, time) in [Timestamp(milliseconds: .min), Timestamp(milliseconds: -1), .now()]
      .enumerated()
    {
      var given = try item("user\(number)")
      end.set(time, of: &given)
      try place.add(given)
    }
    #expect(try place.find().map { $0.secret == nil } == [true, true, true])
    var given = try item("later")
    end.set(Timestamp(milliseconds: .max), of: &given)
    try place.add(given)
    #expect(try place.find { $0.includesExpired = false }.map(\.account) == ["later"])
  }
}
