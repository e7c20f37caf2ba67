import Migrations
import SealedTree
package import VaultCrypto
import VaultModel

/// One step of the format: SQL, and where rows must be sealed anew a function.
struct MigrationStep: Sendable {
  /// Seals anew what the step's SQL cannot: the head is written after the last step.
  typealias Reseal = @Sendable (EpochKeys, Connection, inout Head) throws(VaultError) -> Void

  let sql: Migrations.Step
  /// What the ident says from this step on.
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

/// A table, or whatever else a schema has, as SQLite keeps it.
struct SchemaEntry: Equatable {
  let type: String
  let sql: [UInt8]
}

/// The steps that lead from an empty database to the schema that this program writes.
///
/// A value, so that a test can have a longer one: what a later version does to this one's vaults.
package struct MigrationChain: Sendable {
  let steps: [MigrationStep]

  /// At least one step, numbered from 1 without a gap.
  init(_ steps: [MigrationStep]) {
    self.steps = steps
  }

  /// The chain of this version of the library.
  package static let current = MigrationChain(
    Migrations.steps.map { MigrationStep($0, minor: 0, features: 0) })

  /// The schema version after the last step.
  var version: UInt32 { UInt32(steps.count) }

  /// All features that its steps bring.
  package var features: UInt32 { steps.reduce(0) { $0 | $1.features } }

  /// The ident of a new vault.
  package func ident(of vault: VaultID) -> Ident {
    var ident = Ident(vaultID: vault, epoch: 1)
    if let last = steps.last { (ident.minor, ident.features) = (last.minor, last.features) }
    return ident
  }

  /// Whether an ident goes with so many steps; after the last one a later minor version is readable.
  func accepts(_ ident: Ident, after version: UInt32) -> Bool {
    guard (1...self.version).contains(version) else { return false }
    let step = steps[Int(version) - 1]
    return ident.features == step.features
      && (ident.minor == step.minor || ident.minor > step.minor && version == self.version)
  }

  /// What the schema is after the first `version` steps.
  func schema(after version: UInt32) throws(VaultError) -> [SchemaEntry] {
    let sql = steps.prefix(Int(version)).map(\.sql.sql)
    let statements = sql.flatMap { Migrations.statements(of: $0) }
    // What makes a table is kept by SQLite as it stands; every opening asks, so only other steps are run.
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

  /// Runs the steps after the first `version` ones, within an open transaction.
  ///
  /// - Returns: The ident as it is then.
  func run(
    after version: UInt32, on connection: Connection, _ keys: EpochKeys, _ head: inout Head
  ) throws(VaultError) -> Ident {
    var ident = keys.ident
    for step in steps.dropFirst(Int(version)) {
      try connection.execute(migration: step.sql.sql)
      try step.reseal?(keys, connection, &head)
      (ident.minor, ident.features) = (step.minor, step.features)
    }
    try connection.execute(migration: Array("PRAGMA user_version = \(self.version)".utf8))
    head.ident = ident.encoded
    return ident
  }
}
