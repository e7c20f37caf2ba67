import AttackSupport
import Glibc
import SecureMemory
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// The table of `Documentation/format.md` §9.2: the keys that open a vault after a restore.
@Suite("records and state files: slots after a restore")
struct RestoredSlotsTests {
  /// A vault that a key file and a passphrase open, with a backup from its first epoch.
  private struct Place {
    let fixture: VaultFixture
    let backup: String
    let passphrase = UnlockKey.passphrase(Secret("correct horse"))

    init() throws {
      fixture = try VaultFixture(holding: Workload.add.base)
      backup = fixture.folder("backup")
      let (passphrase, backup) = (passphrase, backup)
      try fixture.withStore { (store) throws(VaultError) in
        _ = try store.addSlot(passphrase, name: "ann", cost: .minimum)
        _ = try store.backUp(to: backup)
      }
    }

    @discardableResult
    func restore(
      _ key: UnlockKey? = nil, removing: Bool = false
    ) throws(VaultError) -> Restored {
      try FileStore.restore(
        from: backup, to: fixture.vault, key: key ?? fixture.key, removingSlots: removing,
        stateFolder: fixture.stateFolder, lockTimeout: .seconds(1))
    }

    /// Returns whether the key file and the passphrase open the vault.
    func opens() -> [Bool] {
      [fixture.key, passphrase].map { key in
        do {
          return try GoldenVault.read(fixture.vault, key: key, stateFolder: fixture.stateFolder)
            .count
            == Workload.add.base.count
        } catch {
          return false
        }
      }
    }

    /// Writes another epoch into the clear ident, as anyone can who can write the file.
    func claim(epoch: UInt64) throws {
      var ident = try Database.bytes("SELECT ident FROM vault", of: fixture.vault)
      for index in 0..<8 { ident[28 + index] = UInt8(truncatingIfNeeded: epoch >> (8 * index)) }
      ident = Array(ident[..<40]) + Hash.checksum(ident[..<40])
      let hex = VaultHex.text(ident)
      try Database.run("UPDATE vault SET ident = x'\(hex)'", on: fixture.vault)
    }

    /// Replaces the record by one of an epoch: the vault's own, or one that somebody else wrote.
    func remember(epoch: UInt64, forging: Bool) throws {
      let other = try VaultFixture()
      let memento =
        forging
        ? try StateRecord(of: other.vault, key: other.key)
        : try StateRecord(of: backup, key: fixture.key)
      try File.write(
        memento.seen(
          epoch: epoch, generation: 9, head: Array(repeating: 7, count: 16), at: fixture.vault),
        to: fixture.seenPath())
    }
  }

  @Test(arguments: [2, 1 << 20, 1 << 40] as [UInt64])
  func `An epoch that only the clear ident says costs no slot`(epoch: UInt64) throws {
    let place = try Place()
    try place.claim(epoch: epoch)
    let before = try File.read(place.fixture.vault)
    let record = try File.read(place.fixture.seenPath())
    for _ in 0..<2 {
      let error = #expect(throws: VaultError.self) { try place.restore() }
      #expect(error?.code == .rolledBack)
    }
    #expect(try File.read(place.fixture.vault) == before)
    #expect(try File.read(place.fixture.seenPath()) == record)
    #expect(try place.fixture.leftovers() == [])
    // Without the file that claims it, the backup is restored with its slots.
    try File.move(place.fixture.vault, to: place.fixture.folder("aside"))
    let restored = try place.restore()
    #expect(restored.epoch == 1 && restored.slots.count == 2)
    #expect(place.opens() == [true, true])
  }

  @Test(arguments: [2, 1 << 20, 1 << 40] as [UInt64])
  func `Slots are dropped where that is asked for, and the numbers are not used up`(
    epoch: UInt64
  ) throws {
    let place = try Place()
    try place.claim(epoch: epoch)
    let restored = try place.restore(removing: true)
    #expect(restored.epoch == (epoch == 1 << 40 ? 2 : epoch + 1))
    #expect(restored.slots.count == 1)
    #expect(place.opens() == [true, false])
    #expect(try place.fixture.problems() == [])
    // The same holds if nothing claims anything.
    let again = try place.restore(place.passphrase, removing: true)
    #expect(again.epoch == restored.epoch + 1 && again.slots.map(\.kind) == [.passphrase])
    #expect(place.opens() == [false, true])
  }

  @Test(arguments: [false, true])
  func `A record that somebody else wrote costs no slot, whether there is a file or not`(
    isMissing: Bool
  ) throws {
    let place = try Place()
    try place.remember(epoch: 7, forging: true)
    if isMissing { try File.remove(place.fixture.vault) }
    let restored = try place.restore()
    #expect(restored.epoch == 1 && restored.slots.count == 2)
    #expect(place.opens() == [true, true])
    #expect(try place.fixture.unverified().count == 1)
  }

  @Test(arguments: [false, true])
  func `A record that verifies proves the epoch, whether there is a file or not`(
    isMissing: Bool
  ) throws {
    let place = try Place()
    try place.remember(epoch: 7, forging: false)
    if isMissing { try File.remove(place.fixture.vault) }
    let restored = try place.restore()
    #expect(restored.epoch == 8 && restored.slots.count == 1)
    #expect(place.opens() == [true, false])
  }

  @Test(arguments: [false, true])
  func `A slot that the key opens proves the epoch, on a machine that knows nothing`(
    isDamaged: Bool
  ) throws {
    let place = try Place()
    try RecordTests.rekey(place.fixture, keeping: [place.fixture.key, place.passphrase])
    try File.remove(place.fixture.seenPath())
    if isDamaged {
      try Database.run("UPDATE vault SET head = zeroblob(2048)", on: place.fixture.vault)
    }
    let restored = try place.restore()
    // A head that does not open vouches for no slot.
    #expect(restored.epoch == (isDamaged ? 3 : 2))
    #expect(restored.slots.count == (isDamaged ? 1 : 2))
    #expect(place.opens() == [true, !isDamaged])
  }

  @Test(arguments: [nil, 1, 3, 1 << 40] as [UInt64?])
  func `A changed ident costs no slot where the epoch is remembered and the head vouches for all`(
    claim: UInt64?
  ) throws {
    let place = try Place()
    try RecordTests.rekey(place.fixture, keeping: [place.fixture.key, place.passphrase])
    if let claim {
      try place.claim(epoch: claim)
    } else {
      try Database.run("UPDATE vault SET ident = zeroblob(48)", on: place.fixture.vault)
    }
    let restored = try place.restore()
    #expect(restored.epoch == 2 && restored.slots.count == 2)
    #expect(place.opens() == [true, true])
    #expect(try place.fixture.problems() == [])
  }

  @Test(arguments: [1, 3] as [UInt64])
  func `A changed ident brings back no slot that the head does not vouch for`(
    claim: UInt64
  ) throws {
    let place = try Place()
    try RecordTests.rekey(place.fixture, keeping: [place.fixture.key, place.passphrase])
    try Database.run(
      "DELETE FROM slot WHERE id = (SELECT max(id) FROM slot)", on: place.fixture.vault)
    try place.claim(epoch: claim)
    let restored = try place.restore()
    #expect(restored.epoch == max(claim, 2) + 1 && restored.slots.count == 1)
    #expect(place.opens() == [true, false])
  }

  @Test func `A planted slot with a number that no vault gives costs none of the others`() throws {
    let place = try Place()
    try RecordTests.rekey(place.fixture, keeping: [place.fixture.key, place.passphrase])
    try File.remove(place.fixture.seenPath())
    try Database.run(
      "INSERT INTO slot SELECT id + 4294967296, body FROM slot", on: place.fixture.vault)
    let restored = try place.restore()
    #expect(restored.epoch == 2 && restored.slots.count == 2)
    #expect(place.opens() == [true, true])
  }

  @Test func `A key of the backup alone brings no old key back, and drops none unasked`() throws {
    let place = try Place()
    try RecordTests.rekey(place.fixture)
    // This machine saw it: that is proof.
    let proven = try place.restore(place.passphrase)
    #expect(proven.epoch == 3 && place.opens() == [false, true])
    // Another machine did not.
    let other = try Place()
    try RecordTests.rekey(other.fixture)
    try File.remove(other.fixture.seenPath())
    let error = #expect(throws: VaultError.self) { try other.restore(other.passphrase) }
    #expect(error?.code == .rolledBack)
    #expect(other.opens() == [true, false])
    #expect(try other.restore(other.passphrase, removing: true).epoch == 3)
    #expect(other.opens() == [false, true])
  }

  @Test func `A file whose ident is damaged claims nothing`() throws {
    let place = try Place()
    try Database.run("UPDATE vault SET ident = zeroblob(48)", on: place.fixture.vault)
    let restored = try place.restore()
    #expect(restored.epoch == 1 && restored.slots.count == 2)
    #expect(place.opens() == [true, true])
  }
}

/// Bytes as SQL literals.
enum VaultHex {
  static func text(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
