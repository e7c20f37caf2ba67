import Glibc
import VaultCrypto
import VaultModel

/// All rows of a vault that may be damaged anywhere, by what they say that they are.
///
/// Several rows may claim one id; which of them is right, tags and seals tell.
struct Wreck {
  private(set) var idents: [Ident] = []
  private(set) var heads: [[UInt8]] = []
  private(set) var slots: [Slot] = []
  private(set) var nodes: [UInt64: [[UInt8]]] = [:]
  /// Whether a row looks like a slot and is none: a right key may then open nothing.
  private var hasDamagedSlots = false

  /// - Throws: ``VaultError/Code/vaultNotFound``, ``VaultError/Code/unsafePermissions``,
  ///   ``VaultError/Code/notAVault``, ``VaultError/Code/busy``, ``VaultError/Code/inputOutput``;
  ///   ``VaultError/Code/invalidArgument`` if this process has the vault open.
  init(of path: VaultPath) throws(VaultError) {
    let identity = try path.checkExisting()
    try SideFiles(of: path.path).check()
    guard !FileStore.isOpen(identity) else {
      throw VaultError(.invalidArgument, "\(path.path) is open in this process: close it first")
    }
    var file = try Self.read(path.path, isVault: true)
    if try path.hasJournal() {
      file = JournalImage.restored(file, journal: try Self.read(path.path + "-journal"))
    }
    PageScan(file).eachRow { add($0) }
    guard !slots.isEmpty || !nodes.isEmpty || !heads.isEmpty else {
      throw VaultError(.notAVault, "\(path.path) holds nothing of a vault")
    }
  }

  private mutating func add(_ row: PageScan.Row) {
    let hadDamagedSlots = hasDamagedSlots
    do throws(VaultError) {
      guard let first = row.blobs.first else { return }
      if row.blobs.count == 2 {
        idents.append(try Ident(decoding: first, knowing: MigrationChain.current.features))
        heads.append(row.blobs[1])
      } else if first.count >= 512, first.count.isMultiple(of: 512) {
        nodes[row.id, default: []].append(first)
      } else {
        hasDamagedSlots = true
        slots.append(try Slot(decoding: first, id: UInt32(clamping: row.id)))
        hasDamagedSlots = hadDamagedSlots
      }
    } catch {
      // Not what it looks like, or damaged: another row may be whole.
      return
    }
  }

  /// Reads a file whole, while nobody writes.
  private static func read(_ path: String, isVault: Bool = false) throws(VaultError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw Posix.failure(path) }
    defer { close(descriptor) }
    // Nobody in this process has the file open, so closing it drops no lock of SQLite's.
    guard !isVault || lockForReading(descriptor) else {
      throw VaultError(.busy, "another program is writing to \(path)", underlying: .errno(errno))
    }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      // The buffer has as many bytes as are read at most.
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      if count == 0 { return bytes }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Posix.failure(path, .inputOutput) }
      bytes += piece[..<count]
    }
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

  // MARK: Keys and rows

  /// The epoch's keys by the first slot that opens.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed``; ``VaultError/Code/damaged`` if ident or slots are
  ///   lost: nobody can open anything then.
  func keys(for key: UnlockKey) throws(VaultError) -> EpochKeys {
    guard !idents.isEmpty else { throw VaultError(.damaged, "the vault's ident is lost") }
    guard !slots.isEmpty else { throw VaultError(.damaged, "all slots are lost") }
    var failure =
      hasDamagedSlots
      ? VaultError(.damaged, "the key opens no slot that is left, and others are damaged")
      : VaultError(.authenticationFailed, "the key opens no slot that is left")
    for slot in slots where slot.takes(key) {
      for ident in idents {
        do throws(VaultError) {
          return try slot.open(with: key, ident: ident)
        } catch {
          if error.code != .authenticationFailed { failure = error }
        }
      }
    }
    throw failure
  }

  /// The newest head that opens.
  func head(_ keys: EpochKeys) -> Head? {
    var newest: Head?
    for sealed in heads {
      do throws(VaultError) {
        let head = try Head(decoding: keys.open(sealed, as: .head, id: 0))
        if head.generation > newest?.generation ?? 0 { newest = head }
      } catch {
        continue
      }
    }
    return newest
  }

  /// The row under an id with a tag; nil if there is none.
  func row(_ id: UInt64, _ tag: Tag) -> [UInt8]? {
    nodes[id]?.first { Tag(ofSealed: $0) == tag }
  }

  /// What a row holds: the one with a tag, or without one any that opens.
  func content(_ kind: NodeKind, _ id: UInt64, _ tag: Tag?, _ keys: EpochKeys) -> [UInt8]? {
    for sealed in nodes[id] ?? [] where tag == nil || Tag(ofSealed: sealed) == tag {
      do throws(VaultError) {
        return try keys.open(sealed, as: kind, id: id)
      } catch {
        continue
      }
    }
    return nil
  }
}
