import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel
@testable import VaultStore

@testable import SealedTree

/// The slots of a vault's file, changed together with the head that authenticates them.
@Suite("slots of a file")
struct SlotTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
  }

  private func passphrase(_ text: String) -> UnlockKey { .passphrase(Secret(text)) }

  @discardableResult
  private func add(_ key: UnlockKey, _ name: String = "") throws(VaultError) -> Slot {
    try fixture.store.addSlot(key, name: name, cost: .minimum)
  }

  private func generation() throws -> UInt64 { try fixture.store.information().generation }

  private func expectOpens(_ key: UnlockKey, _ id: UInt32?) throws {
    guard let id else {
      #expect(throws: VaultError(.authenticationFailed, "")) {
        try fixture.store.testSlot(with: key, id: nil)
      }
      return
    }
    #expect(try fixture.store.testSlot(with: key, id: nil).id == id)
  }

  @Test("an added slot opens the vault, also in another process's eyes, and counts as one write")
  func add() throws {
    let before = try generation()
    let code = RecoveryCode()
    try add(passphrase("second"), "laptop")
    try add(.recoveryCode(code), "safe")
    #expect(try generation() == before + 2)
    #expect(try fixture.store.slots().map(\.name) == ["own", "laptop", "safe"])
    #expect(try fixture.store.verify().problems == [])
    try fixture.store.close()
    for key in [passphrase("second"), .recoveryCode(code), .keyFile(try fixture.keyFile())] {
      let store = try FileStore.open(
        VaultPath(fixture.path), stateFolder: nil, lockTimeout: .seconds(5))
      try store.unlock(with: key, minimumCost: .minimum)
      #expect(try store.slots().map(\.kind) == [.keyFile, .passphrase, .recoveryCode])
      try store.close()
    }
  }

  @Test("a removed slot opens nothing, and its id is the next one given")
  func remove() throws {
    for text in ["second", "third", "fourth"] { try add(passphrase(text)) }
    let before = try generation()
    try fixture.store.removeSlot(3)
    #expect(try generation() == before + 1)
    #expect(try fixture.store.slots().map(\.id) == [1, 2, 4])
    try expectOpens(passphrase("third"), nil)
    try expectOpens(passphrase("fourth"), 4)
    #expect(try add(passphrase("fifth")).id == 3)
    #expect(try add(.keyFile(KeyFile())).id == 5)
    try fixture.store.removeSlot(1)
    #expect(try add(.keyFile(KeyFile())).id == 1)
    #expect(try fixture.store.slots().map(\.id) == [1, 2, 3, 4, 5])
  }

  @Test("the last slot is never removed, nor the last of a kind that this version knows")
  func last() throws {
    #expect(throws: VaultError(.invalidArgument, "")) { try fixture.store.removeSlot(1) }
    try fixture.store.plant(Slot.Kind(rawValue: 9), id: 7)
    #expect(throws: VaultError(.invalidArgument, "")) { try fixture.store.removeSlot(1) }
    try expectOpens(.keyFile(try fixture.keyFile()), 1)
    try add(passphrase("second"))
    try fixture.store.removeSlot(1)
    #expect(try fixture.store.slots().map(\.id) == [2, 7])
    try fixture.store.removeSlot(7)
    #expect(throws: VaultError(.invalidArgument, "")) { try fixture.store.removeSlot(2) }
  }

  @Test("an id that no slot has is itemNotFound")
  func missing() throws {
    for id in [0, 2, .max] as [UInt32] {
      #expect(throws: VaultError(.itemNotFound, "")) { try fixture.store.removeSlot(id) }
      #expect(throws: VaultError(.itemNotFound, "")) { try fixture.store.renameSlot(id, to: "n") }
      #expect(throws: VaultError(.itemNotFound, "")) {
        try fixture.store.testSlot(with: passphrase("p"), id: id)
      }
    }
  }

  @Test("a vault has at most 8 slots for passphrases and 16 in all")
  func limits() throws {
    for number in 0..<8 { try add(passphrase("p\(number)")) }
    let before = try generation()
    #expect(throws: VaultError(.invalidArgument, "")) { try add(passphrase("one more")) }
    for _ in 0..<7 { try add(.keyFile(KeyFile())) }
    #expect(throws: VaultError(.invalidArgument, "")) { try add(.recoveryCode(RecoveryCode())) }
    #expect(try generation() == before + 7)
    #expect(try fixture.store.slots().count == 16)
    try expectOpens(passphrase("p7"), 9)
  }

  @Test("a slot gets another name without its key, one of an unknown kind too, and stays as it is")
  func rename() throws {
    try add(passphrase("second"), "before")
    try fixture.store.plant(Slot.Kind(rawValue: 9), id: 3)
    #expect(try fixture.store.renameSlot(2, to: "after ✓").name == "after ✓")
    #expect(try fixture.store.renameSlot(3, to: "later").name == "later")
    try expectOpens(passphrase("second"), 2)
    #expect(try fixture.store.renameSlot(2, to: "").name == "")
    let body = try fixture.store.body(3)
    // Its KDF, which this version does not know, is preserved.
    #expect(body[1] == 7)
    #expect(throws: VaultError(.invalidArgument, "")) {
      try fixture.store.renameSlot(2, to: String(repeating: "n", count: 65))
    }
    #expect(try fixture.store.slots().map(\.name) == ["own", "", "later"])
  }

  @Test("a changed passphrase touches the one slot that the old one opens")
  func change() throws {
    try add(passphrase("second"), "laptop")
    try add(passphrase("third"))
    let before = try fixture.store.slots()
    let changed = try fixture.store.replaceKey(
      passphrase("second"), with: passphrase("new"),
      cost: PassphraseCost(memoryKiB: 8192, passes: 2))
    let after = try fixture.store.slots()
    #expect(changed == after[1] && [after[0], after[2]] == [before[0], before[2]])
    #expect(changed.id == 2 && changed.name == "laptop" && changed.cost?.passes == 2)
    #expect(changed.salt != before[1].salt)
    try expectOpens(passphrase("second"), nil)
    try expectOpens(passphrase("new"), 2)
    try expectOpens(passphrase("third"), 3)
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try fixture.store.replaceKey(passphrase("second"), with: passphrase("x"), cost: .minimum)
    }
    #expect(try fixture.store.slots() == after)
  }

  @Test("a slot that somebody changed since it was opened is a conflict, and stays as they made it")
  func conflict() throws {
    let opened = try add(passphrase("second"), "before")
    _ = try fixture.store.renameSlot(2, to: "after")
    let key = try DerivedKey(passphrase("new"), cost: .minimum)
    #expect(throws: VaultError(.conflict, "")) {
      try fixture.store.locked { (file) throws(VaultError) in try file.replace(opened, with: key) }
    }
    try expectOpens(passphrase("second"), 2)
  }

  @Test("testing leaves a locked vault locked and an unlocked one unlocked")
  func test() throws {
    try add(passphrase("second"))
    try expectOpens(passphrase("second"), 2)
    #expect(try fixture.store.state().isUnlocked)
    try fixture.store.lockUp()
    try expectOpens(passphrase("second"), 2)
    try expectOpens(passphrase("wrong"), nil)
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try fixture.store.testSlot(with: passphrase("second"), id: 1)
    }
    #expect(try !fixture.store.state().isUnlocked)
    // Slots are in clear, so this also works without a key.
    #expect(try fixture.store.slots().map(\.id) == [1, 2])
    #expect(throws: VaultError(.locked, "")) { try add(passphrase("third")) }
    #expect(throws: VaultError(.locked, "")) { try fixture.store.removeSlot(2) }
  }

  @Test("a slot that was put in while the vault is open is never vouched for")
  func planted() throws {
    try add(passphrase("second"))
    let removed = try fixture.store.body(2)
    try fixture.store.removeSlot(2)
    try fixture.store.locked { (file) throws(VaultError) in
      try file.connection.run(.insertSlot, .integer(2), .blob(removed))
    }
    let damaged = VaultError(.damaged, "")
    #expect(throws: damaged) { try fixture.store.slots() }
    #expect(throws: damaged) { try add(passphrase("third")) }
    #expect(throws: damaged) { try fixture.store.removeSlot(2) }
    #expect(throws: damaged) { try fixture.store.renameSlot(1, to: "n") }
    #expect(throws: damaged) { try fixture.store.testSlot(with: passphrase("second"), id: nil) }
  }

  // MARK: Costs

  @Test("a passphrase's slot below the least cost is wrapped anew when it is opened, once")
  func raise() throws {
    let minimum = try PassphraseCost(memoryKiB: 16 * 1024, passes: 1)
    try add(passphrase("second"), "laptop")
    let before = try fixture.store.slots()
    let generation = try generation()
    try fixture.store.unlock(with: passphrase("second"), minimumCost: .minimum)
    #expect(try fixture.store.slots() == before)
    try fixture.store.unlock(with: passphrase("second"), minimumCost: minimum)
    let after = try fixture.store.slots()
    #expect(try #require(after[1].cost).isBelow(minimum) == false)
    #expect(after[1].id == 2 && after[1].name == "laptop" && after[1].created == before[1].created)
    #expect(after[0] == before[0])
    #expect(try self.generation() == generation + 1)
    try fixture.store.unlock(with: passphrase("second"), minimumCost: minimum)
    #expect(try fixture.store.slots() == after)
    try expectOpens(passphrase("second"), 2)
    try expectOpens(passphrase("wrong"), nil)
  }

  @Test("neither a key file nor a wrong passphrase raises anything")
  func raiseNothing() throws {
    try add(passphrase("second"))
    let before = try fixture.store.slots()
    try fixture.store.unlock(with: .keyFile(fixture.keyFile()), minimumCost: .standard)
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try fixture.store.unlock(with: passphrase("wrong"), minimumCost: .standard)
    }
    #expect(try fixture.store.slots() == before)
  }

  @Test("what cannot be raised is opened all the same")
  func raiseFails() throws {
    let opened = try add(passphrase("second"))
    _ = try fixture.store.renameSlot(2, to: "changed by another")
    let before = try fixture.store.slots()
    try fixture.store.locked { (file) throws(VaultError) in
      try file.raise(opened, openedBy: passphrase("second"), to: .policy)
    }
    #expect(try fixture.store.slots() == before)
  }

  /// Adds slots of passphrases at the highest cost like another machine; nobody derives a key for
  /// them here.
  private func plantDearest(_ ids: ClosedRange<UInt32>) throws {
    for id in ids { try fixture.store.plant(.passphrase, id: id, memoryKiB: 1 << 20, passes: 4) }
  }

  @Test("slots whose costs leave no room are refused, and dearer ones are fitted into what is left")
  func room() throws {
    _ = try fixture.store.addSlot(passphrase("cheap"), name: "", cost: .minimum)
    try plantDearest(3...3)
    let large = try PassphraseCost(memoryKiB: 8192, passes: 16)
    // Exactly the remaining work, and one KiB in one pass more than that.
    try fixture.store.plant(.passphrase, id: 4, memoryKiB: (1 << 20) - 8192 - 32_768, passes: 4)
    let room = SlotLimits.mostWork - SlotLimits.work(of: try fixture.store.slots())
    #expect(room == 4 * 40_960 - 8192)
    #expect(SlotLimits.fitting(.standard, beside: try fixture.store.slots()) == nil)
    _ = try fixture.store.addSlot(passphrase("fits"), name: "", cost: large)
    let error = VaultError(.invalidArgument, "")
    let over = try PassphraseCost(memoryKiB: 8192, passes: 8)
    #expect(throws: error) { try fixture.store.addSlot(passphrase("more"), name: "", cost: over) }
    #expect(throws: error) {
      try fixture.store.replaceKey(
        passphrase("cheap"), with: passphrase("dear"),
        cost: PassphraseCost(memoryKiB: 65_536, passes: 3))
    }
    // Unlocking would raise it, and leaves it as it is.
    try fixture.store.unlock(with: passphrase("cheap"))
    #expect(try fixture.store.slots().first { $0.id == 2 }?.cost == .minimum)
  }

  @Test("a cost is lowered to what is left, and not below the policy")
  func fitting() throws {
    let (policy, wanted) = (
      PassphraseCost.policy, try PassphraseCost(memoryKiB: 1 << 20, passes: 4)
    )
    #expect(wanted.limited(to: wanted.work) == wanted)
    for room in [wanted.work - 1, wanted.work / 2, 1 << 20, policy.work] {
      let found = try #require(wanted.limited(to: room))
      #expect(found.work <= room && !found.isBelow(policy))
    }
    #expect(wanted.limited(to: policy.work - 1) == nil)
  }

  @Test("a new cost is the machine's own, whatever the file says")
  func wish() throws {
    let cheap = try PassphraseCost(memoryKiB: 8192, passes: 1)
    _ = try fixture.store.addSlot(passphrase("second"), name: "", cost: cheap)
    let changed = try fixture.store.replaceKey(
      passphrase("second"), with: passphrase("new"), cost: nil)
    #expect(try #require(changed.cost).isBelow(.policy) == false)
  }
}

extension FileStore {
  /// Adds a slot like another machine, or a later version; one of that version's kinds has a KDF 7.
  fileprivate func plant(
    _ kind: Slot.Kind, id: UInt32, memoryKiB: UInt32 = 0, passes: UInt32 = 0
  ) throws {
    try locked { (file) throws(VaultError) in
      try file.inTransaction { (now, connection) throws(VaultError) in
        var body = try file.slotRows()[0].body
        body[0] = kind.rawValue
        body[1] = kind == .passphrase ? 1 : 7
        if kind == .passphrase {
          var costs: [UInt8] = []
          memoryKiB.appendLittleEndian(to: &costs)
          passes.appendLittleEndian(to: &costs)
          body.replaceSubrange(4..<12, with: costs)
        }
        var message: [UInt8] = []
        id.appendLittleEndian(to: &message)
        body = body.dropLast(8) + Hash.checksum(message + body.dropLast(8))
        try connection.run(.insertSlot, .integer(UInt64(id)), .blob(body))
        var head = now.head
        head.slots = now.keys.authenticate(slots: try file.slotRows())
        try head.succeed(now.headTag, at: .now())
        let sealed = now.keys.seal(head.encoded, as: .head, id: 0)
        try connection.run(.updateHead, .blob(sealed))
        return (now, head, sealed)
      }
    }
  }

  fileprivate func body(_ id: UInt32) throws -> [UInt8] {
    let rows = try locked { (file) throws(VaultError) in try file.slotRows() }
    return try #require(rows.first { $0.id == id }).body
  }
}
