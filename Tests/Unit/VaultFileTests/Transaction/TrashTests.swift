import VaultReports
import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel
@testable import VaultStore

/// The content of the file after an item was deleted, and its retention.
@Suite("the trash in the file")
struct TrashTests {
  private static let day = Duration.seconds(86_400)
  private let clock: TestClock
  private let fixture: StoreFixture
  private var store: FileStore { fixture.store }

  init() throws {
    clock = TestClock()
    fixture = try StoreFixture(time: clock.source)
    // After the vault was made, whose time is never earlier.
    clock.pass(.seconds(1))
  }

  private func large(_ byte: UInt8) -> Secret { Secret([UInt8](repeating: byte, count: 3000)) }

  /// Adds an item that had these secrets, and has the last one.
  private func add(
    _ account: String, _ secrets: Secret..., on host: String = "h.example"
  ) throws -> Item {
    var new = Item(
      server: try HostName(host), account: account, secret: secrets[0], protocol: .https)
    new.refreshToken = Secret("token")
    let added = try store.add(new)
    for secret in secrets.dropFirst() {
      _ = try store.modify(added.id, hint: added.key, [.secret(secret)])
    }
    return added
  }

  private func trash() throws -> [RemovedItem] { try store.trash(ItemQuery()) }

  private func restore(_ removed: RemovedItem) throws(VaultError) -> Item {
    try store.write { (transaction) throws(VaultError) in
      try transaction.restore(removed, until: nil)
    }
  }

  /// Writes to the bucket of the host's items without changing them.
  private func pass(by host: String = "h.example") throws {
    _ = try add("passing", Secret("by"), on: host)
  }

  // MARK: There and back

  @Test("a deleted item is found by no lookup, list or count, and comes back whole")
  func whole() throws {
    let added = try add("a", Secret("one"), large(2), Secret("three"))
    let item = try store.modify(
      added.id, hint: added.key, [.label("label"), .comment("comment"), .custom("name", "value")])
    let history = try store.history(of: item.id, hint: item.key, withSecrets: true)
    let before = try #require(store.find(ItemQuery(), withSecrets: true).first)
    clock.pass(.seconds(60))
    try store.remove(item.id, hint: item.key)

    #expect(try store.find(ItemQuery()).isEmpty && store.find(ItemQuery(key: item.key)).isEmpty)
    #expect(try store.information().itemCount == 0)
    #expect(throws: VaultError(.itemNotFound, "")) {
      try store.history(of: item.id, hint: item.key, withSecrets: false)
    }
    let removed = try #require(trash().first)
    #expect(try trash().count == 1 && removed.item.id == item.id && removed.item.secret == nil)
    #expect(
      removed.removed == clock.now && removed.restorableUntil == clock.now.adding(Self.day * 30))
    #expect(try store.verify().problems == [] && store.shape().largeSecretCount == 1)

    clock.pass(Self.day)
    let generation = try store.information().generation
    _ = try restore(removed)
    let after = try #require(store.find(ItemQuery(), withSecrets: true).first)
    #expect(after.id == before.id && after.key == before.key && after.label == "label")
    #expect(after.comment == "comment" && after.custom == ["name": "value"])
    #expect(after.created == before.created && after.modified == before.modified)
    #expect(after.secretChanged == before.secretChanged && after.revision == generation + 1)
    #expect(after.hasSameSecret(as: before) && after.refreshToken?.count == 5)
    let back = try store.history(of: item.id, hint: item.key, withSecrets: true)
    #expect(back.map(\.id) == history.map(\.id))
    let isSame = back.map { $0.secret?.array } == history.map { $0.secret?.array }
    #expect(isSame)
    #expect(try trash().isEmpty && store.information().itemCount == 1)
    #expect(try store.verify().problems == [])
    #expect(throws: VaultError(.itemNotFound, "")) { try restore(removed) }
  }

  @Test("a new item of the same key has none of the history, and is in the way")
  func inTheWay() throws {
    let old = try add("a", Secret("one"), Secret("two"))
    try store.remove(old.id, hint: old.key)
    let new = try add("a", Secret("new"))
    #expect(try store.history(of: new.id, hint: new.key, withSecrets: true).isEmpty)
    let removed = try #require(trash().first)
    do throws(VaultError) {
      _ = try restore(removed)
      Issue.record("restored over another one")
    } catch {
      #expect(error.code == .duplicateItem && error.candidates.map(\.id) == [new.id])
    }
    _ = try store.modify(new.id, hint: new.key, [.account("b")])
    #expect(try restore(removed).id == old.id)
    #expect(try store.history(of: old.id, hint: old.key, withSecrets: false).count == 1)
    #expect(try store.verify().problems == [])
  }

  @Test("an item that a backup brought back meanwhile keeps its id, and each its history")
  func twiceOneID() throws {
    let item = try add("a", Secret("one"), Secret("two"))
    let backup = fixture.folder.file("backup.vault")
    _ = try store.backUp(to: backup)
    try store.remove(item.id, hint: item.key)
    let back = try store.restoreItem(from: backup, key: { () throws(VaultError) in nil }) {
      (find) throws(VaultError) in try find(ItemQuery())[0]
    }.item
    #expect(back.id == item.id)
    #expect(try store.history(of: item.id, hint: item.key, withSecrets: false).isEmpty)
    _ = try store.modify(item.id, hint: item.key, [.secret(Secret("three"))])
    _ = try store.modify(item.id, hint: item.key, [.account("renamed")])
    // The key is free, but the id is not.
    let removed = try #require(trash().first)
    #expect(throws: VaultError(.duplicateItem, "")) { try restore(removed) }
    _ = try store.modify(item.id, hint: back.key, [.account("a")])
    try store.remove(item.id, hint: item.key)
    let both = try trash()
    #expect(both.map(\.id.item) == [item.id, item.id] && both[0].removed > both[1].removed)
    func histories() throws -> [Int] {
      try both.map { removed in
        try store.shape().records.count {
          $0.kind == RecordKind.previousSecret
            && (try? PreviousRecord(decoding: $0.body, 0..<$0.body.count).removed)
              == removed.removed
        }
      }
    }
    #expect(try histories() == [1, 1])
    _ = try restore(both[1])
    #expect(try store.find(ItemQuery(), withSecrets: true).first?.secret?.count == 3)
    #expect(try trash().map(\.id) == [both[0].id])
    #expect(try store.verify().problems == [])
  }

  // MARK: Limits

  @Test("of one key the last ten are kept, and the rows of others are freed")
  func ten() throws {
    var ids: [ItemID] = []
    for number in 0..<13 {
      let item = try add("a", large(UInt8(number)), large(UInt8(100 + number)))
      try store.remove(item.id, hint: item.key)
      ids.append(item.id)
    }
    clock.pass(.seconds(1))
    let other = try add("b", Secret("x"))
    try store.remove(other.id, hint: other.key)
    #expect(try trash().map(\.item.id) == [other.id] + ids.reversed().prefix(10))
    #expect(try store.shape().largeSecretCount == 20)
    #expect(try store.verify().problems == [])
    // In one transaction, and so perhaps in one millisecond, the order is the same.
    let all = try store.write { (transaction) throws(VaultError) in
      for number in 0..<12 {
        let new = Item(account: "\(number % 1)", secret: Secret("\(number)"))
        let item = try transaction.add(new)
        try transaction.remove(item.id, hint: item.key)
      }
      return try transaction.trash(ItemQuery(key: Item(account: "0").key))
    }
    #expect(all.count == 10 && Set(all.map(\.removed)).count == 10)
  }

  @Test("what has been there for too long goes with the next write that passes by, and no other")
  func age() throws {
    let host = try HostName("h.example")
    for number in 0..<200 { try pass(by: "other\(number).example") }
    let item = try add("a", Secret("one"), large(2), large(3))
    try store.remove(item.id, hint: item.key)
    clock.pass(Self.day * 30 - .seconds(1))
    #expect(try trash().count == 1)
    try pass()
    let removed = try #require(trash().first)
    clock.pass(.seconds(1))
    // It has expired by now, and nobody can see whether it is still there.
    #expect(try trash().isEmpty)
    #expect(throws: VaultError(.itemNotFound, "")) { try restore(removed) }
    #expect(try store.shape().largeSecretCount == 2)
    // Most writes touch another bucket.
    var passed = 0
    while try store.shape().largeSecretCount == 2, passed < 100 {
      passed += 1
      try pass(by: "elsewhere\(passed).example")
    }
    if try store.shape().largeSecretCount == 2 {
      _ = try store.add(Item(server: host, account: "b"))
    }
    #expect(passed > 0)
    #expect(try store.shape().records.allSatisfy { $0.kind == RecordKind.item })
    #expect(try store.shape().largeSecretCount == 0 && store.verify().problems == [])
  }

  @Test("a write beside a full trash changes as many rows as beside an empty one")
  func flat() throws {
    try store.write { (transaction) throws(VaultError) in
      for number in 0..<3000 {
        let item = try transaction.add(
          Item(server: HostName("h\(number).example"), secret: Secret("x")))
        if number % 3 > 0 { try transaction.remove(item.id, hint: item.key) }
      }
    }
    #expect(try trash().count == 2000)
    clock.pass(Self.day * 60)
    func sealed() throws -> [UInt64: [UInt8]] {
      try store.locked { (file) throws(VaultError) in
        var (ids, rows): ([UInt64], [UInt64: [UInt8]]) = ([], [:])
        try file.connection.run(.selectNodeIDs) { ids.append($0.integer(0)) }
        for id in ids {
          try file.connection.run(.selectNode, .integer(id)) { rows[id] = $0.blob(0) }
        }
        return rows
      }
    }
    let before = try sealed()
    try pass()
    let after = try sealed()
    // The bucket and its chunk, and those that became too empty when their trash was removed.
    #expect(after.count { before[$0.key] != $0.value } < 60)
    #expect(try store.shape().records.count > 2900)
  }

  @Test("an item is in the trash no longer than it would have been kept itself")
  func expiry() throws {
    var given = Item(account: "own", secret: Secret("x"))
    given.expires = clock.now.adding(Self.day)
    let own = try store.add(given)
    given = Item(account: "policy", secret: Secret("x"))
    given.keptUntil = clock.now.adding(Self.day * 2)
    let policy = try store.add(given)
    for item in [own, policy] { try store.remove(item.id, hint: item.key) }
    #expect(try Set(trash().map(\.restorableUntil)) == Set([given.keptUntil, own.expires]))
    clock.pass(Self.day)
    #expect(try trash().map(\.item.id) == [policy.id])
    clock.pass(Self.day)
    #expect(try trash().isEmpty)
    // Items that have already expired are not kept.
    given = Item(account: "over", secret: Secret("x"))
    given.expires = clock.now
    let over = try store.add(given)
    try store.remove(over.id, hint: over.key)
    try store.write { (transaction) throws(VaultError) in
      #expect(try transaction.pastRecords().allSatisfy { $0.id != over.id })
    }
  }

  @Test("the days are a number of the vault's own, and those that are fewer hold at once")
  func days() throws {
    #expect(try store.trashDays == 30)
    let items = try (0..<3).map { try add("\($0)", large(UInt8($0))) }
    for item in items {
      try store.remove(item.id, hint: item.key)
      clock.pass(Self.day)
    }
    func set(_ days: Int) throws(VaultError) {
      try store.write { (transaction) throws(VaultError) in try transaction.setTrashDays(days) }
    }
    let generation = try store.information().generation
    try set(30)
    #expect(try store.information().generation == generation)
    for days in [-1, 366, .max] {
      #expect(throws: VaultError(.invalidArgument, "")) { try set(days) }
    }
    try set(2)
    #expect(try trash().map(\.item.id) == [items[2].id])
    #expect(try store.shape().largeSecretCount == 1)
    // Removed ones do not come back with more days.
    try set(365)
    #expect(try store.trashDays == 365 && trash().count == 1)
    #expect(try trash().first?.restorableUntil == trash().first?.removed.adding(Self.day * 365))
    try set(0)
    #expect(try store.shape().rows.isEmpty && trash().isEmpty)
    let item = try add("none", Secret("x"), Secret("y"))
    try store.remove(item.id, hint: item.key)
    #expect(try store.shape().rows.isEmpty && store.verify().problems == [])
    try set(30)
    #expect(try store.trashDays == 30)
  }

  @Test("emptied, it frees every row, and the file is as small as before once it is compacted")
  func emptied() throws {
    _ = try add("stays", Secret("x"))
    let before = try store.compact().after
    let items = try (0..<40).map { try add("\($0)", large(1), large(2), on: "h\($0).example") }
    for item in items { try store.remove(item.id, hint: item.key) }
    _ = try store.write { (transaction) throws(VaultError) in
      try transaction.emptyTrash(ItemQuery(key: items[7].key))
    }
    #expect(try trash().count == 39 && store.shape().largeSecretCount == 78)
    let count = try store.write { (transaction) throws(VaultError) in
      try transaction.emptyTrash(ItemQuery())
    }
    #expect(count == 39)
    #expect(try store.shape().records.count == 1 && store.shape().largeSecretCount == 0)
    #expect(try store.compact().after <= before)
  }

  @Test("the number of previous secrets that items keep holds for those in the trash, too")
  func historyLimit() throws {
    let item = try add("a", Secret("one"), large(2), Secret("three"), Secret("four"))
    try store.remove(item.id, hint: item.key)
    try store.setHistoryLimit(1)
    #expect(try store.shape().largeSecretCount == 0)
    _ = try restore(#require(trash().first))
    let left = try store.history(of: item.id, hint: item.key, withSecrets: true)
    #expect(left.map { $0.secret?.count } == [5])
  }

  @Test("deleted items of one host that are many have trees, and come back from there")
  func trees() throws {
    let items = try store.write { (transaction) throws(VaultError) in
      var items: [Item] = []
      for number in 0..<300 {
        var item = Item(
          server: try HostName("h.example"), account: "a", secret: Secret("x"))
        item.path = "/\(number)"
        items.append(try transaction.add(item))
      }
      for item in items { try transaction.remove(item.id, hint: item.key) }
      return items
    }
    #expect(try store.shape().trees.count == 3 && store.find(ItemQuery()).isEmpty)
    var query = ItemQuery(key: items[0].key)
    query.path = .any
    query.limit = 7
    #expect(try store.trash(query).count == 7)
    try store.write { (transaction) throws(VaultError) in
      for removed in try transaction.trash(ItemQuery()) {
        _ = try transaction.restore(removed, until: nil)
      }
    }
    #expect(try Set(store.find(ItemQuery()).map(\.id)) == Set(items.map(\.id)))
    #expect(try store.information().itemCount == 300 && store.verify().problems == [])
  }

  // MARK: Damage and copies

  @Test("a lost secret in the trash is told by a verification, and hinders nothing else")
  func lost() throws {
    let item = try add("a", Secret("one"), large(2))
    try store.remove(item.id, hint: item.key)
    try store.locked { (file) throws(VaultError) in
      try file.connection.execute("UPDATE node SET sealed = zeroblob(3584) WHERE id > 1 << 62")
    }
    let problems = try store.verify().problems
    #expect(problems.map(\.kind) == [.secret] && problems.map(\.item) == [item.id])
    #expect(problems.first?.reason.hasPrefix("in the trash, its secret is lost") == true)
    try pass()
    try store.write { (transaction) throws(VaultError) in
      _ = try transaction.emptyTrash(ItemQuery())
    }
    #expect(try store.verify().problems == [])
  }

  @Test("a removed item without the time of its removal is damaged")
  func malformed() throws {
    var record = ItemRecord(Item(account: "a"))
    record.item.revision = 1
    try store.plant(RecordKind.removedItem, record.encoded)
    #expect(throws: VaultError(.damaged, "")) { try trash() }
    #expect(try store.verify().problems.map(\.kind) == [.record])
  }

  @Test("a field of an item that has the number of a removal's time is kept as it is")
  func foreignField() throws {
    var item = Item(account: "a")
    item.revision = 1
    let body = ItemRecord(item).encoded(removed: clock.now)
    try store.write { (transaction) throws(VaultError) in
      try transaction.editor.insert(Record(kind: RecordKind.item, body: body), at: .item(item.key))
      try transaction.editor.countItems(1)
    }
    _ = try store.modify(item.id, hint: item.key, [.comment("x")])
    #expect(try store.verify().problems == [] && trash().isEmpty)
    try store.remove(item.id, hint: item.key)
    #expect(try trash().count == 1 && store.verify().problems == [])
  }
}
