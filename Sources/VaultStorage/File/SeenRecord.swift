import Glibc
import VaultCrypto
import VaultModel

/// What the state folder remembers of a vault at a path, so that an old copy put back is noticed.
///
/// A record that cannot be written never fails an operation: it only weakens this one check.
/// Source: `Documentation/format.md` §8.
final class SeenRecord {
  struct Memory: Equatable {
    let epoch: UInt64
    let generation: UInt64
    let head: Tag
  }

  private static let magic = Array("vltseen1".utf8)
  private static let byteCount = 48
  private let path: String?
  private let vaultPath: String
  private var descriptor: Int32 = -1

  /// The record of a vault at a path; without a state folder nothing is remembered.
  init(folder: String?, vault: VaultID, at vaultPath: String) {
    self.vaultPath = vaultPath
    let place = Hash.hash(Array(vaultPath.utf8), count: 16)
    path = folder.map { "\($0)/\(vault.hex)-\(VaultID(place)?.hex ?? "").seen" }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Compares the file's head with what was seen, and remembers it if it is newer.
  ///
  /// - Throws: ``VaultError/Code/rolledBack`` and ``VaultError/Code/forked``.
  func judge(_ head: Head, tag: Tag, epoch: UInt64) throws(VaultError) {
    guard open() else { return }
    let isLocked = lock()
    defer { if isLocked { flock(descriptor, LOCK_UN) } }
    let present = Memory(epoch: epoch, generation: head.generation, head: tag)
    if let seen = read() {
      if let verdict = Self.verdict(on: head, tag: tag, epoch: epoch, seen: seen) {
        throw refusal(verdict, head, epoch: epoch, seen: seen)
      }
      if seen == present { return }
    }
    // Without the lock another process's newer record might be overwritten.
    if isLocked { write(present) }
  }

  /// What was seen last; nil if nothing is known.
  func memory() -> Memory? {
    open() ? read() : nil
  }

  /// Remembers exactly this, also where it is less than before: a restore alone may do so.
  func replace(with memory: Memory) {
    guard open() else { return }
    let isLocked = lock()
    defer { if isLocked { flock(descriptor, LOCK_UN) } }
    if isLocked { write(memory) }
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

  enum Verdict {
    case rolledBack
    case forked
  }

  /// The table of `Documentation/format.md` §8; nil if the file may be what follows on what was seen.
  static func verdict(on head: Head, tag: Tag, epoch: UInt64, seen: Memory) -> Verdict? {
    guard seen.epoch == epoch else { return seen.epoch < epoch ? nil : .rolledBack }
    guard seen.generation <= head.generation else { return .rolledBack }
    let age = head.generation - seen.generation
    let known = age == 0 ? tag : age <= UInt64(head.recent.count) ? head.recent[Int(age) - 1] : nil
    return known == nil || known == seen.head ? nil : .forked
  }

  func refusal(
    _ verdict: Verdict, _ head: Head, epoch: UInt64, seen: Memory
  ) -> VaultError {
    let now = "generation \(head.generation) of \(head.committed)"
    switch verdict {
    case .rolledBack where seen.epoch > epoch:
      return VaultError(
        .rolledBack,
        "\(vaultPath) is an old copy, from before the vault was rekeyed: it is \(now) in epoch "
          + "\(epoch), and epoch \(seen.epoch) was seen here")
    case .rolledBack:
      return VaultError(
        .rolledBack,
        "\(vaultPath) is an old copy: it is \(now), and generation \(seen.generation) was seen here"
      )
    case .forked:
      return VaultError(
        .forked,
        "\(vaultPath) has another history than the vault that was seen here, which was at generation "
          + "\(seen.generation): it is \(now), so two copies were changed apart")
    }
  }

  /// Opens the record's file, making it if need be; false if there is none to be had.
  private func open() -> Bool {
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

  /// Whether the open file is a record of this user's; another one is closed.
  private func isOwn() -> Bool {
    guard descriptor >= 0 else { return false }
    var information = stat()
    // Somebody else's record says what they like, and a pipe says nothing.
    guard unsafe fstat(descriptor, &information) == 0, information.isRegularFile,
      information.st_uid == geteuid()
    else {
      close(descriptor)
      descriptor = -1
      return false
    }
    return true
  }

  /// What is remembered, without making or changing anything; nil if nothing is.
  func look() -> Memory? {
    guard descriptor < 0, let path else { return read() }
    descriptor = unsafe Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    return isOwn() ? read() : nil
  }

  private func read() -> Memory? {
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    // The buffer has as many bytes as are read.
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0)
    }
    guard count == Self.byteCount, bytes.starts(with: Self.magic),
      Hash.checksum(bytes[..<40]).elementsEqual(bytes[40...])
    else { return nil }
    return Memory(
      epoch: UInt64(littleEndianIn: bytes, at: 8),
      generation: UInt64(littleEndianIn: bytes, at: 16), head: Tag(bytes, at: 24))
  }

  private func write(_ memory: Memory) {
    var bytes = Self.magic
    memory.epoch.appendLittleEndian(to: &bytes)
    memory.generation.appendLittleEndian(to: &bytes)
    memory.head.append(to: &bytes)
    bytes += Hash.checksum(bytes)
    // Not synchronized, and a failure is not reported: a lost or torn record is only a first use. The commit
    // that it speaks of was durable before, so that no power cut leaves a record ahead of its file.
    _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }
}
