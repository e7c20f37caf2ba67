import VaultMigrations
import SealedTree
package import VaultCrypto
package import VaultModel

/// One step of the format: SQL, and a function if rows must be resealed.
struct MigrationStep: Sendable {
  /// Reseals rows that the step's SQL cannot: the head is written after the last step.
  typealias Reseal = @Sendable (EpochKeys, Connection, inout Head) throws(VaultError) -> Void

  let sql: Migrations.Step
  /// The ident's value from this step on.
  ///
  /// Source: `Documentation/format.md` §3.
  let minor: UInt16
  let features: UInt32
  let reseal: Reseal?

  init(_ sql: Migrations.Step, minor: UInt16, features: UInt32, reseal: Reseal? = nil) {
    self.sql = sql
    self.minor = minor
    self.features = features
    self.reseal = reseal
  }
}

/// A table or another part of a schema, as SQLite stores it.
struct SchemaEntry: Equatable {
  let type: String
  let sql: [UInt8]
}

/// The steps from an empty database to the schema that this program writes.
///
/// It is a value, so that a test can use a longer one, like a later version with this one's vaults.
package struct MigrationChain: Sendable {
  let steps: [MigrationStep]
  /// The features that no step brings.
  private let others: UInt32

  /// Creates a chain of at least one step, numbered from 1 without gaps.
  init(_ steps: [MigrationStep], besides others: UInt32 = Ident.arbitrated) {
    (self.steps, self.others) = (steps, others)
  }

  /// The chain of this version of the library.
  package static let current = MigrationChain(
    Migrations.steps.map { MigrationStep($0, minor: 0, features: 0) })

  /// The schema version after the last step.
  var version: UInt32 { UInt32(steps.count) }

  /// All features of its steps, and those that no step brings.
  package var features: UInt32 { steps.reduce(others) { $0 | $1.features } }

  /// Returns the ident of a new vault.
  package func ident(of vault: VaultID) -> Ident {
    var ident = Ident(vaultID: vault, epoch: 1)
    if let last = steps.last { (ident.minor, ident.features) = (last.minor, last.features) }
    return ident
  }

  /// Returns whether an ident matches a schema version; after the last step, later minor versions
  /// are also readable.
  func accepts(_ ident: Ident, after version: UInt32) -> Bool {
    guard (1...self.version).contains(version) else { return false }
    let step = steps[Int(version) - 1]
    return ident.features & ~Ident.arbitrated == step.features
      && (ident.minor == step.minor || ident.minor > step.minor && version == self.version)
  }

  /// Returns the schema after the first `version` steps.
  func schema(after version: UInt32) throws(VaultError) -> [SchemaEntry] {
    let sql = steps.prefix(Int(version)).map(\.sql.sql)
    let statements = sql.flatMap { Migrations.statements(of: $0) }
    // SQLite stores the text that creates a table unchanged. Every opening asks, so only other
    // steps are run.
    let beginning = Array("CREATE TABLE ".utf8)
    guard !statements.allSatisfy({ $0.starts(with: beginning) }) else {
      return statements.map { SchemaEntry(type: "table", sql: $0) }
    }
    let trial = try Connection()
    for step in sql { try trial.execute(migration: step) }
    var schema: [SchemaEntry] = []
    try trial.run(.selectSchema) { row in
      schema.append(SchemaEntry(type: row.text(0), sql: row.blob(1)))
    }
    return schema
  }

  /// Makes the schema of the last step, in an open transaction.
  func makeSchema(on connection: Connection) throws(VaultError) {
    for step in steps { try connection.execute(migration: step.sql.sql) }
    try connection.execute(migration: Array("PRAGMA user_version = \(version)".utf8))
  }

  /// Runs the steps after the first `version` ones, in an open transaction.
  ///
  /// - Returns: The ident afterwards.
  func run(
    after version: UInt32, on connection: Connection, _ keys: EpochKeys, _ head: inout Head
  ) throws(VaultError) -> Ident {
    var ident = keys.ident
    for step in steps.dropFirst(Int(version)) {
      try connection.execute(migration: step.sql.sql)
      try step.reseal?(keys, connection, &head)
      ident.minor = step.minor
      ident.features = step.features | ident.features & Ident.arbitrated
    }
    try connection.execute(migration: Array("PRAGMA user_version = \(self.version)".utf8))
    head.ident = ident.encoded
    return ident
  }
}
