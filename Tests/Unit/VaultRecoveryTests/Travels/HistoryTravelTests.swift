import VaultReports
import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel
@testable import VaultStore

/// Previous secrets stay with their items in every copy of the vault.
@Suite("a history's travels")
struct HistoryTravelTests {
  private static let large = Secret([UInt8](repeating: 7, count: 3000))

  private func add(
    _ account: String, _ secrets: [Secret], in store: FileStore
  ) throws -> Item {
    let host = try HostName("h.example")
    let added = try store.add(
      Item(server: host, account: account, secret: secrets[0]))
    for secret in secrets.dropFirst() { try set(secret, of: added, in: store) }
    return added
  }

  private func set(_ secret: Secret, of item: Item, in store: FileStore) throws {
    _ = try store.modify(item.id, hint: item.key, [.secret(secret)])
  }

  private func history(_ item: Item, in store: FileStore) throws -> [PreviousSecret] {
    try store.history(of: item.id, hint: item.key, withSecrets: true)
  }

  /// Returns the limit: a salvage without a head keeps everything under the usual one.
  private func limit(after journey: VaultOperation) -> Int {
    journey == .salvageWithoutHead ? 10 : 3
  }

  @Test("the histories are the same after it, and go on", arguments: VaultOperation.allCases)
  func travel(_ journey: VaultOperation) throws {
    let fixture = try StoreFixture()
    try fixture.store.setHistoryLimit(3)
    let secrets = [Secret("zero"), Secret("one"), Self.large, Secret("three"), Secret("four")]
    let item = try add("a", secrets, in: fixture.store)
    // Enough of them to have trees.
    try fixture.store.write { (transaction) throws(VaultError) in
      for number in 0..<60 {
        let other = try transaction.add(
          Item(server: item.server, account: "\(number)", secret: secrets[0]))
        for secret in secrets.dropFirst() {
          _ = try transaction.modify(other.id, hint: other.key, [.secret(secret)])
        }
      }
    }
    let before = try history(item, in: fixture.store)
    #expect(before.map { $0.secret?.count } == [5, 3000, 3])

    let store = try journey.take(fixture) { store in
      try store.setHistoryLimit(1)
      try store.remove(item.id, hint: item.key)
    }
    #expect(try store.verify().problems == [])
    let after = try history(item, in: store)
    #expect(after.map(\.id) == before.map(\.id) && after.map(\.set) == before.map(\.set))
    let isSame = after.map { $0.secret?.array } == before.map { $0.secret?.array }
    #expect(isSame)
    let all = try store.find(ItemQuery(), withSecrets: false)
    #expect(all.count == 61)
    for item in all { #expect(try history(item, in: store).count == 3) }

    #expect(try store.historyLimit == limit(after: journey))
    try store.setHistoryLimit(3)
    try set(Secret("five"), of: item, in: store)
    #expect(try history(item, in: store).map { $0.secret?.count } == [4, 5, 3000])
    try store.setHistoryLimit(0)
    #expect(try store.shape().largeSecretCount == 0)
    #expect(try store.verify().problems == [])
  }

  // MARK: One item from a backup

  /// Creates a vault whose item was changed since its backup.
  private func changedSince() throws -> (
    fixture: StoreFixture, backup: String, item: Item
  ) {
    let fixture = try StoreFixture()
    let item = try add("a", [Secret("one"), Self.large], in: fixture.store)
    let backup = fixture.folder.file("backup.vault")
    _ = try fixture.store.backUp(to: backup)
    return (fixture, backup, item)
  }

  private func restore(_ store: FileStore, _ backup: String) throws -> Item {
    try store.restoreItem(from: backup, key: { () throws(VaultError) in nil }) {
      (find) throws(VaultError) in
      guard let item = try find(ItemQuery()).first else {
        throw VaultError(.itemNotFound, "no item")
      }
      return item
    }.item
  }

  @Test("an item from a backup makes the secret here a previous one, and brings none along")
  func restored() throws {
    let (fixture, backup, item) = try changedSince()
    try set(Secret("new"), of: item, in: fixture.store)
    _ = try restore(fixture.store, backup)
    #expect(try history(item, in: fixture.store).map { $0.secret?.count } == [3, 3])
    #expect(try history(item, in: fixture.store).first?.secret?.isEqual(to: Secret("new")) == true)
    #expect(try fixture.store.shape().largeSecretCount == 1)
    // Restoring it again changes nothing.
    _ = try restore(fixture.store, backup)
    #expect(try history(item, in: fixture.store).count == 2)
    #expect(try fixture.store.shape().largeSecretCount == 1)
    #expect(try fixture.store.verify().problems == [])
  }

  @Test("an item that comes back from a backup has no history")
  func restoredDeleted() throws {
    let (fixture, backup, item) = try changedSince()
    try fixture.store.remove(item.id, hint: item.key)
    let restored = try restore(fixture.store, backup)
    #expect(restored.id == item.id)
    #expect(try history(item, in: fixture.store).isEmpty)
    #expect(try fixture.store.verify().problems == [])
  }

  @Test("an item whose secret is lost comes back from a backup; what is lost is no previous secret")
  func restoredLost() throws {
    let (fixture, backup, item) = try changedSince()
    try set(Secret([UInt8](repeating: 8, count: 2000)), of: item, in: fixture.store)
    try loseLargeSecret(fixture)
    _ = try restore(fixture.store, backup)
    let found = try fixture.store.find(ItemQuery(), withSecrets: true).first
    #expect(found?.secret?.isEqual(to: Self.large) == true)
    #expect(try history(item, in: fixture.store).map { $0.secret?.count } == [3])
    #expect(try fixture.store.verify().problems == [])
  }

  // MARK: Damage

  /// Removes the newest row of a large secret.
  private func loseLargeSecret(_ fixture: StoreFixture) throws {
    try fixture.store.locked { (file) throws(VaultError) in
      try file.connection.execute("DELETE FROM node WHERE id = (SELECT max(id) FROM node)")
    }
  }

  @Test("a previous secret that does not open is a problem of its item", arguments: [false, true])
  func damaged(isLarge: Bool) throws {
    let fixture = try StoreFixture()
    let old = isLarge ? Self.large : Secret("old")
    let item = try add("a", [old, Secret("new")], in: fixture.store)
    if isLarge {
      try loseLargeSecret(fixture)
    } else {
      try fixture.store.write { (transaction) throws(VaultError) in
        // Sealed like a present one, it is not a previous one.
        let wrong = transaction.keys.seal(old, use: .secret, item: item.id)
        let record = PreviousRecord(
          ItemRecord(item), sealedSecret: wrong, replaced: Timestamp(milliseconds: 1))
        for past in try transaction.pastRecords() { try transaction.remove(past) }
        try transaction.editor.insert(
          Record(kind: RecordKind.previousSecret, body: record.encoded), at: .item(item.key))
      }
    }
    let problems = try fixture.store.verify().problems
    #expect(problems.map(\.kind) == [.secret] && problems.map(\.item) == [item.id])
    #expect(problems.first?.reason.hasPrefix("a previous secret of it is lost") == true)
    #expect(throws: VaultError(.damaged, "")) { try history(item, in: fixture.store) }
    // The item itself is intact, and can be removed with everything it has: to the trash, which
    // reports that, and permanently.
    #expect(try fixture.store.find(ItemQuery(), withSecrets: true).first?.secret?.count == 3)
    try fixture.store.remove(item.id, hint: item.key)
    #expect(try fixture.store.verify().problems.map(\.item) == [item.id])
    try fixture.store.write { (transaction) throws(VaultError) in
      _ = try transaction.emptyTrash(ItemQuery())
    }
    #expect(try fixture.store.verify().problems == [])
  }

  @Test("a salvage leaves out a lost previous secret, names it, and keeps its item")
  func salvagedLost() throws {
    let fixture = try StoreFixture()
    let item = try add("a", [Secret("one"), Self.large, Secret("new")], in: fixture.store)
    try loseLargeSecret(fixture)
    let (report, store) = try fixture.salvaged()
    #expect(report.itemCount == 1 && report.lost.map(\.kind) == [.record])
    #expect(report.lost.first?.reason.hasPrefix("a previous secret") == true)
    #expect(try history(item, in: store).map { $0.secret?.count } == [3])
    #expect(try store.verify().problems == [])
  }

  @Test("a salvage keeps nothing of items that it does not keep, and rejoins what a rename parted")
  func salvagedParted() throws {
    let fixture = try StoreFixture()
    let secrets = ["1", "22", "333", "4444", "now"].map { Secret($0) }
    let item = try add("a", secrets, in: fixture.store)
    let gone = try add("gone", [Secret("x"), Secret("y")], in: fixture.store)
    try fixture.store.write { (transaction) throws(VaultError) in
      let items = try transaction.find(ItemQuery())
      // Like buckets before a rename: a copy of every record, and one that does not exist any more.
      for past in try transaction.pastRecords() where past.id == item.id {
        var record = try PreviousRecord(decoding: past.body, 0..<past.body.count)
        if record.secretCount == 3 { try transaction.remove(past) }
        record.key.account = "older"
        try transaction.editor.insert(
          Record(kind: RecordKind.previousSecret, body: record.encoded), at: .item(record.key))
      }
      // Like buckets before a deletion.
      for item in items where item.id == gone.id {
        _ = try transaction.editor.replace(at: .item(item.key), with: nil) {
          $0.kind == RecordKind.item
            && $0.body.has(ItemRecord.keyPrefix(item.key), at: 0..<$0.body.count)
        }
      }
      transaction.editor.head.itemCount -= 1
      transaction.editor.head.historyLimit = 3
    }
    let (report, store) = try fixture.salvaged()
    #expect(report.isComplete && report.itemCount == 1)
    let found = try history(item, in: store)
    #expect(found.map { $0.secret?.count } == [4, 3, 2])
    #expect(try store.shape().records.count == 4)
  }
}
