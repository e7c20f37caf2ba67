import Glibc
import VaultFile
import VaultModel

/// The pages of a vault's file, with those of its journal in their places, read one by one while
/// nobody writes.
///
/// The contents are not kept in memory: the file may be as large as a disk. Only the offset of each
/// journal page is kept.
final class RawFile {
  static let pageSize = 4096

  private let path: String
  private let identity: FileIdentity
  private let descriptor: Int32
  /// The journal's descriptor; negative without a journal.
  private let journal: Int32
  private let image: JournalImage

  /// Opens the file.
  ///
  /// - Throws: ``VaultError/Code/vaultNotFound``, ``VaultError/Code/unsafePermissions``,
  ///   ``VaultError/Code/busy``, ``VaultError/Code/inputOutput``;
  ///   ``VaultError/Code/invalidArgument`` if this process has the vault open.
  init(_ path: VaultPath) throws(VaultError) {
    let identity = try path.checkExisting()
    try SideFiles(of: path.path).check()
    guard !OpenStores.contains(identity) else {
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
    // Closing any descriptor of the vault would release the locks of a store that was opened in
    // this process since then. So one descriptor too many may stay open.
    if !OpenStores.contains(identity) { close(descriptor) }
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

  /// Takes SQLite's shared lock, so that nobody can commit.
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

  /// Returns up to that many bytes from an offset, fewer at the end; nil if they cannot be read.
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

  /// The number of pages; the last one may be incomplete.
  var pageCount: Int { (image.byteCount + Self.pageSize - 1) / Self.pageSize }

  /// Returns the bytes of a page; none if it does not exist or can no longer be read.
  func page(_ number: Int) -> [UInt8] {
    guard number >= 0, number < pageCount else { return [] }
    if let place = image.places[number] {
      return Self.bytes(journal, at: place, Self.pageSize) ?? []
    }
    let count = min(Self.pageSize, image.byteCount - number * Self.pageSize)
    return Self.bytes(descriptor, at: number * Self.pageSize, count) ?? []
  }
}
