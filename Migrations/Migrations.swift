/// The steps that lead from an empty database to the current schema.
///
/// A new vault runs the same chain as an old one, so their schemas are equal, text for text.
package enum Migrations {
  /// One step: the number that it leads to, and its SQL in UTF-8.
  package struct Step: Sendable {
    package let number: UInt32
    package let sql: [UInt8]

    package init(number: UInt32, sql: [UInt8]) {
      self.number = number
      self.sql = sql
    }
  }

  /// All steps in order; each is written once and never edited.
  package static let steps = [
    Step(number: 1, sql: PackageResources._001_sealed_tree_sql)
  ]

  /// Returns the statements of a step, without the comments before them.
  ///
  /// Works on bytes, because every program that opens a vault calls it: with strings it took a
  /// tenth of the time of a whole `vaultctl find`.
  package static func statements(of sql: [UInt8]) -> [[UInt8]] {
    let (newline, dash, end) = (UInt8(ascii: "\n"), UInt8(ascii: "-"), UInt8(ascii: ";"))
    var statements: [[UInt8]] = []
    var statement: [UInt8] = []
    var isComment = false
    for byte in sql {
      if statement.isEmpty, byte == dash { isComment = true }
      if isComment {
        isComment = byte != newline
      } else if byte == end {
        statements.append(statement)
        statement = []
      } else if !statement.isEmpty || byte != newline {
        statement.append(byte)
      }
    }
    return statements
  }
}
