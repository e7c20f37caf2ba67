import Glibc
import SecureMemory
import VaultFile
import VaultModel

/// The temporary file of a backup, beside its target: `.<name>.backup-<13 letters and digits>.new`.
///
/// Its process holds a lock on it while it exists, and the kernel releases that lock however the
/// process ends. So the next backup into the folder can identify abandoned drafts, and removes
/// them.
final class BackupDraft {
  private static let mark = ".backup-"
  private static let suffix = ".new"
  private static let numberLength = 13

  // F_OFD_SETLK, which Swift's Glibc lacks.
  private static let setOwnLock: Int32 = 37

  let path: VaultPath
  private let descriptor: Int32
  private let identity: FileIdentity

  /// The drafts of this process, which nothing else in it opens.
  ///
  /// Closing another descriptor of one would release SQLite's locks on it.
  private static let own = Lock<Set<FileIdentity>>([])

  /// Creates an empty file for a target.
  ///
  /// A backup is sealed, so it may also be where files have neither an owner nor a mode.
  init(for target: VaultPath) throws(VaultError) {
    // Another process looking for drafts may lock or remove a new one first.
    for _ in 0..<100 {
      let path = try VaultPath("\(target.folder)/\(Self.name(for: target))")
      let (descriptor, file) = try Posix.openNewFile(path.path)
      if Self.claim(file.identity) {
        if Self.hold(descriptor, path.path, file.identity, isNew: true) {
          (self.path, self.descriptor, identity) = (path, descriptor, file.identity)
          return
        }
      } else {
        close(descriptor)
      }
      unsafe unlink(path.path)
    }
    throw VaultError(.busy, "other processes take every new file in \(target.folder)")
  }

  /// Removes the draft, unless it has been renamed; it is not open any more.
  deinit {
    Self.remove(path.path, if: identity)
    // After SQLite has closed the file, whose locks this process loses here.
    Self.release(descriptor, identity)
  }

  private static func name(for target: VaultPath) -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 36)
    let zeros = String(repeating: "0", count: numberLength - digits.count)
    return ".\(target.name)\(mark)\(zeros)\(digits)\(suffix)"
  }

  /// Returns whether a file has the name of a draft.
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

  // MARK: Abandoned drafts

  /// Removes abandoned drafts in a folder, with their journals.
  ///
  /// Only regular files of this user with a draft's name and first bytes are touched. Files that
  /// cannot be checked or removed are left; they do not prevent a backup.
  static func removeAbandoned(in folder: String) throws(VaultError) {
    for name in try Posix.names(in: folder) where isName(name) {
      let path = "\(folder)/\(name)"
      guard let (descriptor, identity) = openAbandoned(path) else { continue }
      if hasBeginning(descriptor) { remove(path, if: identity) }
      release(descriptor, identity)
    }
  }

  /// Returns whether the open file is empty, or begins as a database does, with or without its
  /// first page written.
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

  /// Opens and locks a draft that nobody has open; returns nil if somebody does, or it is not a
  /// draft.
  private static func openAbandoned(
    _ path: String
  ) -> (descriptor: Int32, identity: FileIdentity)? {
    guard let file = FileStatus(at: path), file.isRegularFile, file.owner == geteuid(),
      claim(file.identity)
    else { return nil }
    let descriptor = unsafe open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard hold(descriptor, path, file.identity, isNew: false) else { return nil }
    return (descriptor, file.identity)
  }

  /// Notes that this process is about to open a draft; returns false if it has it open.
  private static func claim(_ identity: FileIdentity) -> Bool {
    own.withLock { $0.insert(identity).inserted }
  }

  /// Locks an open draft; if somebody else has it or removed it meanwhile, gives it up and returns
  /// false.
  ///
  /// A new draft may remain unlocked if the file system has no such locks: there, nobody can find
  /// it to be abandoned.
  private static func hold(
    _ descriptor: Int32, _ path: String, _ identity: FileIdentity, isNew: Bool
  ) -> Bool {
    if descriptor >= 0, FileStatus(of: descriptor)?.identity == identity,
      lock(descriptor) ?? isNew, FileStatus(at: path)?.identity == identity
    {
      return true
    }
    release(descriptor, identity)
    return false
  }

  private static func release(_ descriptor: Int32, _ identity: FileIdentity) {
    if descriptor >= 0 { close(descriptor) }
    own.withLock { _ = $0.remove(identity) }
  }

  /// Takes the lock of a draft's process, on a byte that SQLite never locks; returns nil if there
  /// are no such locks here.
  ///
  /// The lock belongs to the descriptor, not to the process. It does not cover the whole file,
  /// because on NFS that would conflict with SQLite's. Source: fcntl(2), "Open file description
  /// locks".
  private static func lock(_ descriptor: Int32) -> Bool? {
    var range = flock()
    range.l_type = Int16(F_WRLCK)
    range.l_whence = Int16(SEEK_SET)
    (range.l_start, range.l_len) = (1 << 40, 1)
    // The structure is ours.
    if unsafe fcntl(descriptor, Self.setOwnLock, &range) == 0 { return true }
    return errno == EAGAIN || errno == EACCES ? false : nil
  }

  /// Removes a draft whose lock is held; its journal first, so that no journal is ever left alone.
  private static func remove(_ path: String, if identity: FileIdentity) {
    // Under the draft's name there may be nothing, or a new file.
    guard FileStatus(at: path)?.identity == identity else { return }
    unsafe unlink(path + "-journal")
    unsafe unlink(path)
  }
}
