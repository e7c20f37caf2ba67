import CVaultSQLite
import CVaultSystem
import Glibc
package import VaultModel

/// A file that is read by its bytes, whatever they are, through SQLite's own handle of it.
///
/// A descriptor of our own would release this process's POSIX locks on the file when it is closed.
@safe package final class ReadFile {
  private let handle: UnsafeMutablePointer<sqlite3_file>
  /// The size in bytes when it was opened.
  package let byteCount: Int
  /// SQLite's own descriptor, which is asked for the file's holes; nil if it is not known.
  private let descriptor: Int32?

  /// Opens a regular file that exists.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - isLocked: Whether to take the lock of a reader, so that nobody can commit.
  /// - Throws: ``VaultError/Code/busy`` if somebody is about to commit; as ``Posix`` says.
  package init(_ path: String, isLocked: Bool) throws(VaultError) {
    // The path is a C string for the call, which copies it; the handle is closed once, in deinit.
    guard let handle = unsafe vault_sqlite3_open_file(path) else { throw Posix.failure(path) }
    unsafe self.handle = unsafe handle
    var size: Int64 = 0
    do throws(VaultError) {
      if isLocked { try Self.check(unsafe vault_sqlite3_lock_file(handle), path) }
      try Self.check(unsafe vault_sqlite3_file_size(handle, &size), path)
    } catch {
      unsafe vault_sqlite3_close_file(handle)
      throw error
    }
    byteCount = Int(size)
    // The handle was opened above, and the path is a C string for the call.
    let number = unsafe vault_sqlite3_descriptor(handle, path)
    descriptor = number < 0 ? nil : number
  }

  deinit {
    // Nobody reads any more.
    unsafe vault_sqlite3_close_file(handle)
  }

  private static func check(_ status: Int32, _ path: String) throws(VaultError) {
    guard status == SQLITE_OK else {
      throw SQLiteError.error(status, "reading", path: path, systemError: errno)
    }
  }

  /// Returns up to that many bytes from an offset, fewer at the end; nil if they cannot be read.
  package func bytes(at offset: Int, _ count: Int) -> [UInt8]? {
    let count = max(0, min(count, byteCount - offset))
    guard count > 0 else { return [] }
    var status = SQLITE_OK
    // The buffer has as many bytes as are read.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      status = unsafe vault_sqlite3_read(handle, buffer.baseAddress, Int32(count), Int64(offset))
      initialized = status == SQLITE_OK ? count : 0
    }
    return status == SQLITE_OK ? bytes : nil
  }

  /// Returns the next bytes from an offset that may be other than zero; none behind the last ones.
  ///
  /// A file may claim far more than it holds. If the file system does not tell its holes, all bytes
  /// that follow may be.
  package func data(from offset: Int) -> Range<Int> {
    let all = min(offset, byteCount)..<byteCount
    guard let descriptor, !all.isEmpty else { return all }
    var (start, end) = (Int64(offset), Int64(byteCount))
    // The numbers are ours.
    guard unsafe vault_next_data(descriptor, &start, &end) == 0 else {
      return errno == ENXIO ? byteCount..<byteCount : all
    }
    let range = Int(start)..<max(Int(start), Int(end))
    return range.clamped(to: all)
  }
}
