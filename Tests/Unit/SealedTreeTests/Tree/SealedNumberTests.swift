import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

@testable import SealedTree

/// Numbers at their maximum: there is no next one, so its writer throws an error and writes
/// nothing.
@Suite("numbers at their ends")
struct SealedNumberTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    _ = try fixture.store.add(
      Item(server: HostName("h.example"), account: "ann", secret: Secret("first")))
  }

  /// Replaces the vault's head by a changed one that follows on the present one.
  private func changed(_ change: (inout Head) -> Void) throws -> FileStore {
    try fixture.store.changeHead(change)
    return fixture.store
  }

  private func add(
    _ store: FileStore, secret: Int = 3, account: String = ""
  ) throws(VaultError) {
    _ = try store.add(
      Item(
        server: HostName("new.example"), account: account,
        secret: Secret([UInt8](repeating: 1, count: secret))))
  }

  private let damaged = VaultError(.damaged, "")

  @Test("the last generation is read, and none is written after it")
  func generation() throws {
    let store = try changed { $0.generation = SealedNumber.end - 1 }
    #expect(try store.find(ItemQuery()).count == 1)
    #expect(throws: damaged) { try add(store) }
    #expect(throws: damaged) { try store.renameSlot(1, to: "another") }
    #expect(try store.find(ItemQuery()).count == 1)
    #expect(try store.information().generation == SealedNumber.end - 1)
  }

  @Test(
    "more items than can be counted, or fewer than are removed, are damage",
    arguments: [true, false])
  func items(isMost: Bool) throws {
    let store = try changed { $0.itemCount = isMost ? SealedNumber.end - 1 : 0 }
    let item = try #require(try store.find(ItemQuery()).first)
    if isMost {
      #expect(throws: damaged) { try add(store) }
    } else {
      #expect(throws: damaged) { try store.remove(item.id, hint: item.key, revision: nil) }
    }
    #expect(try store.find(ItemQuery()).count == 1)
  }

  @Test("a load that is too high splits no bucket for ever, and one that is too low is damage")
  func load() throws {
    var store = try changed { $0.directory.load = SealedNumber.end - 2 }
    try add(store)
    #expect(try store.find(ItemQuery()).count == 2)
    #expect(try store.information().bucketCount < 8)
    #expect(throws: damaged) { try add(store, account: "another") }
    store = try changed { $0.directory.load = 0 }
    let item = try #require(try store.find(ItemQuery()).first)
    #expect(throws: damaged) { try store.take(item.id, hint: item.key) }
  }

  @Test("where there is no row left for a large secret small ones still are stored")
  func largeSecrets() throws {
    let store = try changed { $0.nextLargeSecret = NodeID.largeSecretEnd }
    #expect(throws: damaged) { try add(store, secret: 2000) }
    try add(store, secret: 20)
    #expect(try store.verify().problems == [])
  }

  @Test("a history at the end of time takes no further secret")
  func history() throws {
    let item = try #require(try fixture.store.find(ItemQuery()).first)
    var writer = FieldWriter()
    writer.put(FieldTag.created, SealedNumber.lastMoment)
    writer.put(FieldTag.modified, SealedNumber.lastMoment)
    let body = ItemRecord.keyPrefix(item.key) + FieldWriter.field(item.id) + writer.finish()
    try fixture.store.plant(RecordKind.previousSecret, body)
    #expect(throws: damaged) {
      try fixture.store.modify(item.id, hint: item.key, [.secret(Secret("second"))])
    }
    let kept = try fixture.store.find(ItemQuery(), withSecrets: true).first?.secret
    #expect(kept?.array == Array("first".utf8))
  }

  @Test("what was removed at the end of time lets another of its key be removed for good alone")
  func trash() throws {
    let item = try #require(try fixture.store.find(ItemQuery()).first)
    let removed = RemovedRecord(ItemRecord(item), removed: SealedNumber.lastMoment)
    try fixture.store.plant(RecordKind.removedItem, removed.encoded)
    #expect(throws: damaged) { try fixture.store.remove(item.id, hint: item.key) }
    #expect(try fixture.store.find(ItemQuery()).map(\.id) == [item.id])
    try fixture.store.deleteForGood(item.id, hint: item.key)
    #expect(try fixture.store.find(ItemQuery()).isEmpty && fixture.store.verify().problems == [])
  }

  @Test("a clock that has gone wild dates nothing after what can be written")
  func clock() throws {
    let clock = VaultClock(
      TimeSource(now: { Timestamp(milliseconds: .max) }, session: TimeSource.system.session))
    #expect(clock.now() == SealedNumber.lastMoment)
  }

  @Test("a tree that two records name is damage to whoever would visit it twice")
  func twoRecords() throws {
    for name in ["a.example", "b.example"] {
      var writer = FieldWriter()
      writer.put(FieldTag.server, name)
      writer.put(FieldTag.treeLevel, UInt8(1))
      writer.put(FieldTag.treeNumber, UInt32(1))
      writer.put(FieldTag.treeDirectory, Directory().encoded)
      try fixture.store.plant(RecordKind.tree, writer.finish())
    }
    let store = fixture.store
    #expect(throws: damaged) { try store.find(ItemQuery()) }
    // A lookup that knows the place is not affected.
    #expect(
      try store.find(
        ItemQuery(key: Item(server: HostName("h.example"), account: "ann").key)
      ).count == 1)
    let item = Item(server: try HostName("a.example"), secret: Secret("x"))
    // Its number was never assigned: the next tree would get the same.
    #expect(throws: damaged) { _ = try store.add(item) }
  }
}
