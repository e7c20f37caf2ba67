import AttackSupport
import Glibc
import SealedTree
import StoreTesting
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// Rollback records and a restore: no machine that saw the vault before reports a rollback after
/// it.
@Suite struct RestoreTests {
  private static func add(_ account: String, to fixture: VaultFixture) throws {
    try fixture.withStore { (store) throws(VaultError) in
      _ = try store.add(Workload.item(account, account))
    }
  }

  /// Returns the result on another machine that shares the file and has records of its own.
  private static func look(
    _ fixture: VaultFixture, _ stateFolder: String? = nil
  ) -> VaultError.Code? {
    do throws(VaultError) {
      return try GoldenVault.withStore(
        fixture.vault, key: fixture.key, stateFolder: stateFolder ?? fixture.stateFolder
      ) { (store) throws(VaultError) in
        _ = try store.find(ItemQuery(), withSecrets: true)
        return nil
      }
    } catch {
      return error.code
    }
  }

  @discardableResult
  private static func restore(
    _ fixture: VaultFixture, from backup: String, stateFolder: String? = nil, key: UnlockKey? = nil
  ) throws(VaultError) -> Restored {
    try FileStore.restore(
      from: backup, to: fixture.vault, key: key ?? fixture.key,
      stateFolder: stateFolder ?? fixture.stateFolder, lockTimeout: .seconds(10))
  }

  private static func backUp(_ fixture: VaultFixture) throws -> String {
    let path = fixture.folder("backup\(UInt64.random(in: 0 ... .max))")
    try fixture.withStore { (store) throws(VaultError) in _ = try store.backUp(to: path) }
    return path
  }

  @Test(arguments: [1, 3, 70])
  func `A machine that saw the vault before another one restored it is not alarmed`(
    lead: Int
  ) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let backup = try Self.backUp(fixture)
    let states = (0..<3).map { fixture.folder("state\($0)") }
    // Each machine saw the vault at another generation; the last one at the newest.
    for (index, state) in states.enumerated() {
      #expect(Self.look(fixture, state) == nil)
      for number in 0..<lead where index < 2 { try Self.add("\(index) \(number)", to: fixture) }
    }
    try Self.restore(fixture, from: backup, stateFolder: fixture.folder("restorer"))
    for state in states { #expect(Self.look(fixture, state) == nil) }
    #expect(Self.look(fixture) == nil)
    #expect(try fixture.contents().count == Workload.add.base.count)
    try Self.add("after", to: fixture)
    for state in states { #expect(Self.look(fixture, state) == nil) }
  }

  @Test func `After a restore an old copy is still noticed, the one that was replaced too`() throws
  {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let backup = try Self.backUp(fixture)
    try Self.add("newer", to: fixture)
    let replaced = try File.read(fixture.vault)
    try Self.restore(fixture, from: backup)
    let restored = try File.read(fixture.vault)
    for old in [replaced, try File.read(backup)] {
      try File.write(old, to: fixture.vault)
      #expect(Self.look(fixture) == .rolledBack)
    }
    try File.write(restored, to: fixture.vault)
    #expect(Self.look(fixture) == nil)
  }

  @Test func `After a restore a copy that was changed apart is still a fork`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let backup = try Self.backUp(fixture)
    let apart = fixture.folder("apart")
    try File.write(File.read(fixture.vault), to: apart)
    try Self.add("here", to: fixture)
    try Self.restore(fixture, from: backup)
    try GoldenVault.withStore(apart, key: fixture.key) { (store) throws(VaultError) in
      for number in 0..<9 { _ = try store.add(Workload.item("apart\(number)", "apart")) }
    }
    try File.write(File.read(apart), to: fixture.vault)
    #expect(Self.look(fixture) == .forked)
  }

  @Test func `A file that was put back is taken as it is by restoring a copy of it`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let old = try File.read(fixture.vault)
    let other = fixture.folder("other")
    for number in 0..<3 { try Self.add("\(number)", to: fixture) }
    #expect(Self.look(fixture, other) == nil)
    try File.write(old, to: fixture.vault)
    #expect(Self.look(fixture) == .rolledBack)
    try File.write(old, to: fixture.folder("copy"))
    let restored = try Self.restore(fixture, from: fixture.folder("copy"))
    #expect(restored.generation == 6)
    #expect(try fixture.contents().count == Workload.add.base.count)
    // The heads between are not known: the head must claim none of them.
    #expect(Self.look(fixture, other) == nil)
  }

  @Test func `A record ahead of everything else is passed, and an absurd one replaced`() throws {
    for generation in [500, UInt64.max] {
      let fixture = try VaultFixture(holding: Workload.add.base)
      let backup = try Self.backUp(fixture)
      let record = try StateRecord(of: fixture.vault, key: fixture.key).seen(
        epoch: 1, generation: generation, head: Array(repeating: 7, count: 16), at: fixture.vault)
      try File.write(record, to: fixture.seenPath())
      #expect(Self.look(fixture) == .rolledBack)
      let restored = try Self.restore(fixture, from: backup)
      #expect(restored.generation == (generation == 500 ? 501 : 3))
      #expect(Self.look(fixture) == nil)
      try Self.add("after", to: fixture)
    }
  }

  @Test func `The time of the last commit does not go back with a restore`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let backup = try Self.backUp(fixture)
    try Self.add("newer", to: fixture)
    func committed() throws -> Timestamp {
      try fixture.withStore { (store) throws(VaultError) in try store.information().committed }
    }
    let before = try committed()
    try Self.restore(fixture, from: backup)
    #expect(try committed() >= before)
  }

  // MARK: Rekeyed since

  /// Creates a new vault key, and keeps the slots of these keys.
  private static func rekey(_ fixture: VaultFixture, keeping keys: [UnlockKey]) throws {
    try fixture.withStore { (store) throws(VaultError) in
      _ = try store.rekey(
        keeping: keys, cost: .minimum, otherKey: { _ in nil }, progress: { _ in })
    }
  }

  @Test func `A backup from before a rekey comes back under the present key and its slots`() throws
  {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let backup = try Self.backUp(fixture)
    let other = fixture.folder("other")
    try Self.rekey(fixture, keeping: [fixture.key])
    try Self.add("newer", to: fixture)
    #expect(Self.look(fixture, other) == nil)
    let looker = try fixture.driver("look")
    #expect(looker.line() == "open")
    let restored = try Self.restore(fixture, from: backup)
    #expect(restored.epoch == 2 && restored.backupEpoch == 1)
    #expect(restored.slots == restored.replacedSlots)
    #expect(try fixture.contents().count == Workload.add.base.count)
    #expect(try fixture.problems() == [])
    #expect(Self.look(fixture) == nil && Self.look(fixture, other) == nil)
    // A program that has it open keeps the key of this epoch.
    looker.tell("look")
    #expect(looker.line() == "\(Workload.add.base.count) first")
  }

  @Test func `An old epoch's key does not come back where the present one cannot be had`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let backup = try Self.backUp(fixture)
    try Self.rekey(fixture, keeping: [fixture.key])
    try File.remove(fixture.vault)
    let restored = try Self.restore(fixture, from: backup)
    // Only the record knows of epoch 2.
    #expect(restored.epoch == 3 && restored.slots.count == 1)
    #expect(Self.look(fixture) == nil)
    #expect(try fixture.problems() == [])
    for column in ["body FROM slot", "sealed FROM node"] {
      let old = try Database.bytes("SELECT \(column)", of: backup)
      #expect(try !old.isEmpty && Database.bytes("SELECT \(column)", of: fixture.vault) != old)
    }
  }

  @Test
  func `A key that the present file has no slot for gets a new vault key, and it alone a slot`()
    throws
  {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let backup = try Self.backUp(fixture)
    let new = KeyFile()
    try fixture.withStore { (store) throws(VaultError) in
      _ = try store.addSlot(.keyFile(new), name: "new", cost: .minimum)
    }
    try Self.rekey(fixture, keeping: [.keyFile(new)])
    #expect(Self.look(fixture) == .authenticationFailed)
    let restored = try Self.restore(fixture, from: backup)
    #expect(restored.epoch == 3 && restored.slots.count == 1 && restored.replacedSlots.count == 1)
    #expect(Self.look(fixture) == nil)
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try GoldenVault.read(fixture.vault, key: .keyFile(new))
    }
  }

  @Test func `A slot that was removed and put back does not come into force by a restore`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let backup = try Self.backUp(fixture)
    try Self.rekey(fixture, keeping: [fixture.key])
    let old = try Database.bytes("SELECT hex(body) FROM slot", of: fixture.vault)
    let hex = String(decoding: old, as: UTF8.self)
    try Database.run("INSERT INTO slot VALUES (9, x'\(hex)')", on: fixture.vault)
    let restored = try Self.restore(fixture, from: backup)
    #expect(restored.epoch == 3 && restored.slots.count == 1)
  }

  @Test func `A vault that was rekeyed elsewhere, and its backup, alarm nobody`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let other = fixture.folder("other")
    #expect(Self.look(fixture, other) == nil)
    try Self.rekey(fixture, keeping: [fixture.key])
    #expect(Self.look(fixture, other) == nil)
    let backup = try Self.backUp(fixture)
    try Self.add("newer", to: fixture)
    try Self.restore(fixture, from: backup)
    #expect(Self.look(fixture, other) == nil)
  }
}
