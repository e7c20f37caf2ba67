package import CFaultVFS
import CVaultSQLite

/// A way in which one of SQLite's calls to the system fails.
package struct Fault: Sendable {
  package let name: String
  package let method: fault_vfs_method
  package let extent: fault_vfs_extent
  /// SQLite's extended result code.
  package let result: Int32
  /// The codes of errors that describe the fault.
  package let errors: Set<String>

  private init(
    _ name: String, _ method: fault_vfs_method, _ result: Int32,
    _ extent: fault_vfs_extent = fault_vfs_once, errors: Set<String> = ["input-output"]
  ) {
    self.name = name
    self.method = method
    self.extent = extent
    self.result = result
    self.errors = errors
  }

  // The parts of the extended codes, whose macros are expressions, which the importer drops.
  private static let io = SQLITE_IOERR

  package static let all = [
    Fault("open", fault_vfs_open, SQLITE_CANTOPEN),
    Fault("open-from", fault_vfs_open, SQLITE_CANTOPEN, fault_vfs_from),
    Fault("open-memory", fault_vfs_open, SQLITE_NOMEM, errors: ["out-of-memory"]),
    Fault("read", fault_vfs_read, io | 1 << 8),
    Fault("read-from", fault_vfs_read, io | 1 << 8, fault_vfs_from),
    Fault(
      "read-short", fault_vfs_read, io | 2 << 8, errors: ["damaged", "not-a-vault", "input-output"]),
    Fault("read-memory", fault_vfs_read, io | 12 << 8, errors: ["out-of-memory", "input-output"]),
    Fault("write", fault_vfs_write, io | 3 << 8),
    Fault("write-twice", fault_vfs_write, io | 3 << 8, fault_vfs_twice),
    Fault("write-from", fault_vfs_write, io | 3 << 8, fault_vfs_from),
    Fault("write-full", fault_vfs_write, SQLITE_FULL),
    Fault("write-full-from", fault_vfs_write, SQLITE_FULL, fault_vfs_from),
    Fault("write-late", fault_vfs_write, io | 3 << 8, fault_vfs_late),
    Fault("truncate", fault_vfs_truncate, io | 6 << 8),
    Fault("truncate-from", fault_vfs_truncate, io | 6 << 8, fault_vfs_from),
    Fault("sync", fault_vfs_sync, io | 4 << 8),
    Fault("sync-from", fault_vfs_sync, io | 4 << 8, fault_vfs_from),
    Fault("sync-late", fault_vfs_sync, io | 4 << 8, fault_vfs_late),
    Fault("delete", fault_vfs_delete, io | 10 << 8),
    Fault("delete-from", fault_vfs_delete, io | 10 << 8, fault_vfs_from),
    Fault("delete-late", fault_vfs_delete, io | 5 << 8, fault_vfs_late),
    Fault("lock", fault_vfs_lock, io | 15 << 8),
    Fault("lock-from", fault_vfs_lock, io | 15 << 8, fault_vfs_from),
    Fault("lock-busy", fault_vfs_lock, SQLITE_BUSY, errors: ["busy"]),
    Fault("lock-busy-from", fault_vfs_lock, SQLITE_BUSY, fault_vfs_from, errors: ["busy"]),
  ]
}
