import AttackSupport
import Glibc
import SealedTree
import StoreTesting
import Testing
import VaultCrypto
import VaultFile
import VaultModel
import VaultRecovery

/// Rollback records and a restore: no machine that saw the vault before reports a rollback after
/// it.
@Suite struct RestoreTests {
  private static func add(_ account: String, to scene: Scene) throws {
    try scene.withStore { (store) throws(VaultError) in
      _ = try store.add(Workload.item(account, account))
    }
  }

  /// Returns the result on another machine that shares the file and has records of its own.
  private static func look(
    _ scene: Scene, _ stateFolder: String? = nil
  ) -> VaultError.Code? {
    do throws(VaultError) {
      return try Specimen.withStore(
        scene.vault, key: scene.key, stateFolder: stateFolder ?? scene.stateFolder
      ) { (store) throws(VaultError) in
        _ = try store.find(ItemQuery(), secrets: true)
        return nil
      }
    } catch {
      return error.code
    }
  }

  @discardableResult
  private static func restore(
    _ scene: Scene, from backup: String, stateFolder: String? = nil, key: UnlockKey? = nil
  ) throws(VaultError) -> Restored {
    try FileStore.restore(
      from: backup, to: scene.vault, key: key ?? scene.key,
      stateFolder: stateFolder ?? scene.stateFolder, lockTimeout: .seconds(10))
  }

  private static func backUp(_ scene: Scene) throws -> String {
    let path = scene.folder("backup\(UInt64.random(in: 0 ... .max))")
    try scene.withStore { (store) throws(VaultError) in _ = try store.backUp(to: path) }
    return path
  }

  @Test(arguments: [1, 3, 70])
  func `A machine that saw the vault before another one restored it is not alarmed`(
    lead: Int
  ) throws {
    let scene = try Scene(holding: Workload.add.base)
    let backup = try Self.backUp(scene)
    let states = (0..<3).map { scene.folder("state\($0)") }
    // Each machine saw the vault at another generation; the last one at the newest.
    for (index, state) in states.enumerated() {
      #expect(Self.look(scene, state) == nil)
      for number in 0..<lead where index < 2 { try Self.add("\(index) \(number)", to: scene) }
    }
    try Self.restore(scene, from: backup, stateFolder: scene.folder("restorer"))
    for state in states { #expect(Self.look(scene, state) == nil) }
    #expect(Self.look(scene) == nil)
    #expect(try scene.contents().count == Workload.add.base.count)
    try Self.add("after", to: scene)
    for state in states { #expect(Self.look(scene, state) == nil) }
  }

  @Test func `After a restore an old copy is still noticed, the one that was replaced too`() throws
  {
    let scene = try Scene(holding: Workload.add.base)
    let backup = try Self.backUp(scene)
    try Self.add("newer", to: scene)
    let replaced = try File.read(scene.vault)
    try Self.restore(scene, from: backup)
    let restored = try File.read(scene.vault)
    for old in [replaced, try File.read(backup)] {
      try File.write(old, to: scene.vault)
      #expect(Self.look(scene) == .rolledBack)
    }
    try File.write(restored, to: scene.vault)
    #expect(Self.look(scene) == nil)
  }

  @Test func `After a restore a copy that was changed apart is still a fork`() throws {
    let scene = try Scene(holding: Workload.add.base)
    let backup = try Self.backUp(scene)
    let apart = scene.folder("apart")
    try File.write(File.read(scene.vault), to: apart)
    try Self.add("here", to: scene)
    try Self.restore(scene, from: backup)
    try Specimen.withStore(apart, key: scene.key) { (store) throws(VaultError) in
      for number in 0..<9 { _ = try store.add(Workload.item("apart\(number)", "apart")) }
    }
    try File.write(File.read(apart), to: scene.vault)
    #expect(Self.look(scene) == .forked)
  }

  @Test func `A file that was put back is taken as it is by restoring a copy of it`() throws {
    let scene = try Scene(holding: Workload.add.base)
    let old = try File.read(scene.vault)
    let other = scene.folder("other")
    for number in 0..<3 { try Self.add("\(number)", to: scene) }
    #expect(Self.look(scene, other) == nil)
    try File.write(old, to: scene.vault)
    #expect(Self.look(scene) == .rolledBack)
    try File.write(old, to: scene.folder("copy"))
    let restored = try Self.restore(scene, from: scene.folder("copy"))
    #expect(restored.generation == 6)
    #expect(try scene.contents().count == Workload.add.base.count)
    // The heads between are not known: the head must claim none of them.
    #expect(Self.look(scene, other) == nil)
  }

  @Test func `A record ahead of everything else is passed, and an absurd one replaced`() throws {
    for generation in [500, UInt64.max] {
      let scene = try Scene(holding: Workload.add.base)
      let backup = try Self.backUp(scene)
      let record = try Memento(of: scene.vault, key: scene.key).seen(
        epoch: 1, generation: generation, head: Array(repeating: 7, count: 16), at: scene.vault)
      try File.write(record, to: scene.seenPath())
      #expect(Self.look(scene) == .rolledBack)
      let restored = try Self.restore(scene, from: backup)
      #expect(restored.generation == (generation == 500 ? 501 : 3))
      #expect(Self.look(scene) == nil)
      try Self.add("after", to: scene)
    }
  }

  @Test func `The time of the last commit does not go back with a restore`() throws {
    let scene = try Scene(holding: Workload.add.base)
    let backup = try Self.backUp(scene)
    try Self.add("newer", to: scene)
    func committed() throws -> Timestamp {
      try scene.withStore { (store) throws(VaultError) in try store.information().committed }
    }
    let before = try committed()
    try Self.restore(scene, from: backup)
    #expect(try committed() >= before)
  }

  // MARK: Rekeyed since

  /// Creates a new vault key, and keeps the slots of these keys.
  private static func rekey(_ scene: Scene, keeping keys: [UnlockKey]) throws {
    try scene.withStore { (store) throws(VaultError) in
      _ = try store.rotate(
        keeping: keys, cost: .minimum, otherKey: { _ in nil }, progress: { _ in })
    }
  }

  @Test func `A backup from before a rekey comes back under the present key and its slots`() throws
  {
    let scene = try Scene(holding: Workload.add.base)
    let backup = try Self.backUp(scene)
    let other = scene.folder("other")
    try Self.rekey(scene, keeping: [scene.key])
    try Self.add("newer", to: scene)
    #expect(Self.look(scene, other) == nil)
    let looker = try scene.driver("look")
    #expect(looker.line() == "open")
    let restored = try Self.restore(scene, from: backup)
    #expect(restored.epoch == 2 && restored.backupEpoch == 1)
    #expect(restored.slots == restored.replacedSlots)
    #expect(try scene.contents().count == Workload.add.base.count)
    #expect(try scene.problems() == [])
    #expect(Self.look(scene) == nil && Self.look(scene, other) == nil)
    // A program that has it open keeps the key of this epoch.
    looker.tell("look")
    #expect(looker.line() == "\(Workload.add.base.count) first")
  }

  @Test func `An old epoch's key does not come back where the present one cannot be had`() throws {
    let scene = try Scene(holding: Workload.add.base)
    let backup = try Self.backUp(scene)
    try Self.rekey(scene, keeping: [scene.key])
    try File.remove(scene.vault)
    let restored = try Self.restore(scene, from: backup)
    // Only the record knows of epoch 2.
    #expect(restored.epoch == 3 && restored.slots.count == 1)
    #expect(Self.look(scene) == nil)
    #expect(try scene.problems() == [])
    for column in ["body FROM slot", "sealed FROM node"] {
      let old = try Database.bytes("SELECT \(column)", of: backup)
      #expect(try !old.isEmpty && Database.bytes("SELECT \(column)", of: scene.vault) != old)
    }
  }

  @Test
  func `A key that the present file has no slot for gets a new vault key, and it alone a slot`()
    throws
  {
    let scene = try Scene(holding: Workload.add.base)
    let backup = try Self.backUp(scene)
    let new = KeyFile()
    try scene.withStore { (store) throws(VaultError) in
      _ = try store.addSlot(.keyFile(new), name: "new", cost: .minimum)
    }
    try Self.rekey(scene, keeping: [.keyFile(new)])
    #expect(Self.look(scene) == .authenticationFailed)
    let restored = try Self.restore(scene, from: backup)
    #expect(restored.epoch == 3 && restored.slots.count == 1 && restored.replacedSlots.count == 1)
    #expect(Self.look(scene) == nil)
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try Specimen.read(scene.vault, key: .keyFile(new))
    }
  }

  @Test func `A slot that was removed and put back does not come into force by a restore`() throws {
    let scene = try Scene(holding: Workload.add.base)
    let backup = try Self.backUp(scene)
    try Self.rekey(scene, keeping: [scene.key])
    let old = try Database.bytes("SELECT hex(body) FROM slot", of: scene.vault)
    let hex = String(decoding: old, as: UTF8.self)
    try Database.run("INSERT INTO slot VALUES (9, x'\(hex)')", on: scene.vault)
    let restored = try Self.restore(scene, from: backup)
    #expect(restored.epoch == 3 && restored.slots.count == 1)
  }

  @Test func `A vault that was rekeyed elsewhere, and its backup, alarm nobody`() throws {
    let scene = try Scene(holding: Workload.add.base)
    let other = scene.folder("other")
    #expect(Self.look(scene, other) == nil)
    try Self.rekey(scene, keeping: [scene.key])
    #expect(Self.look(scene, other) == nil)
    let backup = try Self.backUp(scene)
    try Self.add("newer", to: scene)
    try Self.restore(scene, from: backup)
    #expect(Self.look(scene, other) == nil)
  }
}
