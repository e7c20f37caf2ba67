import CVaultSQLite
import SealedTree
import VaultCrypto
package import VaultModel

/// Every SQL statement of the library; none is built from input.
package enum Statement: Int, CaseIterable {
  case begin
  case beginImmediate
  case commit
  case rollback
  case userVersion
  case pageCount
  case selectSchema
  case selectVault
  case insertVault
  case updateHead
  case updateIdent
  case selectSlots
  case selectSlot
  case insertSlot
  case updateSlot
  case deleteSlot
  case selectNode
  case selectNodeIDs
  case selectNodes
  case selectLargeSecretIDs
  case insertNode
  case deleteNode
  case deleteTrees
  case vacuum
  case vacuumInto
  case integrityCheck
  case checkSlots

  var sql: StaticString {
    switch self {
    case .begin: "BEGIN"
    case .beginImmediate: "BEGIN IMMEDIATE"
    case .commit: "COMMIT"
    case .rollback: "ROLLBACK"
    case .userVersion: "PRAGMA user_version"
    case .pageCount: "PRAGMA page_count"
    case .selectSchema: "SELECT type, sql FROM sqlite_schema ORDER BY rowid"
    case .selectVault: "SELECT ident, head FROM vault WHERE id = 0"
    case .insertVault: "INSERT INTO vault (id, ident, head) VALUES (0, ?1, ?2)"
    case .updateHead: "UPDATE vault SET head = ?1 WHERE id = 0"
    case .updateIdent: "UPDATE vault SET ident = ?1, head = ?2 WHERE id = 0"
    case .selectSlots: "SELECT id, body FROM slot ORDER BY id"
    case .selectSlot: "SELECT body FROM slot WHERE id = ?1"
    case .insertSlot: "INSERT INTO slot (id, body) VALUES (?1, ?2)"
    case .updateSlot: "UPDATE slot SET body = ?2 WHERE id = ?1"
    case .deleteSlot: "DELETE FROM slot WHERE id = ?1"
    case .selectNode: "SELECT sealed FROM node WHERE id = ?1"
    case .selectNodeIDs: "SELECT id FROM node ORDER BY id"
    case .selectNodes: "SELECT id, sealed FROM node ORDER BY id"
    case .selectLargeSecretIDs: "SELECT id FROM node WHERE id >= ?1 ORDER BY id"
    case .insertNode:
      // An orphaned row may have the id of a new bucket; that is not a reason to fail.
      "INSERT INTO node (id, sealed) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET sealed = ?2"
    case .deleteNode: "DELETE FROM node WHERE id = ?1"
    case .deleteTrees: "DELETE FROM node WHERE id < ?1"
    case .vacuum: "VACUUM"
    case .vacuumInto: "VACUUM INTO ?1"
    case .integrityCheck: "PRAGMA integrity_check(20)"
    case .checkSlots: "PRAGMA integrity_check(slot)"
    }
  }

  /// The length of the longest value that SQLite may read.
  ///
  /// Nothing is verified before it was read, and a few pages can claim gigabytes by a chain that
  /// leads back to itself. Source: `Documentation/format.md` §2.1.
  var mostBytes: Int32 {
    switch self {
    case .selectSlots, .selectSlot: Int32(SlotLimits.mostBytes)
    case .selectVault: 16 << 20
    default: Self.mostBytesOfRow
    }
  }

  /// The length of the longest row of a vault.
  static let mostBytesOfRow: Int32 = 64 << 20

  /// Whether each row's first column is its id, which is higher than that of the row before.
  ///
  /// Where a page leads back to itself, or two lead to one, SQLite gives the same rows again, and
  /// without an end. Every page that it comes to has a row, so the order bounds the walk by the
  /// file's pages.
  var isInOrder: Bool {
    switch self {
    case .selectSlots, .selectNodes, .selectNodeIDs, .selectLargeSecretIDs: true
    default: false
    }
  }
}

/// A value for a statement's parameter.
package enum Binding {
  case integer(UInt64)
  case blob([UInt8])
  case text(String)

  /// Binds a copy; row ids stay below 2⁶³.
  @unsafe func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    switch self {
    case .integer(let value):
      unsafe sqlite3_bind_int64(statement, index, Int64(bitPattern: value))
    case .blob(let bytes):
      // Copied by SQLite before the call returns.
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe vault_sqlite3_bind_blob_copy(
          statement, index, bytes.baseAddress, UInt64(bytes.count))
      }
    case .text(let text):
      unsafe vault_sqlite3_bind_text_copy(statement, index, text, UInt64(text.utf8.count))
    }
  }
}

/// The current row of a statement; valid until the next step.
@safe package struct Row {
  private let statement: OpaquePointer

  /// Creates the current row.
  ///
  /// - Parameter statement: A statement whose last step gave a row.
  @unsafe init(_ statement: OpaquePointer) {
    unsafe self.statement = unsafe statement
  }

  package func integer(_ column: Int32) -> UInt64 {
    UInt64(bitPattern: unsafe sqlite3_column_int64(statement, column))
  }

  /// Returns a copy of the column's bytes; none for NULL.
  package func blob(_ column: Int32) -> [UInt8] {
    // SQLite's pointer is valid until the next step; column_blob comes before column_bytes
    // (<https://sqlite.org/c3ref/column_blob.html>).
    let bytes = unsafe sqlite3_column_blob(statement, column)
    let count = Int(unsafe sqlite3_column_bytes(statement, column))
    return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
  }

  /// Returns a copy of the column's text; bytes that are not UTF-8 are replaced.
  package func text(_ column: Int32) -> String {
    String(decoding: blob(column), as: UTF8.self)
  }
}

/// The rows of the table `node`, and the head's.
extension Connection: RowSource {
  package func row(_ id: UInt64) throws(VaultError) -> [UInt8]? {
    guard allowance ?? .max > 0 else {
      throw VaultError(.damaged, "the rows are longer than the pages of a damaged file can be")
    }
    var sealed: [UInt8]?
    try run(.selectNode, .integer(id)) { row in sealed = row.blob(0) }
    allowance = allowance.map { $0 - (sealed?.count ?? 0) }
    return sealed
  }

  package func eachRowID(_ body: (UInt64) -> Void) throws(VaultError) {
    try run(.selectNodeIDs) { row in body(row.integer(0)) }
  }

  package func put(_ sealed: [UInt8], under id: UInt64) throws(VaultError) {
    try run(.insertNode, .integer(id), .blob(sealed))
    guard changes == 1 else { throw VaultError(.damaged, "row \(id) could not be written") }
  }

  package func remove(_ id: UInt64) throws(VaultError) {
    try run(.deleteNode, .integer(id))
  }

  package func put(head sealed: [UInt8]) throws(VaultError) {
    try run(.updateHead, .blob(sealed))
    guard changes == 1 else { throw VaultError(.damaged, "the head's row is missing") }
  }
}
