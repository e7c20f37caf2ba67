import CSQLite

/// A second connection to a vault's file, as another program would have.
// Proof: one task uses it, from one thread at a time.
@safe final class LockHolder: @unchecked Sendable {
  struct Failure: Error {}

  private let database: OpaquePointer

  init(_ path: String) throws {
    var handle: OpaquePointer?
    // The handle is closed in deinit.
    guard unsafe sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
      let handle = unsafe handle
    else { throw Failure() }
    unsafe database = handle
  }

  deinit {
    // Opened in init, closed once.
    unsafe sqlite3_close_v2(database)
  }

  /// Commits, so that others have to read the file again; nothing in it changes.
  func commit() throws {
    var statement: OpaquePointer?
    // A constant statement, finalized below; one row of one column is read.
    guard
      unsafe sqlite3_prepare_v2(database, "PRAGMA user_version", -1, &statement, nil) == SQLITE_OK,
      unsafe sqlite3_step(statement) == SQLITE_ROW
    else { throw Failure() }
    let version = unsafe sqlite3_column_int(statement, 0)
    // Prepared above.
    unsafe sqlite3_finalize(statement)
    try run("PRAGMA user_version = \(version)")
  }

  /// Takes a lock, so that nobody can read or write.
  func lock() throws { try run("BEGIN EXCLUSIVE") }

  func unlock() throws { try run("ROLLBACK") }

  private func run(_ statement: String) throws {
    // The statement is a C string for this call.
    guard unsafe sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK else {
      throw Failure()
    }
  }
}
