import AttackSupport
import SealedTree
import StoreTesting
import Testing
import VaultCrypto
import VaultFile
import VaultModel
import VaultRecovery
import VaultSession

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
    do throws(VaultError) {
      try GoldenVault.withStore(fixture.vault, key: fixture.key, stateFolder: stateFolder) {
        (store) throws(VaultError) in
        _ = try store.find(ItemQuery(), secrets: true)
      }
      return nil
    } catch {
      return error.code
    }
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
      _ = try store.rotate(
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
      _ = try store.find(ItemQuery(), secrets: true)
      return try store.verify().problems.map(\.kind)
    }
    #expect(problems == [.ancestors])
    try File.write(honest, to: here)
    #expect(outcome(fixture, state) == nil)
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
