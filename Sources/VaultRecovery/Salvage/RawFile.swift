import Glibc
import VaultFile
import VaultModel

/// The pages of a vault's file, read one by one, with its journal's in their places; nobody writes meanwhile.
///
/// Nothing of the file is held: it may be as large as a disk. A page that the journal has costs its place there.
final class RawFile {
  static let pageSize = 4096

  private let path: String
  private let identity: FileIdentity
  private let descriptor: Int32
  /// Negative without a journal.
  private let journal: Int32
  private let image: JournalImage

  /// - Throws: ``VaultError/Code/vaultNotFound``, ``VaultError/Code/unsafePermissions``,
  ///   ``VaultError/Code/busy``, ``VaultError/Code/inputOutput``; ``VaultError/Code/invalidArgument`` if this
  ///   process has the vault open.
  init(_ path: VaultPath) throws(VaultError) {
    let identity = try path.checkExisting()
    try SideFiles(of: path.path).check()
    guard !FileStore.isOpen(identity) else {
      throw VaultError(.invalidArgument, "\(path.path) is open in this process: close it first")
    }
    let descriptor = try Self.open(path.path)
    do throws(VaultError) {
      guard Self.lockForReading(descriptor) else {
        throw VaultError(
          .busy, "another program is writing to \(path.path)", underlying: .errno(errno))
      }
      let size = try Self.size(descriptor, path.path)
      let journal = try path.hasJournal() ? Self.open(path.path + "-journal") : -1
      image =
        journal < 0
        ? JournalImage(byteCount: size)
        : JournalImage(byteCount: size, header: Self.bytes(descriptor, at: 0, 100) ?? []) {
          Self.bytes(journal, at: $0, $1) ?? []
        }
      self.journal = journal
    } catch {
      close(descriptor)
      throw error
    }
    self.path = path.path
    self.identity = identity
    self.descriptor = descriptor
  }

  deinit {
    if journal >= 0 { close(journal) }
    // Whoever opened the vault in this process since then has locks that would go with any descriptor of it: rather
    // one too many stays open.
    if !FileStore.isOpen(identity) { close(descriptor) }
  }

  private static func open(_ path: String) throws(VaultError) -> Int32 {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw Posix.failure(path) }
    return descriptor
  }

  private static func size(_ descriptor: Int32, _ path: String) throws(VaultError) -> Int {
    guard let status = FileStatus(of: descriptor) else { throw Posix.failure(path, .inputOutput) }
    return status.byteCount
  }

  /// Locks the bytes that SQLite's readers lock: whoever commits holds them alone.
  ///
  /// Source: <https://sqlite.org/lockingv3.html>, `os_unix.c`.
  private static func lockForReading(_ descriptor: Int32) -> Bool {
    var range = flock()
    range.l_type = Int16(F_RDLCK)
    range.l_whence = Int16(SEEK_SET)
    (range.l_start, range.l_len) = (0x4000_0002, 510)
    // The structure is ours.
    return unsafe fcntl(descriptor, F_SETLK, &range) == 0
  }

  /// Up to so many bytes from an offset on, fewer at the end; nil if they cannot be read.
  private static func bytes(_ descriptor: Int32, at offset: Int, _ count: Int) -> [UInt8]? {
    var failed = false
    // The buffer has as many bytes as are read at most, and those that were read are counted.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      while initialized < count {
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[initialized...])
        let got = unsafe pread(descriptor, rest.baseAddress, rest.count, offset + initialized)
        if got < 0, errno == EINTR { continue }
        failed = failed || got < 0
        guard got > 0 else { return }
        initialized += got
      }
    }
    return failed ? nil : bytes
  }

  var byteCount: Int { image.byteCount }

  /// How many pages there are, the last one perhaps not a whole one.
  var pageCount: Int { (image.byteCount + Self.pageSize - 1) / Self.pageSize }

  /// The bytes of a page; none of one that is not there or that the disk does not give any more.
  func page(_ number: Int) -> [UInt8] {
    guard number >= 0, number < pageCount else { return [] }
    if let place = image.places[number] {
      return Self.bytes(journal, at: place, Self.pageSize) ?? []
    }
    let count = min(Self.pageSize, image.byteCount - number * Self.pageSize)
    return Self.bytes(descriptor, at: number * Self.pageSize, count) ?? []
  }
}
