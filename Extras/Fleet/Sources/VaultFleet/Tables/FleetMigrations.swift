/// The steps that lead from an empty database on a PostgreSQL server to the current tables.
enum FleetMigrations {
  /// All steps in order, in UTF-8; each is written once and never edited.
  static let steps = [PackageResources._001_sealed_rows_sql]
}
