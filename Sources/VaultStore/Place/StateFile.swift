import Glibc
import VaultCrypto
import VaultModel

/// A small file of a fixed size in the state folder: this machine's memory outside of vaults.
///
/// No error here fails an operation. A file that is not available, not this user's own or not of
/// this size counts as missing; one that cannot be written only weakens the records.
final class StateFile {
  /// The path; nil without a state folder.
  let path: String?
  private let byteCount: Int
  private var descriptor: Int32 = -1

  init(folder: String?, name: String, byteCount: Int) {
    path = folder.map { "\($0)/\(name)" }
    self.byteCount = byteCount
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Opens the file, creating it if necessary; returns false if it is not available.
  func open() -> Bool {
    guard descriptor < 0 else { return true }
    guard let path else { return false }
    do throws(VaultError) {
      try VaultPath.makeFolder(of: path)
    } catch {
      return false
    }
    // NONBLOCK: opening a pipe with the record's name must not wait.
    let flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | flags, mode_t(0o600))
    if descriptor < 0 { descriptor = unsafe Glibc.open(path, O_RDONLY | flags) }
    return isOwn()
  }

  /// Opens the file for reading if it exists, and changes nothing.
  func look() -> Bool {
    guard descriptor < 0 else { return true }
    guard let path else { return false }
    descriptor = unsafe Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    return isOwn()
  }

  func forget() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
  }

  /// Returns whether the open file is a regular one of this user's; closes any other.
  private func isOwn() -> Bool {
    guard descriptor >= 0 else { return false }
    // Somebody else's record says what they like, and a pipe says nothing.
    guard let status = FileStatus(of: descriptor), status.isRegularFile, status.owner == geteuid()
    else {
      forget()
      return false
    }
    return true
  }

  /// Runs `body` with the open file's lock, or without it if another process does not release it in
  /// that time.
  func locked<R, E: Error>(
    milliseconds: Int = 50, _ body: (_ isLocked: Bool) throws(E) -> R
  ) throws(E) -> R {
    let isLocked = lock(milliseconds)
    defer { if isLocked { flock(descriptor, LOCK_UN) } }
    return try body(isLocked)
  }

  /// Waits briefly for another process's lock on the record; a stopped process delays nobody.
  private func lock(_ milliseconds: Int) -> Bool {
    for _ in 0..<2 * milliseconds {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      guard errno == EWOULDBLOCK || errno == EINTR else { return false }
      usleep(500)
    }
    return false
  }

  /// Returns the open file's bytes; nil if the size differs.
  func read() -> [UInt8]? {
    guard descriptor >= 0 else { return nil }
    // One byte more than wanted, so that a longer file shows.
    var bytes = [UInt8](repeating: 0, count: byteCount + 1)
    // The buffer has as many bytes as are read.
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0)
    }
    guard count == byteCount else { return nil }
    bytes.removeLast()
    return bytes
  }

  /// Overwrites the open file, whose lock is held.
  ///
  /// It is not synchronized, and errors are not reported: a lost or torn record only counts as a
  /// first use.
  func write(_ bytes: [UInt8]) {
    precondition(bytes.count == byteCount)
    _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    // Nothing must remain of a longer file, which was not a record.
    _ = ftruncate(descriptor, off_t(byteCount))
  }

  // MARK: Unverified records

  /// The path at which an unverified record is kept.
  var asidePath: String? { path.map { $0 + ".unverified" } }

  /// Whether a record was put aside.
  var hasAside: Bool {
    guard let asidePath else { return false }
    // A dangling link also keeps records from being put aside, so it is reported.
    return FileStatus(at: asidePath) != nil
  }

  /// Keeps the contents of a record beside it, so that it can be rewritten and is still reported.
  ///
  /// - Returns: False if it cannot be kept; the record must then stay unchanged. One that is
  ///   already kept stays, since it is the earliest.
  func putAside(_ bytes: [UInt8]) -> Bool {
    guard let asidePath else { return false }
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let aside = unsafe Glibc.open(asidePath, flags, mode_t(0o600))
    guard aside >= 0 else { return errno == EEXIST }
    defer { close(aside) }
    let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(aside, $0.baseAddress, $0.count) }
    if count != bytes.count { unsafe unlink(asidePath) }
    return count == bytes.count
  }
}

/// The identifier of a path in the state folder: in the names of records, and in their
/// authentication.
struct PlaceID {
  let bytes: [UInt8]

  init(_ path: String) {
    bytes = Hash.hash(Array(path.utf8), count: 16)
  }

  var hex: String { String(hexadecimal: bytes) }
}

extension RecordKey {
  /// Returns a record as it is written: its contents, and the proof for this place.
  func sealed(_ content: [UInt8], at place: PlaceID) -> [UInt8] {
    content + authenticate(content + place.bytes)
  }

  /// Returns whether a record was written with the vault's key, for this place.
  func isAuthentic(_ bytes: [UInt8], at place: PlaceID) -> Bool {
    bytes == sealed(Array(bytes.dropLast(32)), at: place)
  }
}
