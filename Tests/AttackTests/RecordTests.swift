import AttackSupport
import Glibc
import SealedTree
import StoreTesting
import Testing
import VaultCrypto
import VaultFile
import VaultModel
import VaultRecovery

/// A machine's records of a vault: only a holder of the vault's key can write them.
@Suite("records and state files: of a vault")
struct RecordTests {
  static func add(_ account: String, to scene: Scene) throws {
    try scene.withStore { (store) throws(VaultError) in
      _ = try store.add(Workload.item(account, account))
    }
  }

  static func outcome(_ scene: Scene) -> VaultError.Code? {
    do throws(VaultError) {
      _ = try scene.contents()
      return nil
    } catch {
      return error.code
    }
  }

  static func rekey(_ scene: Scene, keeping keys: [UnlockKey]? = nil) throws {
    try scene.withStore { (store) throws(VaultError) in
      _ = try store.rotate(
        keeping: keys ?? [scene.key], cost: .minimum, otherKey: { _ in nil }, progress: { _ in })
    }
  }

  /// Returns the reports of `info` and `doctor` on records that do not verify.
  private func told(_ scene: Scene) throws -> (info: [String], doctor: [DiagnosticResult]) {
    let doctor = Diagnostics(of: scene.vault, stateFolder: scene.stateFolder, key: scene.key)
    let info = try scene.withStore { (store) throws(VaultError) in
      try store.information().unverifiedRecords
    }
    return (info, doctor.findings.filter { $0.check == "records" })
  }

  /// Returns a record of an older generation, written by somebody who knows the page and not the
  /// key.
  private func forged(_ record: [UInt8], by other: Scene) throws -> [UInt8] {
    try Memento(of: other.vault, key: other.key).seen(
      epoch: 1, generation: 1, head: Array(record[24..<40]), at: other.vault)
  }

  @Test func `A record that somebody else wrote is not believed, is told, and hides nothing later`()
    throws
  {
    let (scene, stranger) = (try Scene(holding: Workload.add.base), try Scene())
    let older = try File.read(scene.vault)
    try Self.add("newer", to: scene)
    let newer = try File.read(scene.vault)
    let forged = try forged(File.read(scene.seenPath()), by: stranger)
    try File.write(forged, to: scene.seenPath())
    // A diagnosis from outside reports it, and changes nothing.
    let found = Diagnostics(of: scene.vault, stateFolder: scene.stateFolder, key: scene.key)
    #expect(found.findings.filter { $0.check == "records" }.map(\.status) == [.warning])
    #expect(try File.read(scene.seenPath()) == forged)
    #expect(try scene.unverified() == [])
    // Using the vault writes a good one, and keeps the other.
    #expect(Self.outcome(scene) == nil)
    let aside = try scene.seenPath() + ".unverified"
    #expect(try File.read(aside) == forged)
    for _ in 0..<2 {
      let told = try told(scene)
      #expect(told.info == [aside])
      #expect(told.doctor.map(\.status) == [.warning])
      #expect(told.doctor.first?.text.contains(aside) == true)
    }
    try File.write(older, to: scene.vault)
    #expect(Self.outcome(scene) == .rolledBack)
    // A second one does not replace the first one.
    try File.write(newer, to: scene.vault)
    try File.write(forged.map { $0 ^ ($0 == forged[70] ? 1 : 0) }, to: scene.seenPath())
    #expect(Self.outcome(scene) == nil)
    #expect(try File.read(aside) == forged)
    try File.remove(aside)
    let after = try told(scene)
    #expect(after.info == [] && after.doctor.isEmpty)
  }

  @Test func `A record of the same vault at another path is not believed`() throws {
    let scene = try Scene(holding: Workload.add.base)
    let copy = scene.folder("vault/copy")
    try File.write(File.read(scene.vault), to: copy)
    _ = try Specimen.read(copy, key: scene.key, stateFolder: scene.stateFolder)
    let record = try scene.seenPaths().first { $0 != (try? scene.ownSeenPath()) }
    let own = try scene.ownSeenPath()
    try Self.add("newer", to: scene)
    let older = try File.read(copy)
    try File.write(File.read(#require(record)), to: own)
    try File.write(older, to: scene.vault)
    // It would have said that the older generation is the newest; it is ignored, and reported.
    #expect(Self.outcome(scene) == nil)
    #expect(try told(scene).info == [own + ".unverified"])
  }

  enum Change: CaseIterable, Sendable {
    case rekey, restore, compact, rekeyAndRestore, passphrase
  }

  @Test(arguments: Change.allCases)
  func `Whatever becomes of the vault, a copy from before verifies its record and is an old one`(
    change: Change
  ) throws {
    let scene = try Scene(holding: Workload.add.base)
    let backup = scene.folder("backup")
    try scene.withStore { (store) throws(VaultError) in _ = try store.backUp(to: backup) }
    let before = try File.read(scene.vault)
    switch change {
    case .rekey: try Self.rekey(scene)
    case .compact:
      try Self.add("newer", to: scene)
      try scene.withStore { (store) throws(VaultError) in _ = try store.compact() }
    case .passphrase:
      try scene.withStore { (store) throws(VaultError) in
        _ = try store.addSlot(.keyFile(KeyFile()), name: "other", cost: .minimum)
      }
    case .restore, .rekeyAndRestore:
      if change == .rekeyAndRestore { try Self.rekey(scene) }
      _ = try FileStore.restore(
        from: backup, to: scene.vault, key: scene.key, stateFolder: scene.stateFolder,
        lockTimeout: .seconds(10))
    }
    let after = try File.read(scene.vault)
    try File.write(before, to: scene.vault)
    #expect(Self.outcome(scene) == .rolledBack)
    try File.write(after, to: scene.vault)
    #expect(Self.outcome(scene) == nil)
    #expect(try scene.unverified() == [])
    #expect(try scene.problems() == [])
  }

  @Test func `A record that cannot be put aside stays, and is told as it is`() throws {
    let scene = try Scene(holding: Workload.add.base)
    let path = try scene.seenPath()
    var record = try File.read(path)
    record[20] ^= 1
    try File.write(record, to: path)
    try File.setMode(0o500, of: scene.stateFolder)
    defer { _ = try? File.setMode(0o700, of: scene.stateFolder) }
    #expect(try FileSafetyTests.probe(scene) == ["open", "done", "done"])
    #expect(try File.read(path) == record)
    #expect(!File.exists(path + ".unverified"))
    // Root gave it to the other user, and trusts no file but its own.
    try File.setOwner(geteuid(), of: path)
    try File.setOwner(geteuid(), of: scene.vault)
    try File.setOwner(geteuid(), of: scene.folder("vault"))
    let doctor = Diagnostics(of: scene.vault, stateFolder: scene.stateFolder, key: scene.key)
    let told = doctor.findings.filter { $0.check == "records" }
    #expect(told.count == 1 && told.first?.text.hasPrefix(path) == true)
  }

  @Test func `A link to nothing where a record is to be put aside is told`() throws {
    let (scene, stranger) = (try Scene(holding: Workload.add.base), try Scene())
    let path = try scene.seenPath()
    try File.makeSymbolicLink(path + ".unverified", to: scene.folder("nothing"))
    try File.write(forged(File.read(path), by: stranger), to: path)
    for isForged in [true, false] {
      // The doctor runs before the record is written again.
      let told = try told(scene)
      #expect(told.info == [path + ".unverified"])
      #expect(told.doctor.count == (isForged ? 2 : 1))
      #expect(told.doctor.last?.text.hasPrefix(path + ".unverified ") == true)
    }
    #expect(!File.exists(scene.folder("nothing")))
  }

  @Test func `A record of another length is none, and the next one has its own again`() throws {
    let scene = try Scene(holding: Workload.add.base)
    let path = try scene.seenPath()
    let record = try File.read(path)
    for other in [Array(record.dropLast()), record + [0, 0], record + record, []] {
      try File.write(other, to: path)
      let found = Diagnostics(of: scene.vault, stateFolder: scene.stateFolder, key: scene.key)
      #expect(found.findings.filter { $0.check == "rollback-memory" }.map(\.status) == [.note])
      #expect(Self.outcome(scene) == nil)
      #expect(try File.read(path) == record)
      #expect(try told(scene).info == [])
    }
  }
}

extension Scene {
  /// Returns the files with generations, of every path.
  fileprivate func seenPaths() throws -> [String] {
    try folder.contents(of: "state/vaultctl").filter { $0.hasSuffix(".seen") }
      .map { stateFolder + "/" + $0 }
  }

  fileprivate func ownSeenPath() throws -> String {
    let place = Hash.hash(Array(vault.utf8), count: 16)
    let hex = VaultID(place)?.hex ?? ""
    return try seenPaths().first { $0.hasSuffix("-\(hex).seen") } ?? ""
  }
}
