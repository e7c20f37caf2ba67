import AttackSupport
import Glibc
import SealedTree
import Testing
import VaultStore
import VaultModel

/// Work that the file's first page can make SQLite do before anything is verified.
@Suite struct SchemaTests {
  /// Returns the result of opening and the number of SQLite's reads, in a process of its own.
  private func reads(_ fixture: VaultFixture) throws -> (outcome: String, count: Int) {
    let words = try fixture.driver("count-reads").lines().last?.split(separator: " ") ?? []
    try #require(words.count == 2)
    return (String(words[0]), try #require(Int(words[1])))
  }

  /// Returns SQL that adds that many tables without a page of their own.
  private static func tables(_ count: Int) -> String {
    """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
    INSERT INTO sqlite_schema
      SELECT 'table', 't' || i, 't' || i, 2, 'CREATE TABLE t' || i || ' (a, b, c)' FROM n;
    PRAGMA schema_version = 1000;
    """
  }

  @Test(arguments: [1, 12, 100_000])
  func `A schema of any size is refused after its first page`(count: Int) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let honest = try reads(fixture)
    #expect(honest.outcome == "done")
    try Database.run(Self.tables(count), on: fixture.vault)
    let hostile = try reads(fixture)
    #expect(hostile.outcome == "damaged")
    #expect(hostile.count <= honest.count)
  }

  @Test(arguments: [100_000])
  func `A restore replaces a file with such a schema, and reads no more of it either`(
    count: Int
  ) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    try File.write(File.read(fixture.vault), to: fixture.folder("backup"))
    try Database.run(Self.tables(count), on: fixture.vault)
    _ = try FileStore.restore(
      from: fixture.folder("backup"), to: fixture.vault, key: fixture.key,
      stateFolder: fixture.stateFolder, lockTimeout: .seconds(10))
    #expect(try fixture.problems() == [])
  }

  @Test(
    arguments: [
      // A row that is not where SQLite would look for it, or contradicts its text.
      "UPDATE sqlite_schema SET sql = replace(sql, 'node', 'NODE') WHERE name = 'node'",
      "UPDATE sqlite_schema SET type = 'view' WHERE name = 'node'",
      "UPDATE sqlite_schema SET sql = sql || ' ' WHERE name = 'slot'",
      "UPDATE sqlite_schema SET sql = CAST(sql AS BLOB) WHERE name = 'slot'",
      "UPDATE sqlite_schema SET rowid = 9 WHERE name = 'vault'",
      "DELETE FROM sqlite_schema WHERE name = 'slot'",
      "UPDATE sqlite_schema SET sql = sql || printf('%*c', 5000, ' ') WHERE name = 'node'",
      "PRAGMA user_version = 2", "PRAGMA user_version = 0",
    ])
  func `A schema that is not a vault's, text for text, is refused`(sql: String) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    try Database.run(sql, on: fixture.vault)
    let bytes = try File.read(fixture.vault)
    refuses(.damaged) { try fixture.contents() }
    #expect(try File.read(fixture.vault) == bytes)
  }

  @Test(
    arguments: [
      "PRAGMA page_size = 8192; VACUUM", "PRAGMA page_size = 1024; VACUUM",
      "PRAGMA page_size = 512; VACUUM",
      "PRAGMA auto_vacuum = FULL; VACUUM", "PRAGMA auto_vacuum = INCREMENTAL; VACUUM",
    ])
  func `A file with other pages than a vault's is refused, as a vault and as a backup`(
    sql: String
  ) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    try File.write(File.read(fixture.vault), to: fixture.folder("good"))
    try Database.run(sql, on: fixture.vault)
    let bytes = try File.read(fixture.vault)
    refuses(.damaged) { try fixture.contents() }
    try File.write(bytes, to: fixture.folder("bad"))
    try File.write(File.read(fixture.folder("good")), to: fixture.vault)
    refuses(.damaged) {
      try FileStore.restore(
        from: fixture.folder("bad"), to: fixture.vault, key: fixture.key,
        stateFolder: fixture.stateFolder, lockTimeout: .seconds(10))
    }
    #expect(try fixture.problems() == [])
  }

  @Test(arguments: [512, 4096, 65536])
  func `Another program's database is no vault, whatever its pages, and its journal is left alone`(
    size: Int
  ) throws {
    let fixture = try VaultFixture()
    let path = fixture.folder("vault/other")
    try File.write([], to: path)
    try Database.run("PRAGMA page_size = \(size); CREATE TABLE t (a)", on: path)
    let bytes = try File.read(path)
    let journal = PlantedJournal.changed(
      Array(PlantedJournal.naming("").prefix(512)), .pageCount, to: 1)
    for hasJournal in [false, true] {
      if hasJournal { try File.write(journal, to: path + "-journal") }
      refuses(.notAVault) { try GoldenVault.read(path, key: fixture.key) }
      refuses(.notAVault) {
        try FileStore.restore(
          from: fixture.vault, to: path, key: fixture.key, stateFolder: nil, lockTimeout: .zero)
      }
      #expect(try File.read(path) == bytes)
      #expect(File.exists(path + "-journal") == hasJournal)
    }
  }
}
