import CSQLite

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
