import CVaultSQLite
import CVaultSystem
import Glibc
package import VaultModel

/// Overwriting a database with another one.
extension Connection {
  /// Copies the file's pages byte for byte into an empty one, in an open transaction, so that
  /// nobody writes.
  ///
  /// Bytes behind the last page belong to nothing, and may be a hole of any size.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if the file has pages without a place in it, which may
  ///   be as many as it claims; as ``SQLiteError`` says; ``VaultError/Code/inputOutput``.
  package func copyFile(to path: String) throws(VaultError) {
    try requireStructure()
    var pages: Int64 = 0
    try run(.pageCount) { row in pages = Int64(clamping: row.integer(0)) }
    try unsafe LockedFile(file).copy(
      to: path, isDurable: false, atMost: pages * Int64(PageOne.size))
  }

  /// Makes this database equal to another one, in one journaled transaction, whatever its contents.
  ///
  /// - Parameters:
  ///   - source: The other database, which must not be in a transaction.
  ///   - prepare: Called when nobody else can read or change this file any more, before it is
  ///     changed. It gets the file's bytes, and may still change the source.
  /// - Throws: The errors of `prepare`; as ``SQLiteError`` says. In these cases nothing was
  ///   changed, unless the commit itself failed.
  package func overwrite(
    with source: Connection, after prepare: (LockedFile) throws(VaultError) -> Void
  ) throws(VaultError) {
    // Until the copy is finished nothing may be called on its destination, so the handle comes
    // first; it lives as long as the connection. <https://sqlite.org/c3ref/backup_finish.html>
    let locked = unsafe LockedFile(file)
    guard let copy = unsafe sqlite3_backup_init(database, "main", source.database, "main") else {
      throw error(unsafe sqlite3_extended_errcode(database), "writing a copy")
    }
    // This copies no page yet, but takes the exclusive lock, for which the busy handler waits.
    var status = unsafe sqlite3_backup_step(copy, 0)
    var failure: VaultError?
    if status == SQLITE_OK {
      do throws(VaultError) {
        try prepare(locked)
        // All pages at once: nobody could read half a copy.
        status = unsafe sqlite3_backup_step(copy, -1)
      } catch {
        failure = error
      }
    }
    // Rolls back an incomplete copy; the copy is not used again.
    unsafe sqlite3_backup_finish(copy)
    if let failure { throw failure }
    guard status == SQLITE_DONE else {
      // A page may have been refused on either side, and only that side's VFS knows why.
      let refusal = vfs?.refusal(status) ?? source.vfs?.refusal(status)
      throw refusal ?? error(status, "writing a copy")
    }
  }
}

/// The bytes of a database file, through SQLite's own handle and under its lock.
///
/// A descriptor of our own would release this process's POSIX locks when it is closed.
@safe package struct LockedFile {
  private let handle: UnsafeMutablePointer<sqlite3_file>?

  /// Creates a locked file.
  ///
  /// - Parameter handle: The handle of a connection that outlives this value.
  @unsafe fileprivate init(_ handle: UnsafeMutablePointer<sqlite3_file>?) {
    unsafe self.handle = unsafe handle
  }

  /// Copies the file byte for byte into an empty one, and makes it durable if wanted.
  ///
  /// Blocks of zeros are left out, as holes of the copy: it never takes more of the disk than the
  /// file.
  package func copy(
    to path: String, isDurable: Bool = true, atMost most: Int64 = .max
  ) throws(VaultError) {
    let descriptor = unsafe open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw Posix.failure(path, .inputOutput) }
    defer { close(descriptor) }
    var size: Int64 = 0
    try check(unsafe vault_sqlite3_file_size(handle, &size))
    size = min(size, most)
    guard ftruncate(descriptor, Int(size)) == 0 else { throw Posix.failure(path, .inputOutput) }
    var block = [UInt8](repeating: 0, count: 1 << 18)
    var offset: Int64 = 0
    while offset < size {
      let count = Int(min(Int64(block.count), size - offset))
      // The block has at least `count` bytes.
      try check(
        unsafe block.withUnsafeMutableBytes {
          unsafe vault_sqlite3_read(handle, $0.baseAddress, Int32(count), offset)
        })
      defer { offset += Int64(count) }
      guard block[..<count].contains(where: { $0 != 0 }) else { continue }
      // As above.
      let written = unsafe block.withUnsafeBytes {
        unsafe pwrite(descriptor, $0.baseAddress, count, Int(offset))
      }
      guard written == count else { throw Posix.failure(path, .inputOutput) }
      // Starts the disk writes now; they are awaited only at the end.
      if isDurable { vault_start_writing(descriptor, offset, Int64(count)) }
    }
    guard !isDurable || fsync(descriptor) == 0 else { throw Posix.failure(path, .inputOutput) }
  }

  private func check(_ status: Int32) throws(VaultError) {
    guard status == SQLITE_OK else { throw SQLiteError.error(status, "copying the file") }
  }
}
