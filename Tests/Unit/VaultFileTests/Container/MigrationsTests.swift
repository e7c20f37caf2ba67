import VaultMigrations
import TestSupport
import Testing
import VaultModel

@testable import VaultStore

@Suite("Migrations")
struct MigrationsTests {
  /// Returns the schema that SQLite keeps after the steps ran.
  private func stored(_ sql: [[UInt8]]) throws -> [SchemaEntry] {
    let folder = try TemporaryFolder()
    let connection = try Connection(
      path: folder.write([], as: "empty.db"), busyWait: BusyWait(timeout: .zero), chain: nil)
    for step in sql { try connection.execute(migration: step) }
    var stored: [SchemaEntry] = []
    try connection.run(.selectSchema) { row in
      stored.append(SchemaEntry(type: row.text(0), sql: row.blob(1)))
    }
    return stored
  }

  @Test("the chain makes the tables that the schema is compared with, and nothing else")
  func tables() throws {
    let chain = MigrationChain.current
    let stored = try stored(Migrations.steps.map(\.sql))
    #expect(try chain.schema(after: chain.version) == stored)
    #expect(stored.map(\.type) == ["table", "table", "table"])
  }

  @Test(
    "a later step may do anything to the schema, and is compared with what it makes",
    arguments: [
      "ALTER TABLE node RENAME COLUMN sealed TO body;", "CREATE INDEX i ON slot (body);",
      "DROP TABLE slot;\nCREATE TABLE slot2 (id INTEGER PRIMARY KEY) STRICT;\n",
      "-- Nothing but a comment; and a row.\nDELETE FROM node;",
    ])
  func later(_ sql: String) throws {
    let step = MigrationStep(
      Migrations.Step(number: 2, sql: Array(sql.utf8)), minor: 1, features: 1)
    let chain = MigrationChain(MigrationChain.current.steps + [step])
    #expect(try chain.schema(after: 2) == stored([Migrations.steps[0].sql, step.sql.sql]))
    #expect(try chain.schema(after: 1) == MigrationChain.current.schema(after: 1))
  }

  @Test("steps are numbered from 1 without a gap")
  func numbers() {
    let numbers = MigrationChain.current.steps.map(\.sql.number)
    #expect(numbers == (1...MigrationChain.current.version).map { $0 })
  }
}
