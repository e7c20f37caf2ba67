import Foundation
import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

@Suite("growth of trees")
struct TreeGrowthTests {
  private struct Expected {
    let id: ItemID
    var secret: [UInt8]
    /// Its previous secrets, the newest first.
    var history: [[UInt8]] = []

    init(id: ItemID, secret: [UInt8]) {
      self.id = id
      self.secret = secret
    }

    mutating func set(_ new: [UInt8]) {
      guard new != secret else { return }
      history.removeAll { $0 == new }
      if !secret.isEmpty { history.insert(secret, at: 0) }
      history = Array(history.prefix(10))
      secret = new
    }
  }

  /// A vault, and a dictionary that models it.
  private final class Pair {
    let fixture: StoreFixture
    var store: FileStore { fixture.store }
    var expected: [Item.Key: Expected] = [:]
    /// The keys of the expected items, in an order that is reproducible from the seed.
    private(set) var keys: [Item.Key] = []
    var random: SplitMix

    init(seed: UInt64) throws {
      fixture = try StoreFixture()
      random = SplitMix(seed: seed)
    }

    /// Returns an empty secret, one inside the record, or rarely one in a row of its own.
    func newSecret() -> [UInt8] {
      let size =
        [0, 5, 5, 5, 40, 5, 5, 5].randomElement(using: &random).map {
          Int.random(in: 0..<40, using: &random) == 0 ? 1100 : $0
        } ?? 0
      return (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    func add(_ key: Item.Key, in transaction: FileTransaction) throws(VaultError) {
      let secret = newSecret()
      var item = Item(secret: Secret(secret))
      item.key = key
      guard expected[key] == nil else {
        #expect(throws: VaultError(.duplicateItem, "")) { try transaction.add(item) }
        return
      }
      _ = try transaction.add(item)
      expected[key] = Expected(id: item.id, secret: secret)
      keys.append(key)
    }

    func remove(_ key: Item.Key, in transaction: FileTransaction) throws(VaultError) {
      guard let item = expected.removeValue(forKey: key) else { return }
      keys.firstIndex(of: key).map { _ = keys.remove(at: $0) }
      try transaction.remove(item.id, hint: key, removal: .permanent)
    }

    func rename(
      _ key: Item.Key, to new: Item.Key, in transaction: FileTransaction
    ) throws(VaultError) {
      guard let item = expected[key] else { return }
      let changes: [ItemChange] = [
        .server(new.server), .account(new.account), .path(new.path), .protocol(new.protocol),
        .authenticationMethod(new.authenticationMethod), .realm(new.realm), .port(new.port),
      ]
      guard expected[new] == nil || new == key else {
        #expect(throws: VaultError(.duplicateItem, "")) {
          try transaction.modify(item.id, hint: key, changes)
        }
        return
      }
      _ = try transaction.modify(item.id, hint: key, changes)
      expected[key] = nil
      expected[new] = item
      keys.firstIndex(of: key).map { _ = keys.remove(at: $0) }
      keys.append(new)
    }

    func setSecret(
      _ key: Item.Key, in transaction: FileTransaction
    ) throws(VaultError) {
      guard var item = expected[key] else { return }
      // Sometimes an earlier one is set again.
      let isOld = Int.random(in: 0..<4, using: &random) == 0
      let secret = isOld ? item.history.randomElement(using: &random) ?? [] : newSecret()
      _ = try transaction.modify(item.id, hint: key, [.secret(Secret(secret))])
      item.set(secret)
      expected[key] = item
    }

    /// Compares everything, and checks the bounds of `Documentation/format.md` §§5.4 and 5.5.
    func check(_ location: SourceLocation = #_sourceLocation) throws -> VaultShape {
      let found = try store.find(ItemQuery(), withSecrets: true)
      #expect(found.count == expected.count, sourceLocation: location)
      let isSame = found.allSatisfy {
        expected[$0.key]?.id == $0.id && expected[$0.key]?.secret == $0.secret?.array
      }
      #expect(isSame, sourceLocation: location)
      #expect(try store.verify().problems == [], sourceLocation: location)
      #expect(try store.information().itemCount == expected.count, sourceLocation: location)
      let shape = try store.shape()
      for tree in shape.trees {
        let (buckets, load) = (UInt64(tree.directory.bucketCount), tree.directory.load)
        #expect(load <= 32 * buckets, sourceLocation: location)
        #expect(buckets == 1 || load >= 16 * buckets, sourceLocation: location)
        #expect(tree.level == 2 || tree.heaviest <= 128, sourceLocation: location)
        #expect(
          tree.level == 0 || load >= 64 || tree.groupCount > 0, sourceLocation: location)
      }
      let histories = try store.histories(shape)
      let isHistorySame = expected.values.allSatisfy { (histories[$0.id] ?? []) == $0.history }
      #expect(isHistorySame, sourceLocation: location)
      for (key, item) in expected.prefix(20) {
        let history = try store.history(of: item.id, hint: key, withSecrets: true)
        let isSame = history.map { $0.secret?.array } == item.history
        #expect(isSame, sourceLocation: location)
      }
      let secrets = expected.values.flatMap { [$0.secret] + $0.history }
      let large = secrets.count { $0.count > 1024 }
      let previous = shape.records.count { $0.kind == RecordKind.previousSecret }
      #expect(previous == secrets.count - expected.count, sourceLocation: location)
      #expect(shape.largeSecretCount == large, sourceLocation: location)
      return shape
    }

    func write(_ body: (FileTransaction) throws(VaultError) -> Void) throws {
      try store.write(body)
    }
  }

  private func key(
    _ host: String, _ account: String = "a", _ number: Int = 0
  ) throws(VaultError) -> Item.Key {
    Item.Key(
      account: account, server: try HostName(host), protocol: .https,
      port: UInt16(truncatingIfNeeded: number % 7), path: "/\(number)")
  }

  @Test("past 128 buckets chunks appear, one record at a time, and vanish again")
  func chunks() throws {
    let pair = try Pair(seed: 1)
    let keys = try (0..<4100).map { try key("h\($0).example") }
    try pair.write { (transaction) throws(VaultError) in
      for key in keys[..<4094] { try pair.add(key, in: transaction) }
    }
    #expect(try pair.check().root.bucketCount == 128)
    for (count, buckets, chunks) in [(4095, 128, 0), (4096, 128, 0), (4097, 129, 2)] {
      try pair.write { (transaction) throws(VaultError) in
        try pair.add(keys[count - 1], in: transaction)
      }
      let shape = try pair.store.shape()
      #expect(shape.root.bucketCount == buckets && shape.chunkCount == chunks)
    }
    #expect(try pair.check().chunkCount == 2)
    try pair.write { (transaction) throws(VaultError) in
      for key in keys[..<2040] { try pair.remove(key, in: transaction) }
    }
    #expect(try pair.check().chunkCount == 0)
    // 16 for each of 128 buckets.
    try pair.write { (transaction) throws(VaultError) in
      for key in keys[2040..<2049] { try pair.remove(key, in: transaction) }
    }
    #expect(try pair.check().root.bucketCount == 128)
    try pair.write { (transaction) throws(VaultError) in
      try pair.remove(keys[2049], in: transaction)
    }
    #expect(try pair.check().root.bucketCount == 127)
  }

  @Test("within one transaction a tree can grow into chunks and shrink out of them")
  func chunksAtOnce() throws {
    let pair = try Pair(seed: 2)
    let keys = try (0..<4200).map { try key("h\($0).example") }
    try pair.write { (transaction) throws(VaultError) in
      for key in keys { try pair.add(key, in: transaction) }
      for key in keys[..<4000] { try pair.remove(key, in: transaction) }
      #expect(try transaction.find(ItemQuery()).count == 200)
    }
    #expect(try pair.check().chunkCount == 0)
  }

  @Test("a golden vault with chunks loses them one record at a time, and gets them back")
  func storedChunks() throws {
    let fixture = try StoreFixture(golden: "chunked")
    try fixture.store.unlock(with: .keyFile(fixture.keyFile()))
    try fixture.store.setLogDays(0)
    let all = try fixture.store.find(ItemQuery())
    var bucketCounts: [UInt32] = []
    for item in all.prefix(40) {
      try fixture.store.deleteForGood(item.id, hint: item.key)
      let shape = try fixture.store.shape()
      bucketCounts.append(shape.root.bucketCount)
      #expect(shape.chunkCount == (shape.root.bucketCount > 128 ? 2 : 0))
    }
    #expect(Set(bucketCounts) == [129, 128, 127])
    #expect(try fixture.store.verify().problems == [])
    // All at once: out of the chunks and into them again.
    try fixture.store.write { (transaction) throws(VaultError) in
      for index in 0..<2100 {
        _ = try transaction.add(Item(server: try HostName("n\(index).example")))
      }
    }
    #expect(try fixture.store.shape().chunkCount == 2)
    #expect(try fixture.store.verify().problems == [])
    #expect(try fixture.store.find(ItemQuery()).count == 2080 - 40 + 2100)
  }

  @Test("the 129th record of a host moves them to a tree, and below 64 they move back")
  func heavyHost() throws {
    let pair = try Pair(seed: 3)
    let keys = try (0..<130).map { try key("heavy.example", "user\($0)") }
    try pair.write { (transaction) throws(VaultError) in
      for index in 0..<40 { try pair.add(key("h\(index).example"), in: transaction) }
      for key in keys[..<127] { try pair.add(key, in: transaction) }
    }
    #expect(try pair.check().trees.count == 1)
    try pair.write { (transaction) throws(VaultError) in try pair.add(keys[127], in: transaction) }
    #expect(try pair.check().trees.count == 1)
    try pair.write { (transaction) throws(VaultError) in try pair.add(keys[128], in: transaction) }
    let shape = try pair.check()
    #expect(shape.trees.map(\.directory.load) == [41, 129])
    #expect(shape.trees.map(\.host).last == Array("heavy.example".utf8))
    #expect(shape.trees.map(\.account) == [[], []])
    try pair.write { (transaction) throws(VaultError) in
      for key in keys[..<65] { try pair.remove(key, in: transaction) }
    }
    #expect(try pair.check().trees.map(\.directory.load) == [41, 64])
    try pair.write { (transaction) throws(VaultError) in try pair.remove(keys[65], in: transaction)
    }
    #expect(try pair.check().trees.map(\.directory.load) == [103])
    // The next tree has a new number.
    try pair.write { (transaction) throws(VaultError) in
      for key in keys { try pair.add(key, in: transaction) }
    }
    #expect(try pair.check().trees.map(\.number) == [0, 2])
  }

  @Test("the same account's 129th record makes a tree in a tree, and both go again")
  func heavyAccount() throws {
    let pair = try Pair(seed: 4)
    let host = "heavy.example"
    for index in 0..<128 {
      try pair.write { (transaction) throws(VaultError) in
        try pair.add(key(host, "build", index), in: transaction)
      }
    }
    #expect(try pair.check().trees.count == 1)
    try pair.write { (transaction) throws(VaultError) in
      try pair.add(key(host, "build", 128), in: transaction)
    }
    var shape = try pair.check()
    #expect(shape.trees.map(\.level) == [0, 1, 2])
    #expect(shape.trees.map(\.directory.load) == [1, 1, 129])
    #expect(shape.trees.map(\.account) == [[], [], Array("build".utf8)])
    // 30 other accounts beside the tree, which alone keep the host's tree from moving back.
    try pair.write { (transaction) throws(VaultError) in
      for index in 0..<30 { try pair.add(key(host, "user\(index)"), in: transaction) }
      for index in 0..<65 { try pair.remove(key(host, "build", index), in: transaction) }
      for index in 0..<20 { try pair.remove(key(host, "user\(index)"), in: transaction) }
    }
    shape = try pair.check()
    #expect(shape.trees.map(\.directory.load) == [1, 11, 64])
    try pair.write { (transaction) throws(VaultError) in
      try pair.remove(key(host, "build", 65), in: transaction)
    }
    shape = try pair.check()
    #expect(shape.trees.map(\.directory.load) == [1, 73])
    try pair.write { (transaction) throws(VaultError) in
      for index in 66..<76 { try pair.remove(key(host, "build", index), in: transaction) }
    }
    #expect(try pair.check().trees.map(\.directory.load) == [63])
  }

  @Test("a tree that alone held a tree goes with it")
  func bothAtOnce() throws {
    let pair = try Pair(seed: 5)
    try pair.write { (transaction) throws(VaultError) in
      for index in 0..<129 { try pair.add(key("h.example", "a", index), in: transaction) }
      for index in 0..<66 { try pair.remove(key("h.example", "a", index), in: transaction) }
    }
    #expect(try pair.check().trees.map(\.directory.load) == [63])
  }

  @Test("a host of more than 4096 accounts has chunks of its own")
  func heavyHostWithChunks() throws {
    let pair = try Pair(seed: 6)
    let keys = try (0..<4200).map { try key("heavy.example", "user\($0)") }
    try pair.write { (transaction) throws(VaultError) in
      for key in keys { try pair.add(key, in: transaction) }
    }
    var shape = try pair.check()
    #expect(shape.trees.map(\.directory.bucketCount) == [1, 132])
    #expect(shape.chunkCount == 2)
    try pair.write { (transaction) throws(VaultError) in
      for key in keys[..<10] { try pair.remove(key, in: transaction) }
    }
    shape = try pair.check()
    #expect(shape.chunkCount == 2)
  }

  @Test("items without a server make a group like any other")
  func unsetServer() throws {
    let pair = try Pair(seed: 7)
    try pair.write { (transaction) throws(VaultError) in
      for index in 0..<140 { try pair.add(key("", "", index), in: transaction) }
    }
    #expect(try pair.check().trees.map(\.level) == [0, 1, 2])
    var query = ItemQuery()
    query.server = .unset
    #expect(try pair.store.find(query).count == 140)
    for (key, item) in pair.expected.prefix(10) {
      #expect(try pair.store.find(ItemQuery(key: key)).map(\.id) == [item.id])
    }
  }

  /// `make test-long` tries many more.
  private static let seeds: ClosedRange<UInt64> =
    ProcessInfo.processInfo.environment["VAULT_LONG_TESTS"] == nil ? 1...5 : 1...200

  @Test("random changes agree with a dictionary's, whatever the trees do", arguments: seeds)
  func random(seed: UInt64) throws {
    let pair = try Pair(seed: seed)
    var random = SplitMix(seed: seed &* 1000)
    let hosts = ["", "a.example", "b.example", "c.example", "d.e.example", "::1"]
    let accounts = ["", "build", "deploy", "ada"]
    func anyKey() throws(VaultError) -> Item.Key {
      // Half of all are on two hosts, and half of these have one account.
      let isHeavy = Bool.random(using: &random)
      let hosts = isHeavy ? Array(hosts[1...2]) : hosts
      let accounts = isHeavy && Bool.random(using: &random) ? ["build"] : accounts
      let host = hosts.randomElement(using: &random) ?? ""
      let account = accounts.randomElement(using: &random) ?? ""
      return try key(host, account, Int.random(in: 0..<150, using: &random))
    }
    // Growing, mixed, shrinking, growing again.
    for (adds, removes) in [(70, 10), (40, 40), (5, 90), (70, 10), (10, 90)] {
      for _ in 0..<8 {
        try pair.write { (transaction) throws(VaultError) in
          for _ in 0..<Int.random(in: 1...120, using: &random) {
            let known = pair.keys.randomElement(using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case ..<adds: try pair.add(anyKey(), in: transaction)
            case ..<(adds + removes):
              if let known { try pair.remove(known, in: transaction) }
            case ..<(100 - (100 - adds - removes) / 2):
              if let known { try pair.setSecret(known, in: transaction) }
            default:
              if let known { try pair.rename(known, to: anyKey(), in: transaction) }
            }
          }
        }
      }
      _ = try pair.check()
    }
    // Everything is removed, one by one.
    for key in pair.keys.shuffled(using: &random).prefix(80) {
      try pair.write { (transaction) throws(VaultError) in
        try pair.remove(key, in: transaction)
      }
    }
    _ = try pair.check()
    try pair.write { (transaction) throws(VaultError) in
      for key in pair.keys { try pair.remove(key, in: transaction) }
    }
    let shape = try pair.check()
    #expect(shape.rows.isEmpty && shape.trees.count == 1)
  }

  @Test("the same changes in one transaction and one by one come to the same items")
  func batches() throws {
    let pairs = [try Pair(seed: 9), try Pair(seed: 9)]
    let keys = try (0..<200).map { try key("h\($0 % 3).example", "u\($0 % 2)", $0) }
    try pairs[0].write { (transaction) throws(VaultError) in
      for key in keys { try pairs[0].add(key, in: transaction) }
      for key in keys[..<60] { try pairs[0].remove(key, in: transaction) }
    }
    for key in keys {
      try pairs[1].write { (transaction) throws(VaultError) in
        try pairs[1].add(key, in: transaction)
      }
    }
    for key in keys[..<60] {
      try pairs[1].write { (transaction) throws(VaultError) in
        try pairs[1].remove(key, in: transaction)
      }
    }
    let shapes = try pairs.map { try $0.check() }
    #expect(pairs[0].expected.mapValues(\.secret) == pairs[1].expected.mapValues(\.secret))
    #expect(shapes[0].root.load == shapes[1].root.load)
  }
}

extension FileStore {
  /// Returns the previous secrets of all items, the newest of each first.
  fileprivate func histories(_ shape: VaultShape) throws(VaultError) -> [ItemID: [[UInt8]]] {
    var records: [PreviousRecord] = []
    for record in shape.records where record.kind == RecordKind.previousSecret {
      records.append(try PreviousRecord(decoding: record.body, 0..<record.body.count))
    }
    records.sort { $0.replaced > $1.replaced }
    return try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        var histories: [ItemID: [[UInt8]]] = [:]
        for record in records {
          histories[record.item, default: []].append(try reader.secret(of: record).array)
        }
        return histories
      }
    }
  }
}
