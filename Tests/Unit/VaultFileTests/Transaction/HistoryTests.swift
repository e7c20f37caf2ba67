import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// Behaviour of previous secrets that only the file has; `ConformanceTests` covers both stores.
@Suite("previous secrets in the file")
struct HistoryTests {
  private let host: HostName
  private let fixture: StoreFixture
  private var store: FileStore { fixture.store }

  init() throws {
    host = try HostName("h.example")
    fixture = try StoreFixture()
  }

  private func large(_ byte: UInt8, _ count: Int = 3000) -> Secret {
    Secret([UInt8](repeating: byte, count: count))
  }

  /// Adds an item that had these secrets, and has the last one.
  private func add(_ account: String = "a", _ secrets: Secret...) throws -> Item {
    let added = try store.add(
      Item(server: host, account: account, secret: secrets[0]))
    for secret in secrets.dropFirst() {
      _ = try store.modify(added.id, hint: added.key, [.secret(secret)])
    }
    return added
  }

  /// Returns an item's previous secrets as text; a large one by its length.
  private func history(_ item: Item, in other: FileStore? = nil) throws -> [String] {
    try (other ?? store).history(of: item.id, hint: item.key, withSecrets: true).map {
      guard let secret = $0.secret?.array else { return "expired" }
      return secret.count > 1024
        ? "\(secret.count) × \(secret[0])" : String(decoding: secret, as: UTF8.self)
    }
  }

  /// Returns the rows of large secrets.
  private func rows() throws -> [UInt64: [UInt8]] {
    try store.locked { (file) throws(VaultError) in
      var rows: [UInt64: [UInt8]] = [:]
      var ids: [UInt64] = []
      try file.connection.run(.selectNodeIDs) { ids.append($0.integer(0)) }
      for id in ids where id >= NodeID.firstLargeSecret {
        try file.connection.run(.selectNode, .integer(id)) { rows[id] = $0.blob(0) }
      }
      return rows
    }
  }

  // MARK: Writing

  @Test("the row of a large secret becomes the history's as it is, and goes with it")
  func largeRow() throws {
    let item = try add("a", large(1))
    let before = try rows()
    _ = try store.modify(item.id, hint: item.key, [.secret(large(2))])
    let after = try rows()
    #expect(after.count == 2 && before.allSatisfy { after[$0.key] == $0.value })
    _ = try store.modify(item.id, hint: item.key, [.secret(Secret("small"))])
    #expect(try history(item) == ["3000 × 2", "3000 × 1"])
    #expect(try rows() == after)
    // The restored one is sealed again; its row was removed with its record.
    _ = try store.modify(item.id, hint: item.key, [.secret(large(1))])
    #expect(try history(item) == ["small", "3000 × 2"])
    #expect(try rows().count == 2 && Set(rows().keys).isDisjoint(with: before.keys))
    #expect(try store.verify().problems == [])
    try store.deleteForGood(item.id, hint: item.key)
    #expect(try store.shape().rows.isEmpty)
  }

  @Test("the oldest large secret's row goes when there are too many")
  func oldestRow() throws {
    try store.setHistoryLimit(2)
    let item = try add("a", large(1), large(2), large(3), large(4))
    #expect(try history(item) == ["3000 × 3", "3000 × 2"])
    #expect(try rows().count == 3)
    #expect(try store.verify().problems == [])
  }

  @Test("several changes in one transaction leave several, and a transaction that fails none")
  func transaction() throws {
    let item = try add("a", Secret("one"))
    struct Stop: Error {}
    let generation = try store.information().generation
    #expect(throws: VaultError(.interrupted, "")) {
      try store.write { (transaction) throws(VaultError) in
        _ = try transaction.modify(item.id, hint: item.key, [.secret(Secret("never"))])
        throw VaultError(.interrupted, "by the test")
      }
    }
    #expect(try history(item).isEmpty)
    #expect(try store.information().generation == generation)
    let moved = try store.write { (transaction) throws(VaultError) in
      for secret in [large(1), large(2), Secret("two")] {
        _ = try transaction.modify(item.id, hint: item.key, [.secret(secret)])
      }
      // It sees its own, large ones before they have rows.
      let history = try transaction.history(of: item.id, hint: item.key, withSecrets: true)
      #expect(history.map { $0.secret?.count } == [3000, 3000, 3])
      #expect(
        history.map(\.replaced).map { $0.milliseconds - transaction.now.milliseconds } == [2, 1, 0])
      _ = try transaction.modify(item.id, hint: item.key, [.secret(large(1))])
      return try transaction.modify(item.id, hint: item.key, [.account("b")])
    }
    #expect(try history(moved) == ["two", "3000 × 2", "one"])
    #expect(try rows().count == 2 && store.verify().problems == [])
    #expect(try store.information().generation == generation + 1)
    try store.write { (transaction) throws(VaultError) in
      _ = try transaction.modify(item.id, hint: item.key, [.secret(Secret("three"))])
      try transaction.remove(item.id, hint: item.key, removal: .permanent)
    }
    #expect(try store.shape().records.isEmpty && rows().isEmpty)
  }

  @Test("within a transaction, too, one that has expired comes without its secret")
  func expired() throws {
    let clock = TestClock()
    let fixture = try StoreFixture(time: clock.source)
    var given = Item(server: host, secret: Secret("one"))
    given.expires = clock.now.adding(.seconds(60))
    let item = try fixture.store.add(given)
    _ = try fixture.store.modify(item.id, hint: item.key, [.secret(Secret("two")), .expires(nil)])
    func secrets() throws -> [Int?] {
      try fixture.store.write { (transaction) throws(VaultError) in
        try transaction.history(of: item.id, hint: item.key, withSecrets: true)
      }.map { $0.secret?.count }
    }
    #expect(try secrets() == [3])
    clock.pass(.seconds(60))
    #expect(try secrets() == [nil])
  }

  @Test("changes of other attributes do not touch the records of the history")
  func untouched() throws {
    let item = try add("a", Secret("one"), large(2), Secret("three"))
    let before = (try store.shape().bodies(RecordKind.previousSecret), try rows())
    _ = try store.modify(
      item.id, hint: item.key, [.comment("x"), .refreshToken(Secret("token"))])
    _ = try store.modify(item.id, hint: item.key, [.secret(Secret("three")), .label("y")])
    #expect(try store.shape().bodies(RecordKind.previousSecret) == before.0)
    #expect(try rows() == before.1)
  }

  @Test("a present secret that is set again beside another change keeps its seal and its row")
  func sealed() throws {
    let item = try add("a", large(1))
    let before = try rows()
    _ = try store.modify(item.id, hint: item.key, [.secret(large(1)), .label("y")])
    #expect(try rows() == before)
    #expect(try history(item).isEmpty)
  }

  @Test("what a later version wrote into a previous secret is kept when the item is renamed")
  func unknown() throws {
    let golden = try StoreFixture(golden: "history")
    try golden.store.unlock(with: .keyFile(try golden.keyFile()))
    let ada = try #require(try golden.store.find(ItemQuery()).first { $0.account == "ada" })
    _ = try golden.store.modify(
      ada.id, hint: ada.key, [.account("lovelace"), .secret(Secret("the fifth"))])
    let previous = try Golden.read(golden).list("previous")
    #expect(previous.count { $0["unknown"] != nil && $0["account"] == .text("lovelace") } == 1)
    #expect(previous.count { $0["account"] == .text("lovelace") } == 3)
  }

  // MARK: The limit

  @Test("ten are kept, until another limit is chosen; that stays")
  func limit() throws {
    var store = store
    #expect(try store.historyLimit == 10)
    for limit in [0, 1, 9, 11, 100] {
      try store.setHistoryLimit(limit)
      #expect(try store.historyLimit == limit)
      try store.close()
      store = try fixture.reopened()
      #expect(try store.historyLimit == limit)
    }
    try store.setHistoryLimit(10)
    #expect(try store.historyLimit == 10)
    for limit in [-1, 101, .max, .min] {
      #expect(throws: VaultError(.invalidArgument, "")) { try store.setHistoryLimit(limit) }
    }
    let generation = try store.information().generation
    try store.setHistoryLimit(10)
    #expect(try store.information().generation == generation)
  }

  @Test("a lower limit takes the oldest of every item at once, a higher one brings none back")
  func lowered() throws {
    let ann = try add("ann", Secret("a1"), large(2), Secret("a3"), large(4), Secret("a5"))
    let bob = try add("bob", Secret("b1"), Secret("b2"))
    let generation = try store.information().generation
    try store.setHistoryLimit(2)
    #expect(try store.information().generation == generation + 1)
    #expect(try history(ann) == ["3000 × 4", "a3"] && history(bob) == ["b1"])
    #expect(try rows().count == 1 && store.verify().problems == [])
    try store.setHistoryLimit(5)
    #expect(try history(ann) == ["3000 × 4", "a3"])
    _ = try store.modify(ann.id, hint: ann.key, [.secret(Secret("a6"))])
    #expect(try history(ann) == ["a5", "3000 × 4", "a3"])
  }

  @Test("with a limit of 0 nothing is kept")
  func none() throws {
    let before = try add("before", Secret("one"), Secret("two"))
    try store.setHistoryLimit(0)
    #expect(try history(before).isEmpty)
    let item = try add("a", large(1), large(2), Secret("three"))
    #expect(try history(item).isEmpty)
    #expect(try rows().isEmpty)
    #expect(try store.shape().bodies(RecordKind.previousSecret).isEmpty)
  }

  @Test("the limit goes with a transaction that fails")
  func failed() throws {
    let item = try add("a", Secret("one"), Secret("two"))
    #expect(throws: VaultError(.interrupted, "")) {
      try store.write { (transaction) throws(VaultError) in
        try transaction.setHistoryLimit(0)
        #expect(transaction.historyLimit == 0)
        #expect(try transaction.history(of: item.id, hint: item.key).isEmpty)
        throw VaultError(.interrupted, "by the test")
      }
    }
    #expect(try store.historyLimit == 10 && history(item) == ["one"])
  }

  @Test("an item with a hundred is found, renamed and deleted with all of them")
  func hundred() throws {
    try store.setHistoryLimit(100)
    let item = try add("a", Secret("now"))
    let other = try add("b", Secret("other"))
    try store.write { (transaction) throws(VaultError) in
      for number in 0..<130 {
        _ = try transaction.modify(item.id, hint: item.key, [.secret(Secret("\(number)"))])
        _ = try transaction.modify(other.id, hint: other.key, [.secret(Secret("\(number)"))])
      }
    }
    // More than 128 records of one host have a tree of their own, and two trees in it.
    #expect(try store.shape().trees.count > 1)
    let expected = (29..<129).reversed().map { "\($0)" }
    #expect(try history(item) == expected && history(other) == expected)
    let moved = try store.modify(item.id, hint: item.key, [.server(try HostName("moved.example"))])
    #expect(try history(moved) == expected && history(other) == expected)
    #expect(try store.verify().problems == [])
    try store.deleteForGood(other.id, hint: other.key)
    #expect(try store.shape().records.count == 101)
    try store.setHistoryLimit(1)
    #expect(try history(moved) == ["128"])
    #expect(try store.shape().trees.count == 1)
  }

  // MARK: Policy

  @Test("a previous secret can be kept for a shorter time than its item")
  func shortened() throws {
    let item = try add("a", Secret("one"), Secret("two"), Secret("three"))
    let end = Timestamp(seconds: 4_000_000_000)
    try store.write { (transaction) throws(VaultError) in
      let oldest = try transaction.pastRecords().min { $0.secretChanged < $1.secretChanged }
      if let oldest { try transaction.keep(oldest, until: end) }
    }
    let kept = try store.history(of: item.id, hint: item.key, withSecrets: true).map(\.keptUntil)
    #expect(kept == [nil, end])
    #expect(try history(item) == ["two", "one"])
    #expect(try store.find(ItemQuery()).map(\.keptUntil) == [nil])
  }
}
