import AttackSupport
import SealedTree
import StoreTesting
import Testing
import VaultStore
import VaultModel

/// Attacks on a vault by SQL, without its key.
@Suite struct RowTests {
  /// Applies SQL to a copy and judges it; `other` is an older state of the same vault.
  private func judge(
    _ golden: GoldenVault, _ sql: String, turns: Range<Int> = 0..<5,
    expecting expected: Set<VaultError.Code> = [.damaged]
  ) throws -> Set<String> {
    let folder = try Folder()
    var verdicts: Set<String> = []
    for turn in turns {
      try File.write(golden.bytes, to: folder("v"))
      try Database.run(sql, on: folder("v"))
      let verdict = AnswerCheck(golden, at: folder("v"), expecting: expected).judge(turn: turn)
      verdicts.insert("\(verdict)")
      #expect(try folder.contents() == ["v"])
    }
    return verdicts
  }

  private let refused: Set<String> = ["\(AnswerCheck.Verdict.refused(.damaged))"]
  private let right: Set<String> = ["\(AnswerCheck.Verdict.right)"]

  private func node(_ id: Int) -> String { "(SELECT sealed FROM node WHERE id = \(id))" }

  @Test(arguments: [
    "DELETE FROM node", "DELETE FROM vault", "DELETE FROM node WHERE id = 0",
    "UPDATE node SET id = id + 1000", "UPDATE node SET sealed = randomblob(length(sealed))",
    "UPDATE node SET sealed = zeroblob(length(sealed))", "UPDATE node SET sealed = x''",
    "UPDATE node SET sealed = (SELECT head FROM vault)",
    "UPDATE node SET sealed = substr(sealed, 1, 512)",
    "UPDATE node SET sealed = CAST(sealed || zeroblob(512) AS BLOB)",
    "UPDATE vault SET ident = (SELECT head FROM vault)",
    "UPDATE vault SET ident = x''", "UPDATE vault SET ident = zeroblob(48)",
    "DELETE FROM node WHERE id > 1 << 61",
    "UPDATE node SET sealed = zeroblob(3072) WHERE id > 1 << 61",
    "UPDATE node SET sealed = (SELECT sealed FROM node WHERE id = 0) WHERE id > 1 << 61",
  ])
  func `Rows of a small vault that are gone, emptied or copied are refused`(sql: String) throws {
    let verdicts = try judge(GoldenVault.small.get(), sql, turns: 0..<60)
    #expect(verdicts.isSubset(of: refused.union(right)))
    #expect(verdicts.isSuperset(of: refused))
  }

  @Test func `Buckets and chunks that are swapped, copied or deleted are refused`() throws {
    let golden = try GoldenVault.chunked.get()
    let chunk = 1 << 32
    for (one, other) in [(0, 1), (3, 128), (chunk, chunk + 1), (chunk, 0)] {
      for sql in [
        "UPDATE node SET sealed = \(node(one)) WHERE id = \(other)",
        "UPDATE node SET sealed = \(node(other)) WHERE id = \(one)",
        "DELETE FROM node WHERE id = \(one)",
        "UPDATE node SET id = -1 WHERE id = \(one); UPDATE node SET id = \(one) WHERE id = \(other);"
          + "UPDATE node SET id = \(other) WHERE id = -1",
      ] {
        #expect(try judge(golden, sql, turns: 0..<1).isSubset(of: refused), "\(sql)")
      }
    }
  }

  @Test func `Buckets of a group's own tree that are swapped or copied are refused`() throws {
    let golden = try GoldenVault.heavy.get()
    let tree = 1 << 33
    for sql in [
      "UPDATE node SET sealed = \(node(1)) WHERE id = \(tree)",
      "UPDATE node SET sealed = \(node(tree + 1)) WHERE id = 1",
      "UPDATE node SET sealed = \(node(tree)) WHERE id = 2 * \(tree)",
      "UPDATE node SET sealed = \(node(tree)) WHERE id = \(tree) + 1",
      "DELETE FROM node WHERE id = \(tree)",
    ] {
      #expect(try judge(golden, sql, turns: 0..<5).isSuperset(of: refused), "\(sql)")
    }
  }

  @Test(arguments: ["node", "vault", "slot"])
  func `A row that was authentic in an older state is refused`(table: String) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let older = fixture.folder("older")
    try File.write(File.read(fixture.vault), to: older)
    try fixture.withStore { (store) throws(VaultError) in
      for item in Workload.add.base {
        for item in try store.find(ItemQuery(key: item.key)) {
          _ = try store.modify(item.id, hint: item.key, [.comment("newer")])
        }
      }
    }
    let newer = try GoldenVault(name: "newer", bytes: File.read(fixture.vault), key: fixture.key)
    let target = fixture.folder("v")
    for turn in 0..<5 {
      try File.write(newer.bytes, to: target)
      try Database.run(
        "DELETE FROM main.\(table); INSERT INTO main.\(table) SELECT * FROM other.\(table)",
        on: target, other: older)
      let verdict = AnswerCheck(newer, at: target).judge(turn: turn)
      #expect(verdict == (table == "slot" ? .right : .refused(.damaged)))
    }
  }

  @Test(arguments: [
    "INSERT INTO node VALUES (77, randomblob(512))", "INSERT INTO node VALUES (-5, x'00')",
    "INSERT INTO node VALUES (1, zeroblob(512)), (2, zeroblob(512))",
    "PRAGMA schema_version = 4711", "VACUUM",
    "PRAGMA default_cache_size = 7",
  ])
  func `What nothing refers to changes nothing`(sql: String) throws {
    #expect(try judge(GoldenVault.small.get(), sql) == right)
  }

  @Test(arguments: [
    "CREATE TRIGGER t AFTER UPDATE ON vault BEGIN DELETE FROM node; END",
    "CREATE TRIGGER t BEFORE INSERT ON node BEGIN SELECT RAISE(IGNORE); END",
    "CREATE VIEW v AS SELECT * FROM node", "CREATE TABLE extra (x)", "CREATE TABLE slot2 (x)",
    "CREATE INDEX i ON node (sealed)", "CREATE UNIQUE INDEX i ON slot (body)", "ANALYZE",
    "DROP TABLE slot", "DROP TABLE node", "DROP TABLE vault",
    "ALTER TABLE vault ADD COLUMN extra", "ALTER TABLE node RENAME TO old",
    "ALTER TABLE node RENAME TO old; CREATE VIEW node AS SELECT id, sealed FROM old",
    "ALTER TABLE vault RENAME TO old; CREATE VIEW vault AS SELECT * FROM old;"
      + "CREATE TRIGGER t INSTEAD OF UPDATE ON vault BEGIN SELECT 1; END",
    "DROP TABLE node; CREATE TABLE node (id INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT",
    "DROP TABLE node; CREATE TABLE node (id INTEGER PRIMARY KEY, sealed BLOB NOT NULL)",
    "UPDATE sqlite_schema SET sql = replace(sql, ' STRICT', '')",
    "UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '')",
    "UPDATE sqlite_schema SET sql = sql || ' '",
    "UPDATE sqlite_schema SET sql = sql || ' -- note'",
    "UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (id = 0)', 'CHECK (id = 0 OR id = 1)')",
    "UPDATE sqlite_schema SET sql = upper(sql)",
    "UPDATE sqlite_schema SET rootpage = 4 WHERE name = 'vault'",
    "UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'node'",
    "UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'slot'",
    "UPDATE sqlite_schema SET rootpage = 99 WHERE name = 'node'",
    "UPDATE sqlite_schema SET rootpage = 0 WHERE name = 'node'",
    "UPDATE sqlite_schema SET type = 'view' WHERE name = 'node'",
    "UPDATE sqlite_schema SET rowid = rowid + 10 WHERE name = 'vault'",
    "DELETE FROM sqlite_schema WHERE name = 'slot'",
    "INSERT INTO sqlite_schema VALUES ('table', 'w', 'w', 5, 'CREATE VIRTUAL TABLE w USING fts5(x)')",
    "PRAGMA application_id = 0", "PRAGMA user_version = 0", "PRAGMA user_version = 2",
    "PRAGMA journal_mode = WAL", "PRAGMA encoding = 'UTF-16'",
  ])
  func `A foreign or changed schema is refused, and nothing in it runs`(sql: String) throws {
    let isEmpty = sql.hasPrefix("PRAGMA encoding")
    // The encoding of a database that has tables cannot be changed: the pragma does nothing.
    #expect(try judge(GoldenVault.small.get(), sql) == (isEmpty ? right : refused))
  }
}
