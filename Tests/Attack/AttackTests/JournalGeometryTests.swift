import VaultReports
import AttackSupport
import Glibc
import SealedTree
import Testing
import VaultStore
import VaultModel

/// A dead writer's journal whose header was changed: SQLite would write its pages elsewhere, or
/// change the file's length as it says.
@Suite struct JournalGeometryTests {
  /// Returns a killed vault with a changed journal.
  private static func planted(
    _ field: PlantedJournal.Field, _ number: UInt32
  ) throws -> (fixture: VaultFixture, vault: [UInt8], journal: [UInt8]) {
    let fixture = try VaultFixture(holding: Workload.modify.base)
    let (vault, honest) = try JournalTests.killed(fixture)
    let journal = PlantedJournal.changed(honest, field, to: number)
    try File.write(journal, to: fixture.vault + "-journal")
    return (fixture, vault, journal)
  }

  @Test(
    arguments: [512, 1024, 2048, 8192, 16384, 32768, 65536].map {
      (PlantedJournal.Field.pageSize, $0)
    }
      + [0, 1, 3, 1000, 1 << 20, 0x4000_0000, .max].map { (.pageCount, $0) })
  func `A journal with another page size, or fewer or more pages than there were, is not replayed`(
    field: PlantedJournal.Field, number: UInt32
  ) throws {
    let (fixture, vault, journal) = try Self.planted(field, number)
    refuses(.damaged) { try fixture.contents() }
    refuses(.damaged) { try fixture.contents() }
    #expect(try File.read(fixture.vault) == vault)
    #expect(try File.read(fixture.vault + "-journal") == journal)
    // Nobody is writing, so that the page count can also be judged here.
    let results = Diagnostics(of: fixture.vault, stateFolder: fixture.stateFolder, key: nil)
      .results
    let problems = results.filter { $0.check == .sideFiles }.compactMap(\.code)
    #expect(problems == [.damaged])
    #expect(try File.read(fixture.vault + "-journal") == journal)
  }

  /// SQLite cuts the file to this number of pages before it reads anything else, and the rest is
  /// lost.
  @Test(arguments: [false, true])
  func `A journal that cuts the file by a page is refused, and a salvage does not follow it`(
    hasPages: Bool
  ) throws {
    let fixture = try VaultFixture(holding: Workload.modify.base)
    let (vault, honest) = hasPages ? try JournalTests.killed(fixture) : ([], [])
    let before = hasPages ? vault : try File.read(fixture.vault)
    let count = try Self.pageCount(hasPages ? honest : before, isJournal: hasPages)
    for fewer in [count - 1, count / 2] {
      let journal =
        hasPages
        ? PlantedJournal.changed(honest, .pageCount, to: fewer)
        : PlantedJournal.header(pageCount: fewer)
      try File.write(journal, to: fixture.vault + "-journal")
      refuses(.damaged) { try fixture.contents() }
      #expect(try File.read(fixture.vault) == before)
      let out = fixture.folder("out")
      let report = try Salvage.run(
        from: VaultPath(fixture.vault), to: VaultPath(out), key: fixture.key, cost: .minimum)
      #expect(report.isComplete && report.itemCount == Workload.modify.base.count)
      try File.remove(out)
    }
    try File.write(
      hasPages ? honest : PlantedJournal.header(pageCount: count), to: fixture.vault + "-journal")
    #expect(try fixture.contents() == Workload.modify.state(after: 0))
  }

  /// Returns the number of pages that a file, or its journal, states.
  private static func pageCount(_ bytes: [UInt8], isJournal: Bool) throws -> UInt32 {
    let offset = isJournal ? PlantedJournal.Field.pageCount.rawValue : 28
    return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  @Test func `A header that never reached the disk whole counts for nothing, as SQLite has it`()
    throws
  {
    for (field, number) in [(PlantedJournal.Field.sectorSize, UInt32(3)), (.pageSize, 100)] {
      let (fixture, vault, _) = try Self.planted(field, number)
      // The writer was killed when all pages were written: without its journal they count.
      let after = try GoldenVault(name: "after", bytes: vault, key: fixture.key)
      #expect(try GoldenVault.read(fixture.vault, key: fixture.key).count == after.items.count)
      #expect(try fixture.leftovers() == [])
    }
  }

  @Test func `A restore puts a journal aside that cannot be replayed, and deletes it not`() throws {
    let fixture = try VaultFixture(holding: Workload.modify.base)
    try File.write(File.read(fixture.vault), to: fixture.folder("backup"))
    let (vault, honest) = try JournalTests.killed(fixture)
    let journal = PlantedJournal.changed(honest, .pageCount, to: 1 << 20)
    try File.write(journal, to: fixture.vault + "-journal")
    let restored = try FileStore.restore(
      from: fixture.folder("backup"), to: fixture.vault, key: fixture.key,
      stateFolder: fixture.stateFolder, lockTimeout: .seconds(10))
    #expect(try fixture.contents() == Workload.modify.state(after: 0))
    let kept = try #require(restored.keptPath)
    #expect(try File.read(kept) == vault)
    let aside = try #require(try fixture.leftovers().first { $0.hasSuffix("-journal") })
    #expect(try File.read(fixture.folder("vault/\(aside)")) == journal)
  }

  @Test func `A backup with an honest journal says how to get at what it holds, and that works`()
    throws
  {
    let fixture = try VaultFixture(holding: Workload.modify.base)
    let (vault, journal) = try JournalTests.killed(fixture)
    let other = try Folder()
    try File.write(vault, to: other("b"))
    try File.write(journal, to: other("b-journal"))
    let error = #expect(throws: VaultError.self) {
      try FileStore.restore(
        from: other("b"), to: fixture.vault, key: fixture.key, stateFolder: fixture.stateFolder,
        lockTimeout: .seconds(10))
    }
    #expect(error?.code == .readOnly)
    #expect(error?.context.contains("opening a copy of both files") == true)
    #expect(try File.read(other("b-journal")) == journal)
    #expect(
      try GoldenVault.read(other("b"), key: fixture.key).count == Workload.modify.base.count)
    #expect(try other.contents() == ["b"])
  }

  @Test(arguments: ["-journal", "-wal", "-shm"])
  func `Nothing new is made beside what would be taken for its own`(suffix: String) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    for name in ["new", "backup"] {
      try File.write([0xD9], to: fixture.folder("vault/\(name)\(suffix)"))
    }
    refuses(.cannotCreate) {
      try FileStore.create(
        VaultPath(fixture.folder("vault/new")), key: fixture.key, slotName: "", cost: .minimum,
        stateFolder: nil, lockTimeout: .zero)
    }
    refuses(.cannotCreate) {
      try fixture.withStore { (store) throws(VaultError) in
        _ = try store.backUp(to: fixture.folder("vault/backup"))
      }
    }
    #expect(try fixture.leftovers() == ["backup\(suffix)", "new\(suffix)"])
  }
}
