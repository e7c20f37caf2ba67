import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultStore

@Suite("the session: its clock")
struct SessionTimeTests {
  static let decade = Duration.seconds(10 * 365 * 86400)

  private let clock = TestClock()
  private let session: SessionStore
  private let space: ProtectionSpace

  init() throws {
    session = SessionStore(time: clock.source)
    space = try ProtectionSpace(
      host: "git.example.com", realm: "Team Git", authenticationMethod: .basic)
  }

  /// Adds an item that is kept for an hour.
  @discardableResult
  private func addForAnHour(_ account: String = "ann") throws -> Item {
    var given = try item(account)
    given.keptUntil = clock.now.adding(.seconds(3600))
    return try session.add(given)
  }

  /// Returns whether a space's credential, and the item with its secret, are found.
  private func isValid() throws -> Bool {
    let item = try #require(try session.find(ItemQuery(), withSecrets: true).first)
    let isValid = item.secret != nil
    #expect(item.isExpired(at: clock.now) == !isValid)
    #expect(try session.credentials(of: space).isEmpty == !isValid)
    #expect(try session.users(of: space).isEmpty == !isValid)
    return isValid
  }

  @Test(
    "a clock of the day that is set neither ends what is kept for an hour, nor keeps it longer",
    arguments: [decade, .zero - decade, .seconds(7200), .seconds(-7200), .seconds(2), .seconds(-2)])
  func setClock(by jump: Duration) throws {
    let added = try addForAnHour()
    clock.set(by: jump)
    #expect(try isValid())
    clock.pass(.milliseconds(3_599_999))
    #expect(try isValid())
    // The time is reported on the clock as it is now.
    var told = try #require(try session.find(ItemQuery(), withSecrets: false).first)
    #expect(told.keptUntil == clock.now.adding(milliseconds: 1))
    #expect(told.secretChanged == added.secretChanged.adding(jump))
    #expect(told.created == added.created)
    clock.pass(.milliseconds(1))
    #expect(try !isValid())
    clock.set(by: .zero - jump)
    #expect(try !isValid())
    clock.set(by: .zero - Self.decade)
    #expect(try !isValid())
    told = try #require(try session.find(ItemQuery(), withSecrets: false).first)
    #expect(told.keptUntil == clock.now)
  }

  @Test("time that passes while the machine sleeps counts, whatever the clock of the day says")
  func suspend() throws {
    try addForAnHour()
    clock.pass(.seconds(3600))
    clock.set(by: .seconds(-3600))
    #expect(try !isValid())
  }

  @Test("an item's own expiry is a time of day")
  func ownExpiry() throws {
    var given = try item()
    given.expires = clock.now.adding(.seconds(3600))
    _ = try session.add(given)
    clock.set(by: .seconds(3600))
    #expect(try !isValid())
    clock.set(by: .milliseconds(-1))
    #expect(try isValid())
    #expect(try session.find(ItemQuery(), withSecrets: false).first?.expires == given.expires)
  }

  @Test("what is put keeps its age, and has as long left as it had")
  func age() throws {
    let day = Duration.seconds(86400)
    var given = try item()
    given.secretChanged = clock.now.adding(.zero - day * 3)
    given.keptUntil = clock.now.adding(day * 2)
    try session.put(given)
    clock.set(by: Self.decade)
    clock.pass(day)
    var told = try #require(try session.find(ItemQuery(), withSecrets: false).first)
    #expect(told.secretChanged == clock.now.adding(.zero - day * 4))
    #expect(told.keptUntil == clock.now.adding(day))
    // Once more through a store: the age is the same.
    try session.put(session.take(told.id, hint: told.key))
    told = try #require(try session.find(ItemQuery(), withSecrets: false).first)
    #expect(told.secretChanged == clock.now.adding(.zero - day * 4))
    clock.pass(day - .milliseconds(1))
    #expect(try isValid())
    clock.pass(.milliseconds(1))
    #expect(try !isValid())
  }

  @Test("a change of what is not the secret keeps its age and its end; a new secret is new")
  func changes() throws {
    let added = try addForAnHour()
    clock.set(by: Self.decade)
    clock.pass(.seconds(60))
    var changed: Item = try session.modify(
      added.id, hint: added.key, [.comment("x")])
    #expect(changed.secretChanged == clock.now.adding(.seconds(-60)))
    #expect(changed.keptUntil == clock.now.adding(.seconds(3540)))
    #expect(changed.modified == clock.now && changed.created == added.created)
    changed = try session.modify(added.id, hint: added.key, [.secret(Secret("two"))]) { item in
      #expect(item.secretChanged == clock.now)
      #expect(item.keptUntil == clock.now.adding(.seconds(3540)))
      return .here(until: item.secretChanged.adding(.seconds(3600)))
    }.item
    #expect(changed.keptUntil == clock.now.adding(.seconds(3600)))
    clock.pass(.seconds(3599))
    #expect(try isValid())
    clock.pass(.seconds(1))
    #expect(try !isValid())
  }

  @Test("whoever is told of an item is told its times on the clock as it is")
  func candidates() throws {
    try addForAnHour()
    clock.set(by: Self.decade)
    let error = #expect(throws: VaultError.self) { try addForAnHour() }
    #expect(error?.candidates.map(\.secretChanged) == [clock.now])
    #expect(error?.candidates.map(\.keptUntil) == [clock.now.adding(.seconds(3600))])
  }

  @Test("two clocks that are read one after the other make no new times")
  func jitter() throws {
    let added = try addForAnHour()
    clock.pass(.seconds(60))
    for jump in [1, -2, 1] {
      clock.set(by: .milliseconds(jump))
      let told = try #require(try session.find(ItemQuery(), withSecrets: false).first)
      #expect(told.secretChanged == added.secretChanged && told.keptUntil == added.keptUntil)
    }
    // Except for items that have expired by now: they are expired on both clocks.
    clock.pass(.seconds(3540))
    clock.set(by: .milliseconds(-1))
    #expect(try !isValid())
  }

  @Test("times at the ends of time are kept as they are")
  func extremes() throws {
    let ends = [Timestamp(milliseconds: .min), Timestamp(milliseconds: .max)]
    for (number, end) in ends.enumerated() {
      var given = try item("user\(number)")
      given.secretChanged = end
      given.keptUntil = end
      try session.put(given)
    }
    clock.pass(Self.decade)
    clock.set(by: .zero - Self.decade * 20)
    let told = try session.find(ItemQuery(), withSecrets: true)
    #expect(told.map { $0.secret == nil } == [true, false])
    #expect(told.allSatisfy { $0.isExpired(at: clock.now) == ($0.secret == nil) })
  }

  @Test("a lookup of what never expires reads no clock")
  func noClock() throws {
    let reads = Lock(0)
    let source = clock.source
    let session = SessionStore(
      time: TimeSource(
        now: {
          reads.withLock { $0 += 1 }
          return source.now()
        }, session: source.session))
    _ = try session.add(item())
    reads.withLock { $0 = 0 }
    #expect(try session.credentials(of: space).count == 1)
    #expect(try session.users(of: space) == ["ann"])
    #expect(reads.withLock { $0 } == 0)
    // The positive control: an item that has times needs one reading.
    #expect(try session.find(ItemQuery(), withSecrets: false).count == 1)
    #expect(reads.withLock { $0 } == 1)
  }

  @Test("of several users those that have expired are left out, and the others stay in order")
  func several() throws {
    try addForAnHour("bob")
    for account in ["ann", "carl"] { _ = try session.add(item(account)) }
    #expect(try session.users(of: space) == ["ann", "bob", "carl"])
    clock.pass(.seconds(3600))
    #expect(try session.users(of: space) == ["ann", "carl"])
    #expect(try session.credentials(of: space).map(\.user) == ["ann", "carl"])
  }
}
