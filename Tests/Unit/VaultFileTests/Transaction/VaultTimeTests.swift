import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// The vault's time, by which everything in it is dated and expires.
@Suite("the vault's time")
struct VaultTimeTests {
  private static let hour = Duration.seconds(3600)

  /// Adds an item that a policy keeps for an hour.
  private func addForAnHour(_ store: FileStore) throws -> Item {
    var item = Item(server: try HostName("h.example"), secret: Secret("old"))
    item.keptUntil = store.time.now().adding(Self.hour)
    return try store.add(item)
  }

  private func secret(_ store: FileStore) throws -> String? {
    let found = try store.find(ItemQuery(server: try HostName("h.example")), withSecrets: true)
    return try #require(found.first).secret.map { String(decoding: $0.array, as: UTF8.self) }
  }

  @Test("a clock that is set back revives nothing that a commit was later than")
  func setBack() throws {
    let clock = TestClock()
    let fixture = try StoreFixture(time: clock.source)
    let item = try addForAnHour(fixture.store)
    clock.pass(.seconds(7200))
    let late = clock.now
    #expect(try secret(fixture.store) == nil)
    // Until somebody commits, nothing in the file records how late it was.
    _ = try fixture.store.add(Item(server: try HostName("other.example")))
    clock.set(by: .seconds(-3 * 3600))
    #expect(fixture.store.time.now() == late)
    #expect(try secret(fixture.store) == nil)
    var valid = ItemQuery()
    valid.includesExpired = false
    #expect(try fixture.store.find(valid).map(\.server.name) == ["other.example"])
    try fixture.store.write { (transaction) throws(VaultError) in
      #expect(transaction.now == late)
      #expect(
        try transaction.find(ItemQuery(key: item.key), withSecrets: true).first?.secret == nil)
    }

    let reopened = try fixture.reopened(time: clock.source)
    #expect(reopened.time.now() == late && clock.now < late)
    #expect(try secret(reopened) == nil)
    let added = try reopened.add(Item(server: try HostName("later.example")))
    #expect(added.created == late)
    #expect(try reopened.information().committed >= late)
    // The session of the file has its time.
    #expect(reopened.session.time.now() == late)
  }

  @Test("a clock that runs on is the vault's time, and the first commit's")
  func running() throws {
    let clock = TestClock(Timestamp(milliseconds: 1_000_000))
    let fixture = try StoreFixture(time: clock.source)
    #expect(try fixture.store.information().committed == clock.now)
    clock.pass(Self.hour)
    #expect(fixture.store.time.now() == clock.now)
    let item = try addForAnHour(fixture.store)
    #expect(item.created == clock.now && item.modified == clock.now)
    #expect(item.secretChanged == clock.now)
    #expect(try fixture.store.information().committed == clock.now)
    clock.pass(.milliseconds(3_599_999))
    #expect(try secret(fixture.store) == "old")
    clock.pass(.milliseconds(1))
    #expect(try secret(fixture.store) == nil)
  }

  @Test("what is changed in one transaction has one time")
  func oneTime() throws {
    let clock = TestClock()
    let fixture = try StoreFixture(time: clock.source)
    let times = try fixture.store.write { (transaction) throws(VaultError) in
      let first = try transaction.add(Item(account: "a")).created
      clock.pass(.seconds(1))
      return [first, try transaction.add(Item(account: "b")).created, transaction.now]
    }
    #expect(Set(times).count == 1)
    #expect(try fixture.store.information().committed == times[0])
  }

  @Test("only another secret changes when the secret was changed, also in the file")
  func secretChanged() throws {
    let clock = TestClock()
    let fixture = try StoreFixture(time: clock.source)
    let item = try addForAnHour(fixture.store)
    let added = clock.now
    func times(_ changes: [ItemChange]) throws -> (secret: Timestamp, modified: Timestamp) {
      clock.pass(.seconds(60))
      let now = try fixture.store.modify(item.id, hint: item.key, changes)
      let found = try #require(try fixture.store.find(ItemQuery(key: item.key)).first)
      #expect(now.secretChanged == found.secretChanged && now.modified == found.modified)
      return (found.secretChanged, found.modified)
    }
    #expect(try times([.label("label"), .refreshToken(Secret("token"))]) == (added, clock.now))
    #expect(try times([.secret(Secret("old")), .comment("c")]) == (added, clock.now))
    #expect(try times([.secret(Secret("new"))]) == (clock.now, clock.now))
    let changed = clock.now
    #expect(try times([.label("another")]) == (changed, clock.now))
    // Nothing is written if nothing changes.
    let generation = try fixture.store.information().generation
    #expect(try times([.secret(Secret("new"))]).secret == changed)
    #expect(try fixture.store.information().generation == generation)
  }

  @Test("where nothing expires, no clock is read to find it")
  func unread() throws {
    let reads = Lock(0)
    let source = TimeSource(
      now: {
        reads.withLock { $0 += 1 }
        return .now()
      }, session: TimeSource.system.session)
    let fixture = try StoreFixture(time: source)
    for account in ["a", "b"] {
      _ = try fixture.store.add(Item(account: account, secret: Secret(account)))
    }
    var query = ItemQuery()
    query.includesExpired = false
    let before = reads.withLock { $0 }
    #expect(try fixture.store.find(query, withSecrets: true).count == 2)
    #expect(try fixture.store.find(ItemQuery(), withSecrets: true).count == 2)
    #expect(reads.withLock { $0 } == before)
    _ = try addForAnHour(fixture.store)
    let after = reads.withLock { $0 }
    #expect(try fixture.store.find(query, withSecrets: true).count == 3)
    #expect(reads.withLock { $0 } > after)
  }
}

extension ItemQuery {
  fileprivate init(server: HostName) {
    self.init()
    self.server = .equals(server)
  }
}
