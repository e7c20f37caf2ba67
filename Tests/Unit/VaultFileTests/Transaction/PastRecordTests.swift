import VaultReports
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel
@testable import VaultStore

@testable import SealedTree

/// Previous secrets, and removed items.
@Suite("what is kept of items as they were")
struct PastRecordTests {
  private static let set = Timestamp(milliseconds: 1000)

  /// Puts a previous secret of an item into the file.
  private func plantPrevious(
    _ secret: Secret, of item: Item, replaced: Int64, _ store: FileStore
  ) throws(VaultError) {
    try store.write { (transaction) throws(VaultError) in
      var record = ItemRecord(item)
      try transaction.seal(secret, into: &record)
      var writer = FieldWriter()
      writer.put(FieldTag.created, Self.set)
      writer.put(FieldTag.modified, Timestamp(milliseconds: replaced))
      if let large = record.largeSecret {
        writer.put(FieldTag.largeSecret, large.encoded)
      } else {
        let sealed = transaction.keys.seal(secret, use: .previousSecret, item: item.id)
        writer.put(FieldTag.sealedSecret, sealed)
      }
      let body = ItemRecord.keyPrefix(item.key) + FieldWriter.field(item.id) + writer.finish()
      try transaction.editor.insert(
        Record(kind: RecordKind.previousSecret, body: body), at: .item(item.key))
    }
  }

  private func past(_ store: FileStore) throws(VaultError) -> [PastRecord] {
    try store.write { (transaction) throws(VaultError) in try transaction.pastRecords() }
  }

  private func remove(_ past: PastRecord, _ store: FileStore) throws(VaultError) {
    try store.write { (transaction) throws(VaultError) in try transaction.remove(past) }
  }

  @Test("they are found with their item's key and the age of their secret, and removed one by one")
  func each() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let item = try store.add(
      Item(server: HostName("h.example"), account: "a", secret: Secret("now")))
    let gone = try store.add(
      Item(
        server: HostName("gone.example"), secret: Secret([UInt8](repeating: 1, count: 3000))))
    try plantPrevious(Secret("older"), of: item, replaced: 2000, store)
    let large = Secret([UInt8](repeating: 2, count: 2000))
    try plantPrevious(large, of: item, replaced: 3000, store)
    try store.remove(gone.id, hint: gone.key)
    #expect(try store.verify().problems == [] && store.shape().largeSecretCount == 2)

    let all = try past(store)
    #expect(all.count == 3)
    let previous = all.filter { $0.kind == .previousSecret }
    #expect(previous.count == 2)
    for record in previous {
      #expect(record.id == item.id && record.key == item.key && record.secretChanged == Self.set)
    }
    let removed = try #require(all.first { $0.kind == .removedItem })
    #expect(removed.id == gone.id && removed.key == gone.key)
    #expect(removed.secretChanged == gone.secretChanged)

    for (index, record) in all.enumerated() {
      let rows = try store.shape().largeSecretCount
      try remove(record, store)
      #expect(try past(store).count == 2 - index)
      #expect(try store.shape().largeSecretCount == rows - (record.largeSecret == nil ? 0 : 1))
      #expect(try store.verify().problems == [])
      #expect(throws: VaultError(.itemNotFound, "")) { try remove(record, store) }
    }
    #expect(try store.shape().records.count == 1)
  }

  @Test("what is kept of a removed item stays when an item of its key goes")
  func removed() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let gone = try store.add(
      Item(server: HostName("h.example"), secret: Secret("gone")))
    try store.remove(gone.id, hint: gone.key)
    let item = try store.add(Item(server: HostName("h.example"), secret: Secret("now")))
    try plantPrevious(Secret("older"), of: item, replaced: 2000, store)
    try store.deleteForGood(item.id, hint: item.key)
    #expect(try past(store).map(\.id) == [gone.id])
  }

  @Test("those of a golden vault are what its listing says")
  func golden() throws {
    let fixture = try StoreFixture(golden: "small")
    try fixture.store.unlock(with: .keyFile(try fixture.keyFile()), minimumCost: .minimum)
    let listing = try Golden.listing("small")
    let all = try past(fixture.store)
    func values(_ list: String, _ time: String) -> Set<[JSON?]> {
      Set(listing.list(list).map { [$0["id"], $0["account"], $0[time]] })
    }
    func values(_ kind: PastRecord.Kind) -> Set<[JSON?]> {
      Set(
        all.filter { $0.kind == kind }.map {
          [
            .text($0.id.bytes.hex), .text($0.key.account), .number($0.secretChanged.milliseconds),
          ]
        })
    }
    #expect(values(.previousSecret) == values("previous", "set"))
    #expect(values(.removedItem) == values("removed", "created"))
    #expect(all.count == 5)
  }

  @Test("one without the time of its secret is damaged")
  func malformed() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let item = Item(account: "a")
    let body = ItemRecord.keyPrefix(item.key) + FieldWriter.field(item.id)
    try store.plant(RecordKind.previousSecret, body)
    #expect(throws: VaultError(.damaged, "")) { try past(store) }
    #expect(try store.verify().problems.map(\.kind) == [.record])
  }

  @Test("a transaction tells all defaults as it sees them")
  func defaults() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let spaces = [try ProtectionSpace(host: "a.example"), try ProtectionSpace(host: "b.example")]
    try store.setDefaultUser("ada", for: spaces[0])
    try store.write { (transaction) throws(VaultError) in
      try transaction.setDefaultUser("bob", for: spaces[1])
      #expect(try transaction.defaults() == [spaces[0]: "ada", spaces[1]: "bob"])
      try transaction.setDefaultUser(nil, for: spaces[0])
      #expect(try transaction.defaults() == [spaces[1]: "bob"])
    }
  }
}
