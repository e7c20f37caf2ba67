import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel
@testable import VaultStore

@testable import SealedTree

/// Work that only a file has when items are added and removed: rows of large secrets, ids, unknown
/// fields, backups.
@Suite("items that come and go")
struct MovingTests {
  private static let large = Secret([UInt8](repeating: 0xAB, count: 5000))

  private func item(_ account: String, _ secret: Secret) throws(VaultError) -> Item {
    Item(server: try HostName("h.example"), account: account, secret: secret)
  }

  @Test("an item with a large secret takes its row with it, and brings it back")
  func largeSecret() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let added = try store.add(item("a", Self.large))
    #expect(try store.shape().largeSecretCount == 1)
    let taken = try store.take(added.id, hint: added.key)
    #expect(taken.secret?.isEqual(to: Self.large) == true && taken.id == added.id)
    #expect(try store.shape().largeSecretCount == 0)
    #expect(try store.information().itemCount == 0)
    try store.put(taken)
    #expect(try store.shape().largeSecretCount == 1)
    #expect(try store.verify().problems == [] && store.information().itemCount == 1)
    // Also within one transaction, in which the row is not written yet.
    try store.write { (transaction) throws(VaultError) in
      let other = try transaction.add(item("b", Self.large))
      let taken = try transaction.take(other.id, hint: other.key)
      #expect(taken.secret?.isEqual(to: Self.large) == true)
      try transaction.put(taken)
    }
    #expect(try store.find(ItemQuery(), withSecrets: true).count == 2)
    #expect(try store.verify().problems == [] && store.shape().largeSecretCount == 2)
  }

  @Test("an item whose id another has by now gets one of its own")
  func idTaken() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let added = try store.add(item("a", Secret("s")))
    var twin = added
    twin.account = "b"
    let put = try store.put(twin)
    #expect(put.id != added.id && put.created == added.created)
    #expect(try Set(store.find(ItemQuery()).map(\.id)) == [added.id, put.id])
    #expect(try store.verify().problems == [])
  }

  @Test("what belongs elsewhere after a change is given whole, and stays here as it was")
  func elsewhere() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    var given = try item("a", Self.large)
    given.refreshToken = Secret("token")
    let added = try store.add(given)
    let generation = try store.information().generation
    for changes in [[ItemChange.label("x")], [.secret(Secret("new"))], [.refreshToken(nil)]] {
      let moved = try store.modify(added.id, hint: added.key, changes) { (_) in .elsewhere }
      var expected = added
      _ = expected.apply(changes)
      #expect(!moved.isHere && moved.item.label == expected.label)
      #expect(try moved.item.secret?.isEqual(to: #require(expected.secret)) == true)
      #expect((moved.item.refreshToken == nil) == (expected.refreshToken == nil))
    }
    #expect(try store.information().generation == generation)
    let kept = try #require(try store.find(ItemQuery(), withSecrets: true).first)
    #expect(kept.label == added.label && kept.secret?.isEqual(to: Self.large) == true)
  }

  @Test("how long an item is kept changes, and nothing else of it, unknown fields included")
  func keep() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    var own = try item("a", Secret(""))
    own.revision = 1
    var writer = FieldWriter(keeping: [UnknownField(tag: 300, value: [7])])
    let body = ItemRecord(own).encoded + writer.finish()
    try store.write { (transaction) throws(VaultError) in
      try transaction.editor.insert(
        Record(kind: RecordKind.item, body: body), at: .item(own.key))
      transaction.editor.head.itemCount += 1
    }
    let deadline = Timestamp.now().adding(.seconds(60))
    for until in [deadline, nil] {
      let kept = try store.write { (transaction) throws(VaultError) in
        try transaction.keep(own.id, hint: own.key, until: until)
      }
      let found = try #require(try store.find(ItemQuery()).first)
      #expect(kept.keptUntil == until && found.keptUntil == until)
      #expect(found.modified == own.modified && found.secretChanged == own.secretChanged)
      let record = try #require(try store.shape().bodies(RecordKind.item).first)
      #expect(record.suffix(4) == [0xAC, 2, 1, 7])
    }
    let generation = try store.information().generation
    _ = try store.write { (transaction) throws(VaultError) in
      try transaction.keep(own.id, hint: own.key, until: nil)
    }
    #expect(try store.information().generation == generation)
  }

  // MARK: From a backup

  /// Creates a store with an item, a backup of it, and the item as it was changed since, a day
  /// later.
  private func changedSince(
    _ clock: TestClock
  ) throws -> (fixture: StoreFixture, backup: String, old: Item) {
    let fixture = try StoreFixture(time: clock.source)
    let old = try fixture.store.add(item("a", Secret("old")))
    let backup = fixture.folder.file("backup.vault")
    _ = try fixture.store.backUp(to: backup)
    clock.pass(.seconds(86_400))
    _ = try fixture.store.modify(old.id, hint: old.key, [.secret(Secret("new"))])
    return (fixture, backup, old)
  }

  private func restore(
    _ store: FileStore, _ backup: String,
    place: (Item, FileTransaction) throws(VaultError) -> Placement
  ) throws(VaultError) -> Modified {
    try store.restoreItem(from: backup, key: { () throws(VaultError) in nil }) {
      (find) throws(VaultError) in
      guard let item = try find(ItemQuery()).first else {
        throw VaultError(.itemNotFound, "no item")
      }
      return item
    } place: { (item, transaction) throws(VaultError) in
      try place(item, transaction)
    }
  }

  @Test("an item from a backup is as old as its secret there, and is kept as long as it is told")
  func restored() throws {
    let clock = TestClock()
    let (fixture, backup, old) = try changedSince(clock)
    let store = fixture.store
    let deadline = clock.now.adding(.seconds(60))
    var judged: [Timestamp] = []
    let restored = try restore(store, backup) { (item, transaction) throws(VaultError) in
      judged = [item.secretChanged, transaction.now]
      return .here(until: deadline)
    }
    #expect(judged == [old.secretChanged, clock.now])
    #expect(restored.isHere && restored.item.keptUntil == deadline)
    let found = try #require(try store.find(ItemQuery(), withSecrets: true).first)
    #expect(found.secretChanged == old.secretChanged && found.modified == clock.now)
    #expect(found.keptUntil == deadline && found.secret?.isEqual(to: Secret("old")) == true)
    clock.pass(.seconds(60))
    #expect(try store.find(ItemQuery(), withSecrets: true).first?.secret == nil)
  }

  @Test("an item from a backup that belongs elsewhere, or is refused, is not written")
  func notRestored() throws {
    let (fixture, backup, old) = try changedSince(TestClock())
    let store = fixture.store
    let generation = try store.information().generation
    let moved = try restore(store, backup) { (_, _) in .elsewhere }
    #expect(!moved.isHere && moved.item.id == old.id)
    #expect(moved.item.secret?.isEqual(to: Secret("old")) == true)
    #expect(throws: VaultError(.policyRefused, "")) {
      try restore(store, backup) { (_, _) throws(VaultError) in
        throw VaultError(.policyRefused, "by the test")
      }
    }
    #expect(try store.information().generation == generation)
    #expect(
      try store.find(ItemQuery(), withSecrets: true).first?.secret?.isEqual(to: Secret("new"))
        == true)
  }

  @Test("an item comes back from a backup even if it has expired there")
  func restoredExpired() throws {
    let clock = TestClock()
    let fixture = try StoreFixture(time: clock.source)
    var given = try item("a", Secret("old"))
    given.keptUntil = clock.now.adding(.seconds(1))
    let old = try fixture.store.add(given)
    let backup = fixture.folder.file("backup.vault")
    _ = try fixture.store.backUp(to: backup)
    try fixture.store.remove(old.id, hint: old.key)
    clock.pass(.seconds(60))
    _ = try restore(fixture.store, backup) { (_, _) in .here(until: nil) }
    let found = try #require(try fixture.store.find(ItemQuery(), withSecrets: true).first)
    #expect(found.secret?.isEqual(to: Secret("old")) == true && found.keptUntil == nil)
  }
}
