import AttackSupport
import Foundation
import SecureMemory
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// Slots of a whole vault, written by somebody who has a key of another one, an old one, or none.
@Suite struct SlotAttackTests {
  private static let passphrase = UnlockKey.passphrase(Secret("golden small passphrase"))

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// Returns the error of opening the vault with a key and reading it all; nil if it answers.
  private func refusal(_ path: String, _ key: UnlockKey) -> VaultError.Code? {
    do throws(VaultError) {
      return try GoldenVault.withStore(path, key: key) { (store) throws(VaultError) in
        _ = try store.find(ItemQuery(), withSecrets: true)
        return nil
      }
    } catch {
      return error.code
    }
  }

  struct Costs: Sendable, CustomTestStringConvertible {
    let memoryKiB: UInt32
    let passes: UInt32
    var testDescription: String { "\(memoryKiB) KiB, \(passes) passes" }
  }

  /// The answer itself shows that nothing was derived: Argon2 over 20 GiB or without memory or
  /// passes is refused for another reason, and 2³²−1 passes over 8 MiB take a year.
  @Test(arguments: [
    Costs(memoryKiB: 20 << 20, passes: 1), Costs(memoryKiB: .max, passes: 1),
    Costs(memoryKiB: 8192, passes: .max), Costs(memoryKiB: .max, passes: .max),
    Costs(memoryKiB: 0, passes: 1), Costs(memoryKiB: 8192, passes: 0),
    Costs(memoryKiB: 0, passes: 0),
    Costs(memoryKiB: 8191, passes: 1), Costs(memoryKiB: 8192, passes: 17),
    Costs(memoryKiB: 1 << 20, passes: 5),
  ])
  func `Costs out of their bounds are damage before anything is derived`(costs: Costs) throws {
    let golden = try GoldenVault.small.get()
    let folder = try Folder()
    try File.write(golden.bytes, to: folder("v"))
    #expect(refusal(folder("v"), Self.passphrase) == nil)
    var body = try Database.bytes("SELECT body FROM slot WHERE id = 1", of: folder("v"))
    var edit: [UInt8] = []
    costs.memoryKiB.appendLittleEndian(to: &edit)
    costs.passes.appendLittleEndian(to: &edit)
    body.replaceSubrange(4..<12, with: edit)
    body = body.dropLast(8) + Hash.checksum([1, 0, 0, 0] + body.dropLast(8))
    try Database.run("UPDATE slot SET body = x'\(hex(body))' WHERE id = 1", on: folder("v"))
    #expect(refusal(folder("v"), Self.passphrase) == .damaged)
    // Another slot's key does not make it valid either.
    #expect(refusal(folder("v"), golden.key) == .damaged)
  }

  @Test func `Costs within their bounds that are not the slot's own open nothing`() throws {
    let folder = try Folder()
    try File.write(GoldenVault.small.get().bytes, to: folder("v"))
    var body = try Database.bytes("SELECT body FROM slot WHERE id = 1", of: folder("v"))
    body[8] = 2
    body = body.dropLast(8) + Hash.checksum([1, 0, 0, 0] + body.dropLast(8))
    try Database.run("UPDATE slot SET body = x'\(hex(body))' WHERE id = 1", on: folder("v"))
    #expect(refusal(folder("v"), Self.passphrase) == .authenticationFailed)
  }

  /// Returns what planted slots cost for an attempt with a wrong passphrase: for each way, its
  /// answer and the number of derivations.
  private func attempts(on folder: Folder) throws -> [String] {
    let driver = try DriverProcess(
      "derive", ["vault": folder("v"), "out": folder("out")],
      environment: ["XDG_STATE_HOME": folder("state")])
    let lines = driver.lines()
    #expect(driver.wait() == .exited(0))
    return lines
  }

  /// Adds slots of a passphrase to the two existing ones, each under a right checksum.
  private func plant(
    _ ids: ClosedRange<UInt32>, memoryKiB: UInt32, passes: UInt32, in path: String
  ) throws {
    let body = try Database.bytes("SELECT body FROM slot WHERE id = 1", of: path)
    for id in ids {
      var planted = Array(body.dropLast(8))
      for (offset, byte) in (littleEndian(memoryKiB) + littleEndian(passes)).enumerated() {
        planted[4 + offset] = byte
      }
      planted += Hash.checksum(littleEndian(id) + planted)
      try Database.run("INSERT INTO slot VALUES (\(id), x'\(hex(planted))')", on: path)
    }
  }

  private func littleEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  struct Planted: Sendable, CustomTestStringConvertible {
    let ids: ClosedRange<UInt32>
    let memoryKiB: UInt32
    let passes: UInt32
    var testDescription: String { "\(ids): \(memoryKiB) KiB, \(passes) passes" }
  }

  @Test(arguments: [
    // As many as there may be in all, fifteen of them with a KDF; nine with a KDF; and two of the
    // dearest beside a third that is no dearer than needed.
    Planted(ids: 3...16, memoryKiB: 8192, passes: 1),
    Planted(ids: 3...10, memoryKiB: 8192, passes: 1),
    Planted(ids: 3...4, memoryKiB: 1 << 20, passes: 4),
    Planted(ids: 3...9, memoryKiB: 1 << 20, passes: 2),
  ])
  func `Planted slots beyond what a vault can have cost no derivation`(planted: Planted) throws {
    let folder = try Folder()
    try File.write(GoldenVault.small.get().bytes, to: folder("v"))
    try plant(planted.ids, memoryKiB: planted.memoryKiB, passes: planted.passes, in: folder("v"))
    #expect(
      try attempts(on: folder) == [
        "open damaged 0", "salvage damaged 0", "diagnose success 0", "check damaged 0",
      ])
    #expect(refusal(folder("v"), try GoldenVault.small.get().key) == .damaged)
  }

  @Test func `Planted slots within what a vault can have are each tried once`() throws {
    let folder = try Folder()
    try File.write(GoldenVault.small.get().bytes, to: folder("v"))
    try plant(3...9, memoryKiB: 8192, passes: 1, in: folder("v"))
    #expect(
      try attempts(on: folder) == [
        "open authentication-failed 8", "salvage authentication-failed 8", "diagnose success 8",
        "check authentication-failed 8",
      ])
  }

  @Test(arguments: [true, false])
  func `A slot of another vault opens nothing, whoever's key is used`(isAdded: Bool) throws {
    let (small, heavy) = (try GoldenVault.small.get(), try GoldenVault.heavy.get())
    let folder = try Folder()
    try File.write(small.bytes, to: folder("v"))
    try File.write(heavy.bytes, to: folder("other"))
    let sql =
      isAdded
      ? "INSERT INTO main.slot SELECT 3, body FROM other.slot WHERE id = 2"
      : "DELETE FROM main.slot; INSERT INTO main.slot SELECT * FROM other.slot"
    try Database.run(sql, on: folder("v"), other: folder("other"))
    // Added under another id it is not a slot at all; in the place of the old ones it is another
    // vault's.
    #expect(refusal(folder("v"), heavy.key) == (isAdded ? .damaged : .authenticationFailed))
    #expect(refusal(folder("v"), small.key) == (isAdded ? .damaged : .authenticationFailed))
  }

  @Test func `A removed slot that is put back is damage, also to its own key`() throws {
    let fixture = try VaultFixture()
    let removed = UnlockKey.recoveryCode(RecoveryCode())
    try fixture.withStore { (store) throws(VaultError) in
      _ = try store.addSlot(removed, name: "", cost: nil)
    }
    #expect(refusal(fixture.vault, removed) == nil)
    let body = try Database.bytes("SELECT body FROM slot WHERE id = 2", of: fixture.vault)
    try fixture.withStore { (store) throws(VaultError) in try store.removeSlot(2) }
    #expect(refusal(fixture.vault, removed) == .authenticationFailed)
    try Database.run("INSERT INTO slot VALUES (2, x'\(hex(body))')", on: fixture.vault)
    // It opens the wrap, and with it the vault's own key: only the head knows that it was removed.
    #expect(refusal(fixture.vault, removed) == .damaged)
    #expect(refusal(fixture.vault, fixture.key) == .damaged)
  }

  @Test func `An old passphrase's slot that is put back is damage`() throws {
    let fixture = try VaultFixture()
    let (old, new) = (UnlockKey.passphrase(Secret("old")), UnlockKey.passphrase(Secret("new")))
    try fixture.withStore { (store) throws(VaultError) in
      _ = try store.addSlot(old, name: "", cost: .minimum)
    }
    let body = try Database.bytes("SELECT body FROM slot WHERE id = 2", of: fixture.vault)
    try fixture.withStore { (store) throws(VaultError) in
      _ = try store.replaceKey(old, with: new, cost: .minimum)
    }
    #expect(refusal(fixture.vault, old) == .authenticationFailed)
    #expect(refusal(fixture.vault, new) == nil)
    try Database.run("UPDATE slot SET body = x'\(hex(body))' WHERE id = 2", on: fixture.vault)
    #expect(refusal(fixture.vault, old) == .damaged)
    #expect(refusal(fixture.vault, new) == .authenticationFailed)
  }

  @Test func `A wrap that opens under two passphrases takes the committed one only`() throws {
    let golden = try GoldenVault.twoPassphrases.get()
    let folder = try Folder()
    try File.write(golden.bytes, to: folder("v"))
    let first = UnlockKey.passphrase(Secret("golden two-passphrases passphrase"))
    #expect(refusal(folder("v"), first) == nil)
    // Without the commitment the wrap would open to another vault key, and a good vault look
    // damaged.
    #expect(refusal(folder("v"), .passphrase(Secret("second"))) == .authenticationFailed)
    #expect(refusal(folder("v"), .passphrase(Secret("third"))) == .authenticationFailed)
  }
}
