import VaultReports
import AttackSupport
import SealedTree
import StoreTesting
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// Copies that were changed apart for longer than the head itself remembers.
@Suite struct ChangedApartTests {
  /// Commits as often as said, with as little work as possible.
  private static func commit(_ count: Int, to store: FileStore) throws(VaultError) {
    let space = try ProtectionSpace(host: "host.example.com")
    for _ in 0..<count {
      try store.write { (transaction) throws(VaultError) in
        try transaction.setDefaultUser("user \(UInt64.random(in: 0 ... .max))", for: space)
      }
    }
  }

  private func commit(_ count: Int, to path: String, _ fixture: VaultFixture) throws(VaultError) {
    try GoldenVault.withStore(path, key: fixture.key) { (store) throws(VaultError) in
      try Self.commit(count, to: store)
    }
  }

  /// Returns the result of opening the vault with what was seen in a state folder.
  private func outcome(_ fixture: VaultFixture, _ stateFolder: String) -> VaultError.Code? {
    AttackSupport.outcome { () throws(VaultError) in
      try GoldenVault.withStore(fixture.vault, key: fixture.key, stateFolder: stateFolder) {
        (store) throws(VaultError) in
        _ = try store.find(ItemQuery(), withSecrets: true)
      }
    }?.code
  }

  /// Makes the present record that of a state folder of its own.
  private func keepRecord(_ fixture: VaultFixture, as name: String) throws -> String {
    let folder = fixture.folder(name)
    try File.makeFolder(folder)
    let path = try fixture.seenPath()
    let file = try #require(path.split(separator: "/").last)
    try File.write(File.read(path), to: "\(folder)/\(file)")
    return folder
  }

  @Test func `A fork of any length is noticed, and a vault that went on is not one`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base(3))
    try commit(30, to: fixture.vault, fixture)
    let before = try fixture.withStore { (store) throws(VaultError) in
      try store.information().generation
    }
    let common = try keepRecord(fixture, as: "common")
    let elsewhere = fixture.folder("elsewhere")
    try File.write(File.read(fixture.vault), to: elsewhere)
    _ = try fixture.withStore { (store) throws(VaultError) in
      try store.add(Workload.item("here", "here"))
    }
    let here = try keepRecord(fixture, as: "here")
    var done = 0
    for lead in [1, 2, 63, 64, 65, 66, 67, 128, 1000, 5000] {
      try commit(lead - done, to: elsewhere, fixture)
      done = lead
      let fork = try File.read(elsewhere)
      try File.write(fork, to: fixture.vault)
      #expect(outcome(fixture, here) == .forked, "\(lead)")
      #expect(try File.read(fixture.vault) == fork)
      // Who saw only what both continue accepts either.
      let honest = fixture.folder("honest\(lead)")
      try File.makeFolder(honest)
      for name in try fixture.folder.contents(of: "common") {
        try File.write(File.read("\(common)/\(name)"), to: "\(honest)/\(name)")
      }
      #expect(outcome(fixture, honest) == nil, "\(lead)")
    }
    let after = try GoldenVault.withStore(fixture.vault, key: fixture.key) {
      (store) throws(VaultError) in
      (try store.information().generation, try store.verify().problems.map(\.description))
    }
    #expect(after.0 == before + 5000 && after.1.isEmpty)
  }

  @Test func `A fork is noticed after a new epoch, too`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base(3))
    let elsewhere = fixture.folder("elsewhere")
    try File.write(File.read(fixture.vault), to: elsewhere)
    _ = try fixture.withStore { (store) throws(VaultError) in
      try store.add(Workload.item("here", "here"))
    }
    let here = try keepRecord(fixture, as: "here")
    try commit(200, to: elsewhere, fixture)
    try GoldenVault.withStore(elsewhere, key: fixture.key) { (store) throws(VaultError) in
      _ = try store.rekey(
        keeping: [fixture.key], cost: .minimum, otherKey: { (_) throws(VaultError) in nil },
        progress: { _ in })
      try Self.commit(70, to: store)
    }
    try File.write(File.read(elsewhere), to: fixture.vault)
    #expect(outcome(fixture, here) == .forked)
    let problems = try GoldenVault.withStore(fixture.vault, key: fixture.key) {
      (store) throws(VaultError) in try store.verify().problems.map(\.description)
    }
    #expect(problems.isEmpty)
  }

  enum Trouble: CaseIterable, Sendable {
    case deleted, swapped, ofTheOtherBranch, ofAnotherVault, allDeleted
  }

  @Test(arguments: Trouble.allCases)
  func `A block of ancestors that was taken away or exchanged hides no fork`(
    trouble: Trouble
  ) throws {
    let fixture = try VaultFixture(holding: Workload.add.base(3))
    let elsewhere = fixture.folder("elsewhere")
    try File.write(File.read(fixture.vault), to: elsewhere)
    let here = fixture.vault
    _ = try fixture.withStore { (store) throws(VaultError) in
      try store.add(Workload.item("here", "here"))
    }
    let state = try keepRecord(fixture, as: "here")
    try commit(200, to: here, fixture)
    let honest = try File.read(here)
    try commit(200, to: elsewhere, fixture)
    let first = "6917529027641081856"
    switch trouble {
    case .deleted: try Database.run("DELETE FROM node WHERE id = \(first)", on: elsewhere)
    case .allDeleted: try Database.run("DELETE FROM node WHERE id >= \(first)", on: elsewhere)
    case .swapped:
      try Database.run(
        "UPDATE node SET sealed = (SELECT sealed FROM node WHERE id = \(first) + 1)"
          + " WHERE id = \(first)", on: elsewhere)
    case .ofTheOtherBranch:
      try File.write(honest, to: fixture.folder("honest"))
      try Database.run(
        "UPDATE node SET sealed = (SELECT sealed FROM other.node WHERE id = \(first))"
          + " WHERE id = \(first)", on: elsewhere, other: fixture.folder("honest"))
    case .ofAnotherVault:
      let other = try VaultFixture(holding: [])
      try commit(100, to: other.vault, other)
      try Database.run(
        "UPDATE node SET sealed = (SELECT sealed FROM other.node WHERE id = \(first))"
          + " WHERE id = \(first)", on: elsewhere, other: other.vault)
    }
    try File.write(File.read(elsewhere), to: here)
    #expect(outcome(fixture, state) == .damaged)
    // Who does not need it reads on, and the check finds it.
    let problems = try GoldenVault.withStore(here, key: fixture.key) {
      (store) throws(VaultError) in
      _ = try store.find(ItemQuery(), withSecrets: true)
      return try store.verify().problems.map(\.kind)
    }
    #expect(problems == [.ancestors])
    try File.write(honest, to: here)
    #expect(outcome(fixture, state) == nil)
  }

  // MARK: Merging and restoring

  /// Returns a file after further commits.
  private func further(
    _ count: Int, after bytes: [UInt8], _ fixture: VaultFixture
  ) throws -> [UInt8] {
    let path = fixture.folder("further")
    try File.write(bytes, to: path)
    try commit(count, to: path, fixture)
    return try File.read(path)
  }

  /// Returns a state folder in which a file was seen in the vault's place.
  private func seeing(_ bytes: [UInt8], _ fixture: VaultFixture) throws -> String {
    let folder = fixture.folder("state\(UInt64.random(in: 0 ... .max))")
    try File.makeFolder(folder)
    try File.write(bytes, to: fixture.vault)
    #expect(outcome(fixture, folder) == nil)
    return folder
  }

  /// Returns how a file is judged where another one was seen.
  private func judgement(
    of bytes: [UInt8], after seen: [UInt8], _ fixture: VaultFixture
  ) throws -> VaultError.Code? {
    let folder = try seeing(seen, fixture)
    try File.write(bytes, to: fixture.vault)
    return outcome(fixture, folder)
  }

  private func problems(_ fixture: VaultFixture) throws -> [String] {
    try GoldenVault.withStore(fixture.vault, key: fixture.key) { (store) throws(VaultError) in
      try store.verify().problems.map(\.description)
    }
  }

  @Test func `Whoever saw a merged copy long ago accepts the merged vault, but no third copy`()
    throws
  {
    let fixture = try VaultFixture(holding: Workload.add.base(3))
    let common = try further(30, after: File.read(fixture.vault), fixture)
    let ours = try further(50, after: common, fixture)
    let theirs = try further(40, after: common, fixture)
    let third = try further(45, after: common, fixture)
    let other = fixture.folder("other")
    try File.write(further(300, after: theirs, fixture), to: other)
    try File.write(further(100, after: ours, fixture), to: fixture.vault)
    let store = try FileStore.open(
      VaultPath(fixture.vault), stateFolder: nil, lockTimeout: .seconds(5))
    let key = fixture.key
    let merged = try store.merge(
      other, key: key, keyFile: nil, lockTimeout: .seconds(5),
      otherKey: { (_) throws(VaultError) in key },
      decisions: MergeDecisions(isDryRun: false, preference: .newer) { (_) throws(VaultError) in
        nil
      })
    try store.close()
    #expect(merged.isWritten && merged.relation == .forked)
    let result = try File.read(fixture.vault)
    #expect(try problems(fixture) == [])
    for bytes in [result, try further(200, after: result, fixture)] {
      for seen in [common, ours, theirs, try File.read(other)] {
        #expect(try judgement(of: bytes, after: seen, fixture) == nil)
      }
      #expect(try judgement(of: bytes, after: third, fixture) == .forked)
    }
    #expect(try problems(fixture) == [])
  }

  /// The second one is restored with the generation that completes a block.
  @Test(arguments: [100, 125])
  func `A restored vault continues the replaced one, and its forks are noticed`(
    count: Int
  ) throws {
    let fixture = try VaultFixture(holding: Workload.add.base(3))
    let first = try further(20, after: File.read(fixture.vault), fixture)
    let backup = fixture.folder("backup")
    try File.write(first, to: backup)
    let seen = try further(60, after: first, fixture)
    let fork = try further(70, after: first, fixture)
    let state = try seeing(further(count - 80, after: seen, fixture), fixture)
    let restored = try FileStore.restore(
      from: backup, to: fixture.vault, key: fixture.key, stateFolder: state,
      lockTimeout: .seconds(5))
    #expect(restored.generation == UInt64(count + 3))
    let result = try File.read(fixture.vault)
    for bytes in [result, try further(150, after: result, fixture)] {
      #expect(try judgement(of: bytes, after: seen, fixture) == nil)
      #expect(try judgement(of: bytes, after: first, fixture) == nil)
      #expect(try problems(fixture) == [])
      let answer = try judgement(of: bytes, after: fork, fixture)
      #expect(answer == .forked)
    }
  }

  @Test func `A vault restored where none is left says nothing of heads before it`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base(3))
    let common = try further(20, after: File.read(fixture.vault), fixture)
    let first = try further(80, after: common, fixture)
    let backup = fixture.folder("backup")
    try File.write(first, to: backup)
    let (early, late) = (
      try further(30, after: common, fixture), try further(170, after: common, fixture)
    )
    #expect(try judgement(of: first, after: early, fixture) == .forked)
    try File.remove(fixture.vault)
    _ = try FileStore.restore(
      from: backup, to: fixture.vault, key: fixture.key, stateFolder: nil,
      lockTimeout: .seconds(5))
    let result = try further(200, after: File.read(fixture.vault), fixture)
    // The backup's own heads are not taken for those of the lost file.
    #expect(try judgement(of: result, after: early, fixture) == nil)
    #expect(try judgement(of: result, after: first, fixture) == nil)
    #expect(try judgement(of: result, after: late, fixture) == .forked)
    #expect(try problems(fixture) == [])
  }

  @Test func `Each 64th commit adds a row for those before it, and no other does`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base(3))
    func rows() throws -> String {
      let query = "SELECT count(*) || '' FROM node WHERE id >= 6917529027641081856"
      return String(decoding: try Database.bytes(query, of: fixture.vault), as: UTF8.self)
    }
    // The vault is of generation 2.
    for (count, expected) in [(61, "0"), (1, "1"), (63, "1"), (1, "2"), (64, "3")] {
      try commit(count, to: fixture.vault, fixture)
      #expect(try rows() == expected)
    }
  }
}
