import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// A rekey, which re-encrypts everything.
@Suite("rekeying a vault")
struct RekeyTests {
  private func rekey(
    _ fixture: StoreFixture, removing: Set<UInt32> = []
  ) throws -> (epoch: UInt64, removedSlots: [UInt32]) {
    try fixture.store.rekey(
      keeping: [.keyFile(try fixture.keyFile())], cost: .minimum,
      otherKey: { (slot) throws(VaultError) in try drop(slot, if: removing) }, progress: { _ in })
  }

  private func drop(_ slot: Slot, if dropped: Set<UInt32>) throws(VaultError) -> UnlockKey? {
    guard dropped.contains(slot.id) else {
      throw VaultError(.invalidArgument, "slot \(slot.id) is kept")
    }
    return nil
  }

  @Test(
    "a golden vault holds the same afterwards, for both implementations",
    arguments: try Golden.namesWithoutServer())
  func golden(_ name: String) throws {
    let fixture = try StoreFixture(golden: name)
    let key = try fixture.keyFile()
    try fixture.store.unlock(with: .keyFile(key))
    let before = (try fixture.items(), try Golden.read(fixture), try fixture.store.information())
    let kept = Dictionary(
      try fixture.store.shape().records.map { ($0.kind, 1) }, uniquingKeysWith: +)
    let others = before.2.slots.map(\.id).filter { $0 != 2 }
    let done = try rekey(fixture, removing: Set(others))
    #expect(done.epoch == before.2.ident.epoch + 1 && done.removedSlots == others)

    #expect(try Set(fixture.items()) == Set(before.0))
    #expect(try fixture.store.verify().problems == [])
    let kinds = Dictionary(
      try fixture.store.shape().records.map { ($0.kind, 1) }, uniquingKeysWith: +)
    // The rekey is logged.
    #expect(kinds == kept.merging([RecordKind.logEntry: 1], uniquingKeysWith: +))
    let after = try fixture.store.information()
    #expect(after.generation == before.2.generation + 1)
    #expect(after.itemCount == before.2.itemCount && after.ident.epoch == done.epoch)
    try fixture.store.close()
    let listing = try Golden.read(fixture)
    guard case .object(let parts) = before.1 else {
      Issue.record("the listing is no object")
      return
    }
    let lists = parts.filter { if case .list = $0.value { true } else { false } }
    #expect(lists.count >= 6)
    for (name, list) in lists where name != "changes" {
      #expect(listing[name] == list, "\(name)")
    }
    #expect(Set(listing.list("changes")).isSuperset(of: before.1.list("changes")))
  }

  @Test("no row is the same, and the old key opens none")
  func oldKey() throws {
    let fixture = try StoreFixture(golden: "small")
    try fixture.store.unlock(with: .keyFile(try fixture.keyFile()))
    func rows() throws -> [UInt64: [UInt8]] {
      try fixture.store.locked { (file) throws(VaultError) in
        var rows: [UInt64: [UInt8]] = [:]
        var ids: [UInt64] = []
        try file.connection.run(.selectNodeIDs) { ids.append($0.integer(0)) }
        for id in ids {
          try file.connection.run(.selectNode, .integer(id)) { rows[id] = $0.blob(0) }
        }
        try file.connection.run(.selectVault) { rows[0] = $0.blob(1) }
        return rows
      }
    }
    let old = try fixture.store.locked { (file) throws(VaultError) in
      try file.requireUnlocked().keys
    }
    let before = Set(try rows().values)
    _ = try rekey(fixture, removing: [1])
    let after = try rows()
    #expect(after.count > 2)
    for (id, row) in after {
      #expect(!before.contains(row), "row \(id)")
      let kind: NodeKind = id == 0 ? .head : .bucket
      #expect(throws: VaultError(.damaged, "")) { try old.open(row, as: kind, id: id) }
    }
  }

  @Test("after it the vault grows and shrinks as before")
  func growth() throws {
    let fixture = try StoreFixture()
    let host = try HostName("heavy.example")
    let items = try (0..<5000).map {
      $0 < 300
        ? Item(server: host, account: $0 < 200 ? "a" : "\($0)", path: "/\($0)")
        : Item(server: try HostName("h\($0).example"), secret: Secret("\($0)"))
    }
    try fixture.store.write { (transaction) throws(VaultError) in
      for item in items[..<4500] { _ = try transaction.add(item) }
    }
    _ = try rekey(fixture)
    let shape = try fixture.store.shape()
    #expect(shape.trees.map(\.level).sorted() == [0, 1, 2] && shape.chunkCount == 2)
    for tree in shape.trees {
      #expect(tree.directory.load <= 32 * UInt64(tree.directory.bucketCount))
      #expect(tree.level == 2 || tree.heaviest <= 128)
    }
    try fixture.store.write { (transaction) throws(VaultError) in
      for item in items[4500...] { _ = try transaction.add(item) }
    }
    try fixture.store.write { (transaction) throws(VaultError) in
      for item in items[..<4900] { try transaction.remove(item.id, hint: item.key) }
    }
    #expect(try fixture.store.verify().problems == [])
    #expect(try fixture.items().count == 100)
  }

  @Test("a slot whose key is not given is kept from being lost; named, it goes")
  func slots() throws {
    let fixture = try StoreFixture(golden: "small")
    let key = try fixture.keyFile()
    try fixture.store.unlock(with: .keyFile(key))
    let generation = try fixture.store.information().generation
    #expect(throws: VaultError(.invalidArgument, "")) { try rekey(fixture) }
    for offered in [[], [UnlockKey.keyFile(key), .keyFile(KeyFile())]] {
      let expected = VaultError(offered.isEmpty ? .invalidArgument : .authenticationFailed, "")
      #expect(throws: expected) {
        try fixture.store.rekey(
          keeping: offered, cost: .minimum, otherKey: { _ in nil }, progress: { _ in })
      }
    }
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try fixture.store.rekey(
        keeping: [.keyFile(key)], cost: .minimum,
        otherKey: { _ in .passphrase(Secret("wrong")) }, progress: { _ in })
    }
    #expect(try fixture.store.information().generation == generation)
    _ = try rekey(fixture, removing: [1])
    let slots = try fixture.store.information().slots
    #expect(slots.map(\.id) == [2])
    try fixture.store.lockUp()
    try fixture.store.unlock(with: .keyFile(key))
  }

  @Test("the key of another slot can be given when it is asked for")
  func otherKey() throws {
    let fixture = try StoreFixture()
    let recovery = RecoveryCode()
    _ = try fixture.store.addSlot(.passphrase(Secret("p")), name: "typed", cost: .minimum)
    _ = try fixture.store.addSlot(.recoveryCode(recovery), name: "", cost: nil)
    let before = try fixture.store.slots()
    var asked: [UInt32] = []
    let done = try fixture.store.rekey(
      keeping: [.keyFile(try fixture.keyFile())], cost: .minimum,
      otherKey: { slot in
        asked.append(slot.id)
        return slot.kind == .passphrase ? .passphrase(Secret("p")) : .recoveryCode(recovery)
      }, progress: { _ in })
    #expect(asked == [2, 3] && done.removedSlots == [])
    let after = try fixture.store.slots()
    #expect(after.map(\.id) == [1, 2, 3] && after.map(\.name) == before.map(\.name))
    #expect(
      after.map(\.created) == before.map(\.created) && after.map(\.salt) != before.map(\.salt))
    for key in [UnlockKey.passphrase(Secret("p")), .recoveryCode(recovery)] {
      try fixture.store.lockUp()
      try fixture.store.unlock(with: key, minimumCost: .minimum)
    }
  }

  @Test("a vault with a damaged bucket is left as it is")
  func damaged() throws {
    let fixture = try StoreFixture()
    try fixture.store.write { (transaction) throws(VaultError) in
      for number in 0..<100 {
        _ = try transaction.add(Item(server: HostName("h\(number).example")))
      }
    }
    try fixture.store.locked { (file) throws(VaultError) in
      try file.connection.run(.insertNode, .integer(1), .blob([UInt8](repeating: 1, count: 512)))
    }
    let before = try fixture.store.information()
    #expect(throws: VaultError(.damaged, "")) { try rekey(fixture) }
    let after = try fixture.store.information()
    #expect(after.ident == before.ident && after.generation == before.generation)
  }

  @Test("progress rises from nothing to all")
  func progress() throws {
    let fixture = try StoreFixture()
    try fixture.store.write { (transaction) throws(VaultError) in
      for number in 0..<1000 {
        _ = try transaction.add(Item(server: HostName("h\(number).example")))
      }
    }
    var shares: [Double] = []
    _ = try fixture.store.rekey(
      keeping: [.keyFile(try fixture.keyFile())], cost: nil, otherKey: { _ in nil },
      progress: { shares.append($0) })
    #expect(shares.count > 30 && shares == shares.sorted() && shares.last == 1)
    #expect(shares.contains { $0 < 0.1 })
  }
}
