import AttackSupport
import Glibc
import SealedTree
import StoreTesting
import Testing
import VaultCrypto
import VaultStore
import VaultModel
import VaultReports

/// A machine's records of a vault: only a holder of the vault's key can write them.
@Suite("records and state files: of a vault")
struct RecordTests {
  static func add(_ account: String, to fixture: VaultFixture) throws {
    try fixture.withStore { (store) throws(VaultError) in
      _ = try store.add(Workload.item(account, account))
    }
  }

  static func rekey(_ fixture: VaultFixture, keeping keys: [UnlockKey]? = nil) throws {
    try fixture.withStore { (store) throws(VaultError) in
      _ = try store.rekey(
        keeping: keys ?? [fixture.key], cost: .minimum, otherKey: { _ in nil }, progress: { _ in })
    }
  }

  /// Returns the reports of `info` and `doctor` on records that do not verify.
  private func told(_ fixture: VaultFixture) throws -> (info: [String], doctor: [DiagnosticResult])
  {
    let doctor = Diagnostics(of: fixture.vault, stateFolder: fixture.stateFolder, key: fixture.key)
    let info = try fixture.withStore { (store) throws(VaultError) in
      try store.information().unverifiedRecords
    }
    return (info, doctor.results.filter { $0.check == .records })
  }

  /// Returns a record of an older generation, written by somebody who knows the page and not the
  /// key.
  private func forged(_ record: [UInt8], by other: VaultFixture) throws -> [UInt8] {
    try StateRecord(of: other.vault, key: other.key).seen(
      epoch: 1, generation: 1, head: Array(record[24..<40]), at: other.vault)
  }

  @Test func `A record that somebody else wrote is not believed, is told, and hides nothing later`()
    throws
  {
    let (fixture, stranger) = (try VaultFixture(holding: Workload.add.base), try VaultFixture())
    let older = try File.read(fixture.vault)
    try Self.add("newer", to: fixture)
    let newer = try File.read(fixture.vault)
    let forged = try forged(File.read(fixture.seenPath()), by: stranger)
    try File.write(forged, to: fixture.seenPath())
    // A diagnosis from outside reports it, and changes nothing.
    let found = Diagnostics(of: fixture.vault, stateFolder: fixture.stateFolder, key: fixture.key)
    #expect(found.results.filter { $0.check == .records }.map(\.status) == [.warning])
    #expect(try File.read(fixture.seenPath()) == forged)
    #expect(try fixture.unverified() == [])
    // Using the vault writes a good one, and keeps the other.
    #expect(fixture.readingOutcome() == nil)
    let aside = try fixture.seenPath() + ".unverified"
    #expect(try File.read(aside) == forged)
    for _ in 0..<2 {
      let told = try told(fixture)
      #expect(told.info == [aside])
      #expect(told.doctor.map(\.status) == [.warning])
      #expect(told.doctor.first?.text.contains(aside) == true)
    }
    try File.write(older, to: fixture.vault)
    #expect(fixture.readingOutcome() == .rolledBack)
    // A second one does not replace the first one.
    try File.write(newer, to: fixture.vault)
    try File.write(forged.map { $0 ^ ($0 == forged[70] ? 1 : 0) }, to: fixture.seenPath())
    #expect(fixture.readingOutcome() == nil)
    #expect(try File.read(aside) == forged)
    try File.remove(aside)
    let after = try told(fixture)
    #expect(after.info == [] && after.doctor.isEmpty)
  }

  @Test func `A record of the same vault at another path is not believed`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let copy = fixture.folder("vault/copy")
    try File.write(File.read(fixture.vault), to: copy)
    _ = try GoldenVault.read(copy, key: fixture.key, stateFolder: fixture.stateFolder)
    let record = try fixture.seenPaths().first { $0 != (try? fixture.ownSeenPath()) }
    let own = try fixture.ownSeenPath()
    try Self.add("newer", to: fixture)
    let older = try File.read(copy)
    try File.write(File.read(#require(record)), to: own)
    try File.write(older, to: fixture.vault)
    // It would have said that the older generation is the newest; it is ignored, and reported.
    #expect(fixture.readingOutcome() == nil)
    #expect(try told(fixture).info == [own + ".unverified"])
  }

  enum Change: CaseIterable, Sendable {
    case rekey, restore, compact, rekeyAndRestore, passphrase
  }

  @Test(arguments: Change.allCases)
  func `Whatever becomes of the vault, a copy from before verifies its record and is an old one`(
    change: Change
  ) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let backup = fixture.folder("backup")
    try fixture.withStore { (store) throws(VaultError) in _ = try store.backUp(to: backup) }
    let before = try File.read(fixture.vault)
    switch change {
    case .rekey: try Self.rekey(fixture)
    case .compact:
      try Self.add("newer", to: fixture)
      try fixture.withStore { (store) throws(VaultError) in _ = try store.compact() }
    case .passphrase:
      try fixture.withStore { (store) throws(VaultError) in
        _ = try store.addSlot(.keyFile(KeyFile()), name: "other", cost: .minimum)
      }
    case .restore, .rekeyAndRestore:
      if change == .rekeyAndRestore { try Self.rekey(fixture) }
      _ = try FileStore.restore(
        from: backup, to: fixture.vault, key: fixture.key, stateFolder: fixture.stateFolder,
        lockTimeout: .seconds(10))
    }
    let after = try File.read(fixture.vault)
    try File.write(before, to: fixture.vault)
    #expect(fixture.readingOutcome() == .rolledBack)
    try File.write(after, to: fixture.vault)
    #expect(fixture.readingOutcome() == nil)
    #expect(try fixture.unverified() == [])
    #expect(try fixture.problems() == [])
  }

  @Test func `A record that cannot be put aside stays, and is told as it is`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let path = try fixture.seenPath()
    var record = try File.read(path)
    record[20] ^= 1
    try File.write(record, to: path)
    try File.setMode(0o500, of: fixture.stateFolder)
    defer { _ = try? File.setMode(0o700, of: fixture.stateFolder) }
    #expect(try FileSafetyTests.probe(fixture) == ["open", "done", "done"])
    #expect(try File.read(path) == record)
    #expect(!File.exists(path + ".unverified"))
    // Root gave it to the other user, and trusts no file but its own.
    try File.setOwner(geteuid(), of: path)
    try File.setOwner(geteuid(), of: fixture.vault)
    try File.setOwner(geteuid(), of: fixture.folder("vault"))
    let doctor = Diagnostics(of: fixture.vault, stateFolder: fixture.stateFolder, key: fixture.key)
    let told = doctor.results.filter { $0.check == .records }
    #expect(told.count == 1 && told.first?.text.hasPrefix(path) == true)
  }

  @Test func `A link to nothing where a record is to be put aside is told`() throws {
    let (fixture, stranger) = (try VaultFixture(holding: Workload.add.base), try VaultFixture())
    let path = try fixture.seenPath()
    try File.makeSymbolicLink(path + ".unverified", to: fixture.folder("nothing"))
    try File.write(forged(File.read(path), by: stranger), to: path)
    for isForged in [true, false] {
      // The doctor runs before the record is written again.
      let told = try told(fixture)
      #expect(told.info == [path + ".unverified"])
      #expect(told.doctor.count == (isForged ? 2 : 1))
      #expect(told.doctor.last?.text.hasPrefix(path + ".unverified ") == true)
    }
    #expect(!File.exists(fixture.folder("nothing")))
  }

  @Test func `A record of another length is none, and the next one has its own again`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let path = try fixture.seenPath()
    let record = try File.read(path)
    for other in [Array(record.dropLast()), record + [0, 0], record + record, []] {
      try File.write(other, to: path)
      let found = Diagnostics(of: fixture.vault, stateFolder: fixture.stateFolder, key: fixture.key)
      #expect(found.results.filter { $0.check == .rollbackMemory }.map(\.status) == [.note])
      #expect(fixture.readingOutcome() == nil)
      #expect(try File.read(path) == record)
      #expect(try told(fixture).info == [])
    }
  }
}

extension VaultFixture {
  /// Returns the files with generations, of every path.
  fileprivate func seenPaths() throws -> [String] {
    try folder.contents(of: "state/vaultctl").filter { $0.hasSuffix(".seen") }
      .map { stateFolder + "/" + $0 }
  }

  fileprivate func ownSeenPath() throws -> String {
    let place = Hash.hash(Array(vault.utf8), count: 16)
    let hex = VaultID(place[...])?.hex ?? ""
    return try seenPaths().first { $0.hasSuffix("-\(hex).seen") } ?? ""
  }
}
