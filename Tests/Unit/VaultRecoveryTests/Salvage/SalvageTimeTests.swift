import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultStore
import VaultModel

@Suite("the time of a salvaged vault")
struct SalvageTimeTests {
  private let clock: TestClock
  private let fixture: StoreFixture

  /// Makes a vault of a far later time, with an item whose secret has expired, and a newer one.
  init() throws {
    clock = TestClock(Timestamp.now().adding(.seconds(100 * 86_400)))
    fixture = try StoreFixture(time: clock.source)
    var item = Item(server: try HostName("h.example"), secret: Secret("old"))
    item.keptUntil = fixture.store.time.now().adding(.seconds(3600))
    _ = try fixture.store.add(item)
    clock.pass(.seconds(7200))
    _ = try fixture.store.add(Item(account: "late"))
  }

  private func expectExpired(_ store: FileStore) throws {
    var query = ItemQuery()
    query.server = .equals(try HostName("h.example"))
    #expect(try #require(store.find(query, withSecrets: true).first).secret == nil)
  }

  @Test("a salvaged vault is no older than the one that it was")
  func whole() throws {
    let store = try fixture.salvaged().store
    #expect(store.time.now() == clock.now)
    try expectExpired(store)
  }

  @Test("a salvaged vault whose head was lost is no older than its newest item")
  func withoutHead() throws {
    try fixture.loseHead()
    try expectExpired(fixture.salvaged().store)
  }
}
