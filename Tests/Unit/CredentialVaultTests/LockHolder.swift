import CSQLite
import Glibc
import Testing

/// A second connection to a vault's file that holds a lock, as another program would.
// Proof: one test uses each, from one thread at a time.
@safe final class LockHolder: @unchecked Sendable {
  private let database: OpaquePointer

  init(_ path: String) throws {
    var handle: OpaquePointer?
    // The handle is closed in deinit.
    try #require(unsafe sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    unsafe database = try unsafe #require(unsafe handle)
  }

  deinit {
    // Opened in init, closed once.
    unsafe sqlite3_close_v2(database)
  }

  /// Takes a lock: `IMMEDIATE` lets others read, `EXCLUSIVE` does not.
  func lock(_ kind: String) throws {
    // The statement is a C string for this call.
    try #require(unsafe sqlite3_exec(database, "BEGIN \(kind)", nil, nil, nil) == SQLITE_OK)
  }

  /// Takes the lock of a reader: others can begin to write, and cannot commit.
  func share() throws {
    // Constant statements.
    let statements = "BEGIN; SELECT count(*) FROM sqlite_schema"
    try #require(unsafe sqlite3_exec(database, statements, nil, nil, nil) == SQLITE_OK)
  }

  func unlock() throws {
    // A constant statement.
    try #require(unsafe sqlite3_exec(database, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
  }
}
