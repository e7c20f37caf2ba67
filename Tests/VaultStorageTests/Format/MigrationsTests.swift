import Migrations
import TestSupport
import Testing
import VaultModel

@testable import VaultStorage

@Suite("Migrations")
struct MigrationsTests {
  @Test("the chain makes the tables that the schema is compared with, and nothing else")
  func tables() throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(
      path: folder.write([], as: "empty.db"), busyWait: BusyWait(timeout: .zero))
    try connection.run(.beginImmediate)
    try connection.makeSchema()
    try connection.run(.commit)
    var stored: [String] = []
    try connection.run(.selectSchema) { row in
      #expect(row.text(0) == "table")
      stored.append(row.text(1))
    }
    #expect(stored.map { Array($0.utf8) } == Migrations.tables)
    #expect(stored.count == 3)
    let header = try connection.header()
    #expect(header.userVersion == Migrations.currentVersion && header.isOurs)
  }

  @Test("steps are numbered from 1 without a gap")
  func numbers() {
    #expect(Migrations.steps.map(\.number) == (1...Migrations.currentVersion).map { $0 })
  }
}
