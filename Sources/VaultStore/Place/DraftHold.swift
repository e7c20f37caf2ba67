import Glibc
import SecureMemory
import VaultModel

/// The lock of a draft's process, on a byte that SQLite never locks.
///
/// The lock belongs to an open file description, not to the process. It does not cover the whole
/// file, because on NFS that would conflict with SQLite's. Source: fcntl(2), "Open file description
/// locks".
///
/// A mapping keeps the description open, and no descriptor: closing one would release the
/// locks that SQLite has on the file by then, which belong to the process.
@safe final class DraftHold {
  // F_OFD_SETLK, which Swift's Glibc lacks.
  private static let setOwnLock: Int32 = 37

  /// The drafts of this process, which nothing else in it opens to look for a lock.
  private static let own = Lock<Set<FileIdentity>>([])

  private let identity: FileIdentity
  private let page: UnsafeMutableRawPointer

  /// Locks an open draft, and closes the descriptor; returns nil if somebody else has it or removed
  /// it meanwhile.
  ///
  /// A new draft may remain unlocked if the file system has no such locks: there, nobody can find
  /// it to be abandoned.
  init?(_ descriptor: Int32, _ path: String, _ identity: FileIdentity, isNew: Bool) {
    guard Self.own.withLock({ $0.insert(identity).inserted }) else {
      close(descriptor)
      return nil
    }
    // A page that nobody may touch, of a file that is open here. It may be beyond the file's end.
    guard Self.lock(descriptor) ?? isNew, FileStatus(at: path)?.identity == identity,
      let page = unsafe mmap(nil, Self.pageSize, PROT_NONE, MAP_PRIVATE, descriptor, 0),
      unsafe page != MAP_FAILED
    else {
      close(descriptor)
      Self.own.withLock { _ = $0.remove(identity) }
      return nil
    }
    close(descriptor)
    // A child of a host's that becomes no other program must not keep the lock.
    _ = unsafe madvise(page, Self.pageSize, MADV_DONTFORK)
    unsafe (self.identity, self.page) = (identity, page)
  }

  /// Locks a draft that nobody else has; returns nil if somebody has, if it is no regular file of
  /// this user's or, where that is asked for, does not begin as a vault.
  convenience init?(abandoned path: String, ifBeginsAsVault: Bool) {
    guard let file = FileStatus(at: path), file.isRegularFile, file.owner == geteuid(),
      !Self.own.withLock({ $0.contains(file.identity) })
    else { return nil }
    let descriptor = unsafe open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    guard FileStatus(of: descriptor)?.identity == file.identity,
      !ifBeginsAsVault || Self.beginsAsVault(descriptor)
    else {
      close(descriptor)
      return nil
    }
    self.init(descriptor, path, file.identity, isNew: false)
  }

  deinit {
    // The page of the initializer, which nothing else has.
    unsafe munmap(page, Self.pageSize)
    Self.own.withLock { _ = $0.remove(identity) }
  }

  /// Removes the draft under a name; its journal first, so that no journal is ever left alone.
  func remove(_ path: String) {
    // Under the draft's name there may be nothing, or a new file.
    guard FileStatus(at: path)?.identity == identity else { return }
    unsafe unlink(path + "-journal")
    unsafe unlink(path)
  }

  private static let pageSize = 4096

  /// Takes the lock; returns nil if there are no such locks here.
  private static func lock(_ descriptor: Int32) -> Bool? {
    var range = flock()
    range.l_type = Int16(F_WRLCK)
    range.l_whence = Int16(SEEK_SET)
    (range.l_start, range.l_len) = (1 << 40, 1)
    // The structure is ours.
    if unsafe fcntl(descriptor, setOwnLock, &range) == 0 { return true }
    return errno == EAGAIN || errno == EACCES ? false : nil
  }

  /// Returns whether the open file is empty, or begins as a database does, with or without its
  /// first page written.
  private static func beginsAsVault(_ descriptor: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    // The buffer has as many bytes as are read.
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0)
    }
    return count == 0
      || count == bytes.count
        && (bytes.allSatisfy { $0 == 0 } || bytes == Array("SQLite format 3\0".utf8))
  }
}
