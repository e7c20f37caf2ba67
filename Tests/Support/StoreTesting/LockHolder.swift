import CVaultSQLite

/// A second connection to a vault's file, which holds a lock as another program would.
// Proof: one test uses each, from one thread at a time.
@safe package final class LockHolder: @unchecked Sendable {
  package struct Failure: Error {
    /// SQLite's result code.
    package let code: Int32
  }

  private let database: OpaquePointer

  package init(_ path: String) throws {
    var handle: OpaquePointer?
    // The handle is closed in deinit.
    let code = unsafe sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
    guard code == SQLITE_OK, let handle = unsafe handle else { throw Failure(code: code) }
    unsafe database = handle
  }

  deinit {
    // Opened in init, closed once.
    unsafe sqlite3_close_v2(database)
  }

  /// Takes a lock: `IMMEDIATE` lets others read, `EXCLUSIVE` does not.
  package func lock(_ kind: String) throws { try run("BEGIN \(kind)") }

  /// Takes the lock of a reader: others can begin to write, and cannot commit.
  package func share() throws { try run("BEGIN; SELECT count(*) FROM sqlite_schema") }

  package func unlock() throws { try run("ROLLBACK") }

  /// Commits, so that others have to read the file again; nothing in it changes.
  package func commit() throws {
    var statement: OpaquePointer?
    // A constant statement, finalized below; one row of one column is read.
    guard
      unsafe sqlite3_prepare_v2(database, "PRAGMA user_version", -1, &statement, nil) == SQLITE_OK,
      unsafe sqlite3_step(statement) == SQLITE_ROW
    else { throw Failure(code: unsafe sqlite3_errcode(database)) }
    let version = unsafe sqlite3_column_int(statement, 0)
    // Prepared above.
    unsafe sqlite3_finalize(statement)
    try run("PRAGMA user_version = \(version)")
  }

  private func run(_ statement: String) throws {
    // The statement is a C string for this call.
    let code = unsafe sqlite3_exec(database, statement, nil, nil, nil)
    guard code == SQLITE_OK else { throw Failure(code: code) }
  }
}
