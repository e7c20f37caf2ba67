import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel
import VaultReports
@testable import VaultStore

@testable import SealedTree

/// The file's entries about its changes.
@Suite("the log in the file")
struct LogTests {
  private static let day = Duration.seconds(86_400)
  private let clock: TestClock
  private let fixture: StoreFixture
  private var store: FileStore { fixture.store }

  init() throws {
    clock = TestClock()
    fixture = try StoreFixture(time: clock.source, isLogged: true)
    // After the vault was made, whose time is never earlier.
    clock.pass(.seconds(1))
  }

  private func new(
    _ account: String, on host: String = "h.example"
  ) throws(VaultError) -> Item {
    Item(
      server: try HostName(host), account: account, secret: Secret("first"), protocol: .https)
  }

  private func log(since start: Timestamp? = nil, limit: Int? = nil) throws -> [LoggedChange] {
    try store.log(since: start, limit: limit) { _ in true }
  }

  private func allOperations() throws -> [LoggedChange.Operation] { try log().map(\.operation) }

  // MARK: What is logged

  @Test("an addition is logged with the item, the time, the generation and the author")
  func added() throws {
    let item = try store.add(new("ann"))
    let change = try #require(log().first)
    #expect(try log().count == 1 && change.operation == .added && change.itemCount == 1)
    #expect(change.id == item.id && change.time == clock.now && change.name.isEmpty)
    #expect(try change.generation == store.information().generation)
    #expect(change.key?.server == item.server && change.key?.account == "ann")
    #expect(change.key?.protocol == .https && change.author == LogAuthor.current)
    #expect(!change.author.program.isEmpty && !change.author.user.isEmpty)
  }

  @Test("each change of an item is logged as what it was, the newest first")
  func operations() throws {
    let item = try store.add(new("ann"))
    for changes in [
      [ItemChange.label("label"), .comment("comment"), .custom("name", "value")],
      [.secret(Secret("second"))], [.secret(Secret("first"))], [.account("bob")],
    ] {
      clock.pass(.seconds(1))
      _ = try store.modify(item.id, hint: item.key, changes)
    }
    clock.pass(.seconds(1))
    try store.remove(item.id, hint: item.key)
    let removed = try #require(store.trash(ItemQuery()).first)
    clock.pass(.seconds(1))
    _ = try store.write { (transaction) throws(VaultError) in
      try transaction.restore(removed, until: nil)
    }
    clock.pass(.seconds(1))
    try store.deleteForGood(item.id, hint: removed.item.key)
    let changes = try log()
    #expect(
      changes.map(\.operation)
        == [.purged, .restored, .removed, .modified, .reverted, .modified, .modified, .added])
    #expect(changes.allSatisfy { $0.id == item.id })
    #expect(
      changes.map(\.attributes).reversed()
        == [
          [], ["label", "comment", "custom"], ["secret"], ["secret"], ["account"], [], [], [],
        ])
    #expect(
      changes.map { $0.key?.account }
        == ["bob", "bob", "bob", "bob", "ann", "ann", "ann", "ann"])
  }

  @Test("an item that is moved to the session, or changed by nothing, is logged so")
  func moved() throws {
    let item = try store.add(new("ann"))
    _ = try store.modify(item.id, hint: item.key, [.label(item.label)])
    #expect(try log().count == 1)
    _ = try store.take(item.id, hint: item.key)
    #expect(try allOperations() == [.moved, .added])
  }

  @Test("a failed transaction logs nothing")
  func failed() throws {
    _ = try store.add(new("ann"))
    #expect(throws: VaultError(.duplicateItem, "")) {
      try store.write { (transaction) throws(VaultError) in
        _ = try transaction.add(new("bob"))
        _ = try transaction.add(new("ann"))
      }
    }
    #expect(try allOperations() == [.added])
  }

  @Test("a default is logged with its space and user")
  func defaults() throws {
    let space = try ProtectionSpace(host: "h.example", protocol: .https)
    try store.setDefaultUser("ann", for: space)
    try store.setDefaultUser("ann", for: space)
    clock.pass(.seconds(1))
    try store.setDefaultUser(nil, for: space)
    #expect(try allOperations() == [.defaultCleared, .defaultSet])
    #expect(
      try log().allSatisfy {
        $0.key?.account == "ann" && $0.key?.server == space.host && $0.id == nil
      })
  }

  @Test("rules and slots are logged by their names, a rule that only moves is not")
  func rulesAndSlots() throws {
    func set(_ rules: [PersistencePolicy.Rule]) throws {
      clock.pass(.seconds(1))
      let policy = try PersistencePolicy(rules: rules)
      try store.write { (transaction) throws(VaultError) in try transaction.setPolicy(policy) }
    }
    var (one, two) = (PersistencePolicy.Rule(name: "one"), PersistencePolicy.Rule(name: "two"))
    (one.maximumPersistence, two.maximumPersistence) = (.session, .session)
    try set([one])
    try set([two, one])
    one.maximumPersistence = Persistence.none
    try set([two, one])
    try set([two])
    clock.pass(.seconds(1))
    let slot = try store.addSlot(.keyFile(KeyFile()), name: "spare", cost: .minimum)
    clock.pass(.seconds(1))
    _ = try store.renameSlot(slot.id, to: "other")
    clock.pass(.seconds(1))
    try store.removeSlot(slot.id)
    let changes = try Array(log().reversed())
    #expect(
      changes.map(\.operation) == [
        .ruleAdded, .ruleAdded, .ruleChanged, .ruleRemoved, .slotAdded, .slotChanged, .slotRemoved,
      ])
    #expect(changes.map(\.name) == ["one", "two", "one", "one", "spare", "other", "other"])
  }

  @Test("a transaction of many changes has one entry for each kind, and of few one for each change")
  func summary() throws {
    func add(_ count: Int, _ prefix: String) throws {
      clock.pass(.seconds(1))
      try store.write { (transaction) throws(VaultError) in
        for number in 1...count { _ = try transaction.add(new("ann", on: "\(prefix)\(number)")) }
      }
    }
    try add(LogDraft.mostSingle, "few")
    let single = try log()
    #expect(single.allSatisfy { $0.itemCount == 1 && $0.id != nil })
    // A random key spreads the entries, and a bucket that gets far too many drops some.
    #expect((LogDraft.mostSingle / 2...LogDraft.mostSingle).contains(single.count))
    try add(LogDraft.mostSingle + 1, "many")
    let change = try #require(log().first)
    #expect(try log().dropFirst().allSatisfy { $0.itemCount == 1 })
    #expect(change.operation == .added && change.itemCount == LogDraft.mostSingle + 1)
    #expect(change.id == nil && change.key == nil)
  }

  @Test("no entry has a secret")
  func noSecret() throws {
    let secret = "s3cret-that-is-nowhere-else"
    var item = try new("ann")
    item.secret = Secret(secret)
    item.refreshToken = Secret(secret)
    let added = try store.add(item)
    _ = try store.modify(added.id, hint: added.key, [.secret(Secret(secret + "2"))])
    let bodies = try store.shape().bodies(RecordKind.logEntry)
    #expect(bodies.count == 2)
    for body in bodies {
      #expect(!body.has(Array(secret.utf8), anywhere: ()))
    }
  }

  // MARK: Where it lies

  @Test("an entry lies in the bucket of its item, of any size of the vault")
  func place() throws {
    try store.write { (transaction) throws(VaultError) in
      for number in 0..<3000 { _ = try transaction.add(new("ann", on: "h\(number).example")) }
    }
    for number in 0..<5 { _ = try store.add(new("bob", on: "n\(number).example")) }
    let entries = try store.locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        try reader.log(after: Timestamp(milliseconds: 0), limit: nil)
      }
    }
    let located = entries.filter { $0.change.id != nil }
    #expect(located.count == 5)
    for entry in located {
      let key = try #require(entry.change.key)
      for level in 0...1 {
        #expect(entry.route.key(level: level) == Route.item(key).key(level: level))
      }
    }
    #expect(try store.verify().problems.isEmpty)
  }

  // MARK: Bounds

  @Test("an entry is dropped by a write to its bucket after the days that the vault keeps it")
  func age() throws {
    _ = try store.add(new("ann"))
    clock.pass(Self.day * LoggedChange.defaultDays - .seconds(1))
    #expect(try allOperations() == [.added])
    clock.pass(.seconds(1))
    #expect(try log().isEmpty)
    #expect(try store.shape().bodies(RecordKind.logEntry).count == 1)
    _ = try store.add(new("bob"))
    #expect(try store.shape().bodies(RecordKind.logEntry).count == 1)
    #expect(try log().map { $0.key?.account } == ["bob"])
  }

  @Test("an item that changes often keeps its newest entries, and drops none of its neighbours'")
  func busyItem() throws {
    _ = try store.add(new("ann"))
    let busy = try store.add(new("busy"))
    for number in 1...100 {
      clock.pass(.seconds(1))
      _ = try store.modify(busy.id, hint: busy.key, [.comment("\(number)")])
    }
    let changes = try log()
    #expect(changes.count { $0.id == busy.id } == TreeEditor.longestLogOfItem)
    #expect(changes.first?.time == clock.now)
    #expect(changes.contains { $0.key?.account == "ann" })
    #expect(try store.verify().problems.isEmpty)
  }

  @Test("items that come and go do not make the file grow")
  func churn() throws {
    func size() throws -> Int { try store.information().byteCount }
    func churn(_ count: Int) throws {
      try store.write { (transaction) throws(VaultError) in
        for host in 0..<8 { _ = try transaction.add(new("stays\(count)", on: "s\(host).example")) }
      }
      for number in 0..<count {
        let item = try store.add(new("\(number)", on: "\(number).example"))
        try store.deleteForGood(item.id, hint: item.key)
      }
    }
    try churn(600)
    let entries = try store.shape().bodies(RecordKind.logEntry).count
    try churn(601)
    #expect(try store.shape().bodies(RecordKind.logEntry).count < entries + 100)
    #expect(try store.verify().problems.isEmpty)
  }

  @Test("the days can be set, 0 removes the log and turns it off, and others are read again")
  func days() throws {
    #expect(try store.logDays == LoggedChange.defaultDays)
    for number in 0..<200 { _ = try store.add(new("ann", on: "h\(number).example")) }
    clock.pass(Self.day * 2)
    _ = try store.add(new("bob"))
    try store.setLogDays(1)
    #expect(try store.shape().bodies(RecordKind.logEntry).count == 1 && log().count == 1)
    try store.setLogDays(0)
    _ = try store.add(new("carol"))
    #expect(try store.shape().bodies(RecordKind.logEntry).isEmpty && log().isEmpty)
    try store.setLogDays(365)
    for days in [-1, 366] {
      #expect(throws: VaultError(.invalidArgument, "")) { try store.setLogDays(days) }
    }
    #expect(try fixture.reopened(time: clock.source).logDays == 365)
  }

  @Test("a limit returns the newest, and a time those since then")
  func limits() throws {
    for number in 0..<9 {
      clock.pass(.seconds(1))
      _ = try store.add(new("\(number)"))
    }
    #expect(try log(limit: 2).map { $0.key?.account } == ["8", "7"])
    #expect(try log(limit: 0).isEmpty)
    let since = clock.now.adding(.seconds(-2))
    #expect(try log(since: since).map { $0.key?.account } == ["8", "7", "6"])
  }

  // MARK: Copies

  @Test("a rekey keeps the log, and adds to it")
  func rekey() throws {
    for number in 0..<100 { _ = try store.add(new("ann", on: "h\(number).example")) }
    let before = try log()
    clock.pass(.seconds(1))
    _ = try store.rekey(
      keeping: [.keyFile(fixture.keyFile())], cost: .minimum, otherKey: { _ in nil },
      progress: { _ in })
    #expect(try allOperations().first == .rekeyed)
    #expect(try Set(log().dropFirst()) == Set(before))
    #expect(try log().first?.generation == store.information().generation)
    #expect(try store.verify().problems.isEmpty)
  }

  @Test("damage where an entry belongs does not keep anybody from removing a slot")
  func damage() throws {
    let slot = try store.addSlot(.keyFile(KeyFile()), name: "spare", cost: .minimum)
    try store.locked { (file) throws(VaultError) in
      try file.connection.run(.beginImmediate)
      try file.connection.put([UInt8](repeating: 1, count: 512), under: NodeID.bucket(0, tree: 0))
      try file.connection.run(.commit)
    }
    try store.removeSlot(slot.id)
    #expect(try store.slots().count == 1)
  }

  @Test("a malformed entry blocks no write beside it")
  func malformed() throws {
    var writer = FieldWriter()
    writer.put(FieldTag.server, "h.example")
    writer.put(FieldTag.logOperation, UInt8(1))
    let body = writer.finish()
    try store.plant(RecordKind.logEntry, body)
    _ = try store.add(new("ann"))
    #expect(try store.shape().bodies(RecordKind.logEntry).contains(body))
  }

  @Test("an entry of a later version is kept and shown as far as it is known")
  func later() throws {
    var writer = FieldWriter()
    writer.put(FieldTag.server, "h.example")
    writer.put(FieldTag.id, ItemID().bytes)
    writer.put(FieldTag.modified, clock.now)
    writer.put(FieldTag.revision, UInt64(2))
    writer.put(FieldTag.logOperation, UInt8(200))
    writer.put(FieldTag.logAttributes, [16, 99])
    try store.plant(RecordKind.logEntry, writer.finish())
    let change = try #require(log().first)
    #expect(change.operation == .other && change.attributes == ["label"])
  }

  @Test("a user without a line in the system's file is named by the number")
  func userName() throws {
    let path = try fixture.folder.write(
      Array("root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n".utf8),
      as: "passwd")
    #expect(UserName.of(1000, in: path) == "ann" && UserName.of(0, in: path) == "root")
    #expect(UserName.of(100, in: path) == "100" && UserName.of(0, in: path + "-") == "0")
  }
}

extension [UInt8] {
  fileprivate func has(_ bytes: [UInt8], anywhere: Void) -> Bool {
    indices.contains { has(bytes, at: $0..<count) }
  }
}
