/// The steps that lead from an empty database to the current schema.
///
/// A new vault runs the same chain as an old one, so their schemas are equal, text for text.
package enum Migrations {
  /// One step: the number that it leads to, and its SQL.
  package struct Step: Sendable {
    package let number: UInt32
    package let sql: String
  }

  /// All steps in order; each is written once and never edited.
  package static let steps = [
    Step(number: 1, sql: String(decoding: PackageResources._001_sealed_tree_sql, as: UTF8.self))
  ]

  /// The schema version after the last step.
  package static var currentVersion: UInt32 { UInt32(steps.count) }

  /// The text of each table that the chain makes, in order, as SQLite keeps it.
  package static let tables: [String] = steps.flatMap { step in
    step.sql.split(separator: "\n", omittingEmptySubsequences: true)
      .filter { !$0.hasPrefix("--") }
      .joined(separator: "\n")
      .split(separator: ";")
      .map { String($0.drop { $0 == "\n" }) }
      .filter { !$0.isEmpty }
  }
}
