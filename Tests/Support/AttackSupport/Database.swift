import CVaultSQLite
import Foundation

/// Runs SQL on a vault's file as an attacker would, with none of the library's settings.
///
/// The file must not be open in this process.
package enum Database {
  package struct Failure: Error {
    let message: String
  }

  /// Runs statements, on the main database and on those attached to it.
  ///
  /// - Parameters:
  ///   - sql: Any number of statements.
  ///   - path: The file that they change.
  ///   - other: A second file, as the schema `other`.
  /// - Throws: ``Failure`` with SQLite's message.
  package static func run(_ sql: String, on path: String, other: String? = nil) throws {
    var handle: OpaquePointer?
    // The handle is closed at the end of this function, whatever happens.
    defer { unsafe sqlite3_close_v2(handle) }
    guard unsafe sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw Failure(message: "\(path) cannot be opened")
    }
    let attach = other.map { "ATTACH '\($0)' AS other;" } ?? ""
    let text = attach + "PRAGMA writable_schema = ON;" + sql
    guard unsafe sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else {
      throw Failure(message: unsafe String(cString: sqlite3_errmsg(handle)) + ": " + sql)
    }
  }

  /// Returns the write-ahead log of statements on a copy of a database, which SQLite would apply to
  /// the file at the next opportunity.
  ///
  /// - Parameters:
  ///   - sql: Any number of statements.
  ///   - path: The database, which stays as it is.
  ///   - folder: The folder for the copy.
  /// - Returns: The bytes of the log.
  /// - Throws: ``Failure`` with SQLite's message.
  package static func writeAheadLog(
    of sql: String, on path: String, in folder: Folder
  ) throws -> [UInt8] {
    let copy = folder("wal-mode")
    try File.write(File.read(path), to: copy)
    try run("PRAGMA journal_mode = WAL", on: copy)
    var handle: OpaquePointer?
    // The log is read before the handle is closed, which would delete it.
    defer { unsafe sqlite3_close_v2(handle) }
    guard unsafe sqlite3_open_v2(copy, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
      unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
    else { throw Failure(message: unsafe String(cString: sqlite3_errmsg(handle)) + ": " + sql) }
    return try File.read(copy + "-wal")
  }

  /// Returns the first column of the first row of a query's result.
  package static func bytes(_ query: String, of path: String) throws -> [UInt8] {
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    // Both are finalized at the end of this function, the statement first.
    defer {
      unsafe sqlite3_finalize(statement)
      unsafe sqlite3_close_v2(handle)
    }
    guard unsafe sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
      unsafe sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK,
      unsafe sqlite3_step(statement) == SQLITE_ROW
    else { throw Failure(message: unsafe String(cString: sqlite3_errmsg(handle))) }
    // The blob is valid until the statement is finalized.
    let blob = unsafe sqlite3_column_blob(statement, 0)
    let count = Int(unsafe sqlite3_column_bytes(statement, 0))
    return unsafe Array(UnsafeRawBufferPointer(start: blob, count: blob == nil ? 0 : count))
  }
}
