import VaultReports
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

@testable import SealedTree

@Suite("salvaging record by record")
struct SalvageRecordTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.addItems(5)
  }

  /// Salvages the vault, and lists the new one, which verifies.
  private func salvage() throws -> (
    report: SalvageReport, items: [Item], store: FileStore
  ) {
    let (report, store) = try fixture.salvaged()
    #expect(try store.verify().problems == [])
    return (report, try store.find(ItemQuery(), withSecrets: true), store)
  }

  /// Returns the fields of an item, some of which are changed.
  private func body(_ changes: (inout FieldWriter) -> Void) -> [UInt8] {
    var writer = FieldWriter()
    writer.put(FieldTag.server, "bad.example")
    writer.put(FieldTag.id, ItemID().bytes)
    changes(&writer)
    return writer.finish()
  }

  @Test("a malformed record of any kind is left out and counted, and everything else is saved")
  func malformed() throws {
    let store = fixture.store
    try store.plant(RecordKind.item, body { $0.put(FieldTag.created, UInt64(1)) })
    try store.plant(RecordKind.item, body { $0.put(FieldTag.label, "no time") })
    try store.plant(RecordKind.previousSecret, body { $0.put(FieldTag.created, UInt64.max >> 1) })
    try store.plant(RecordKind.policyRule, body { $0.put(FieldTag.rulePosition, UInt32(1)) })
    var user = FieldWriter()
    user.put(FieldTag.server, "bad.example")
    user.put(FieldTag.port, UInt32(1))
    try store.plant(RecordKind.defaultUser, user.finish())
    try store.plant(RecordKind.tree, body { $0.put(FieldTag.treeLevel, UInt8(9)) })
    let found = try salvage()
    let secrets = Set(found.items.compactMap { $0.secret?.array })
    #expect(secrets == Set((0..<5).map { Array("secret \($0)".utf8) }))
    #expect(found.report.itemCount == 5 && found.report.unverifiedCount == 0)
    #expect(found.report.lostCount == 6 && found.report.lost.count >= 6)
    #expect(!found.report.isComplete)
    // The remaining vault can be used.
    _ = try found.store.add(
      Item(server: HostName("new.example"), secret: Secret("new")))
  }

  @Test("a malformed item of the trash is left out and counted, and everything else is saved")
  func malformedInTrash() throws {
    let body = body { $0.put(FieldTag.revision, UInt64.max) }
    try fixture.store.plant(RecordKind.removedItem, body)
    let found = try salvage()
    #expect(found.items.count == 5 && found.report.lostCount == 1)
  }

  @Test("an item whose secret does not open is left out and counted, and nothing else is")
  func sealedElsewhere() throws {
    let other = EpochKeys(vaultKey: [UInt8](repeating: 7, count: 32))
    let id = ItemID()
    var record = ItemRecord(
      Item(
        id: id, key: Item(server: try HostName("bad.example")).key, created: .now(),
        modified: .now()))
    record.item.revision = 1
    record.sealedSecret = other.seal(Secret("x"), use: .secret, item: id)[...]
    try fixture.store.plant(RecordKind.item, record.encoded)
    let found = try salvage()
    #expect(found.items.count == 5 && found.report.lostCount == 1)
    #expect(found.report.lost.map(\.item) == [id])
  }

  @Test("a revision that no vault reaches leaves the new vault room to go on")
  func revision() throws {
    var record = ItemRecord(
      Item(
        id: ItemID(), key: Item(server: try HostName("far.example")).key,
        created: .now(),
        modified: .now()))
    record.item.revision = SealedNumber.end - 1
    try fixture.store.plant(RecordKind.item, record.encoded)
    let found = try salvage()
    #expect(found.items.count == 6)
    _ = try found.store.add(
      Item(server: HostName("new.example"), secret: Secret("new")))
  }

  @Test("a bucket of several MiB comes out whole")
  func largeBucket() throws {
    let custom = Dictionary(
      uniqueKeysWithValues: (0..<64).map { ("name \($0)", String(repeating: "v", count: 4096)) })
    for number in 0..<8 {
      var item = Item(
        server: try HostName("large.example"), account: "\(number)",
        secret: Secret("large \(number)"))
      item.custom = custom
      _ = try fixture.store.add(item)
    }
    let found = try salvage()
    #expect(found.items.count == 13 && found.report.isComplete)
    #expect(found.items.count { $0.custom == custom } == 8)
  }
}
