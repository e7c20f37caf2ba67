import Glibc
import VaultCrypto
import VaultModel

/// A small file of a fixed size in the state folder: what this machine remembers outside of vaults.
///
/// Nothing here fails an operation. A file that cannot be had, is not this user's own or has no such size is
/// none; one that cannot be written only weakens what is remembered.
final class StateFile {
  /// Nil without a state folder.
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

  /// Opens the file, making it if need be; false if there is none to be had.
  func open() -> Bool {
    guard descriptor < 0 else { return true }
    guard let path else { return false }
    do throws(VaultError) {
      try VaultPath.makeFolder(of: path)
    } catch {
      return false
    }
    // NONBLOCK: a pipe in the record's place must not be waited for.
    let flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | flags, mode_t(0o600))
    if descriptor < 0 { descriptor = unsafe Glibc.open(path, O_RDONLY | flags) }
    return isOwn()
  }

  /// Opens the file for reading if there is one, and changes nothing.
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

  /// Whether the open file is a plain one of this user's; another one is closed.
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

  /// Runs `body` with the open file's lock, or without it if another process does not let go of it.
  func locked<R, E: Error>(_ body: (_ isLocked: Bool) throws(E) -> R) throws(E) -> R {
    let isLocked = lock()
    defer { if isLocked { flock(descriptor, LOCK_UN) } }
    return try body(isLocked)
  }

  /// Waits a little for another process at the record; one that was stopped there holds nobody up.
  private func lock() -> Bool {
    for _ in 0..<100 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      guard errno == EWOULDBLOCK || errno == EINTR else { return false }
      usleep(500)
    }
    return false
  }

  /// The open file's bytes; nil if they are more or fewer.
  func read() -> [UInt8]? {
    guard descriptor >= 0, lseek(descriptor, 0, SEEK_END) == byteCount else { return nil }
    var bytes = [UInt8](repeating: 0, count: byteCount)
    // The buffer has as many bytes as are read.
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0)
    }
    return count == byteCount ? bytes : nil
  }

  /// Writes over the open file, whose lock is held.
  ///
  /// Not synchronized, and a failure is not reported: a lost or torn record is only a first use.
  func write(_ bytes: [UInt8]) {
    precondition(bytes.count == byteCount)
    _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    // Of a longer one, which was none, nothing is to stay.
    _ = ftruncate(descriptor, off_t(byteCount))
  }

  // MARK: What does not verify

  /// Where a record is kept that was not believed.
  var asidePath: String? { path.map { $0 + ".unverified" } }

  /// Whether a record was put aside.
  var hasAside: Bool {
    guard let asidePath else { return false }
    // A link to nothing, too, keeps records from being put aside, and is told.
    return FileStatus(at: asidePath) != nil
  }

  /// Keeps what a record said beside it, so that it can be written anew and is told all the same.
  ///
  /// - Returns: False if it cannot be kept; the record must then stay as it is. One that is kept already stays:
  ///   it is where it began.
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

/// What names a path in the state folder: in the names of records, and in what authenticates them.
struct PlaceID {
  let bytes: [UInt8]

  init(_ path: String) {
    bytes = Hash.hash(Array(path.utf8), count: 16)
  }

  var hex: String { VaultID(bytes)?.hex ?? "" }
}

extension RecordKey {
  /// A record as it is written: what it says, and what proves it at this place.
  func sealed(_ content: [UInt8], at place: PlaceID) -> [UInt8] {
    content + authenticate(content + place.bytes)
  }

  /// Whether a record was written by somebody who could open the vault, for this place.
  func isAuthentic(_ bytes: [UInt8], at place: PlaceID) -> Bool {
    bytes == sealed(Array(bytes.dropLast(32)), at: place)
  }
}
