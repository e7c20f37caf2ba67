import Glibc
import SecureMemory
import VaultFile
import VaultModel

/// A backup in the making, beside its target: `.<name>.backup-<13 letters and digits>.new`.
///
/// Its maker holds a lock on it for as long as it lives, and the kernel takes that back whatever the end is: so the
/// next backup into the folder knows which drafts nobody will finish, and removes them.
final class BackupDraft {
  private static let mark = ".backup-"
  private static let suffix = ".new"
  private static let numberLength = 13

  // F_OFD_SETLK, which Swift's Glibc lacks.
  private static let setOwnLock: Int32 = 37

  let path: VaultPath
  private let descriptor: Int32
  private let identity: FileIdentity

  /// The drafts of this process, which nobody else in it opens.
  ///
  /// Closing a descriptor of one would drop the locks that SQLite has on it.
  private static let own = Lock<Set<FileIdentity>>([])

  /// Makes an empty file for a target.
  init(for target: VaultPath) throws(VaultError) {
    while true {
      let path = try VaultPath("\(target.folder)/\(Self.name(for: target))")
      try Posix.createFile(path.path)
      // Who looks for drafts may have been quicker, and have it locked or removed.
      guard let (descriptor, identity) = try Self.locked(path.path, isNew: true) else { continue }
      self.path = path
      self.descriptor = descriptor
      self.identity = identity
      return
    }
  }

  /// Removes the draft, unless it has another name by now; nobody has it open any more.
  deinit {
    Self.remove(path.path, if: identity)
    // After SQLite has closed the file, whose locks this process loses here.
    close(descriptor)
    Self.own.withLock { _ = $0.remove(identity) }
  }

  private static func name(for target: VaultPath) -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 36)
    let zeros = String(repeating: "0", count: numberLength - digits.count)
    return ".\(target.name)\(mark)\(zeros)\(digits)\(suffix)"
  }

  /// Whether a file has the name of a draft.
  static func isName(_ name: String) -> Bool {
    guard name.hasPrefix("."), name.hasSuffix(suffix) else { return false }
    let rest = name.dropLast(suffix.count)
    let number = rest.suffix(numberLength)
    return rest.dropLast(numberLength).hasSuffix(mark)
      && number.utf8.count == numberLength
      && number.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: false
        }
      }
  }

  // MARK: What others left

  /// Removes the drafts in a folder whose makers are gone, with their journals.
  ///
  /// Only plain files of this user with a draft's name, mode and beginning are touched. What cannot be looked at or
  /// removed stays: it keeps no backup from being made.
  static func removeAbandoned(in folder: String) throws(VaultError) {
    for name in try Posix.names(in: folder) where isName(name) {
      let path = "\(folder)/\(name)"
      do throws(VaultError) {
        guard let (descriptor, identity) = try locked(path) else { continue }
        if hasBeginning(descriptor) { remove(path, if: identity) }
        close(descriptor)
        own.withLock { _ = $0.remove(identity) }
      } catch {
        continue
      }
    }
  }

  /// Whether the open file is empty, or begins as a database does whose first page was or was not written yet.
  private static func hasBeginning(_ descriptor: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    // The buffer has as many bytes as are read.
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0)
    }
    return count == 0
      || count == bytes.count
        && (bytes.allSatisfy { $0 == 0 } || bytes == Array("SQLite format 3\0".utf8))
  }

  /// Opens and locks a draft that nobody has; nil if somebody has it or it is none.
  ///
  /// One that was just made may stay without a lock where there are no such locks: there nobody can find it
  /// to be abandoned.
  private static func locked(
    _ path: String, isNew: Bool = false
  ) throws(VaultError) -> (descriptor: Int32, identity: FileIdentity)? {
    guard let information = try Posix.information(path), information.isRegularFile,
      information.owner == geteuid(), information.mode & 0o7777 == 0o600
    else { return nil }
    let identity = information.identity
    guard own.withLock({ $0.insert(identity).inserted }) else { return nil }
    let descriptor = unsafe open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    // A draft that was removed meanwhile has no name any more.
    guard descriptor >= 0, let opened = FileStatus(of: descriptor), opened.linkCount > 0,
      opened.identity == identity, lock(descriptor) ?? isNew
    else {
      if descriptor >= 0 { close(descriptor) }
      own.withLock { _ = $0.remove(identity) }
      return nil
    }
    return (descriptor, identity)
  }

  /// Takes the lock that makers hold, on a byte that SQLite locks in no file; nil if there are no such locks here.
  ///
  /// It belongs to the descriptor, not to the process, and is no lock of the whole file, which SQLite's would run
  /// into on NFS. Source: fcntl(2), "Open file description locks".
  private static func lock(_ descriptor: Int32) -> Bool? {
    var range = flock()
    range.l_type = Int16(F_WRLCK)
    range.l_whence = Int16(SEEK_SET)
    (range.l_start, range.l_len) = (1 << 40, 1)
    // The structure is ours.
    if unsafe fcntl(descriptor, Self.setOwnLock, &range) == 0 { return true }
    return errno == EAGAIN || errno == EACCES ? false : nil
  }

  /// Removes a draft whose lock is held; its journal first, so that none is ever left alone.
  private static func remove(_ path: String, if identity: FileIdentity) {
    // Under the draft's name there may be nothing, or a new file.
    guard FileStatus(at: path)?.identity == identity else { return }
    unsafe unlink(path + "-journal")
    unsafe unlink(path)
  }
}
