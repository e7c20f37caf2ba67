import VaultMigrations

@testable package import VaultStore

extension MigrationChain {
  /// The migrations of a later version of the library, which has one step more.
  package static let later = MigrationChain(
    current.steps + [
      MigrationStep(
        Migrations.Step(
          number: 2,
          sql: Array("CREATE TABLE later (id INTEGER PRIMARY KEY, x BLOB) STRICT;\n".utf8)),
        minor: 1, features: 1)
    ])
}
