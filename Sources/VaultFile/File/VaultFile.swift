import CSystem
package import SealedTree
import SecureMemory
package import VaultCrypto
package import VaultModel
package import VaultSession

/// One open vault file; not safe from several threads (``FileStore`` holds a lock around it).
package final class VaultFile {
  /// What there is while the vault is unlocked.
  package struct Unlocked {
    package let keys: EpochKeys
    package let reader: TreeReader
    package var head: Head
    package var headTag: Tag
    /// The head as it lies in the file: any other byte of it is looked at anew.
    package var headRow: [UInt8] = []
    /// As the head has it; nil until that was opened.
    package var recordKey: RecordKey?
    /// Reads the key file again that opened the vault: it also opens it after a rotation elsewhere.
    var keyFile: KeyFileReader?
    /// As the head's tree has it; nil until it is asked for.
    var policy: PersistencePolicy?

    package func requireRecordKey() throws(VaultError) -> RecordKey {
      guard let recordKey else { throw VaultError(.internalError, "the head was not opened") }
      return recordKey
    }
  }

  /// What an opened file is to whoever opens it.
  package enum Role {
    /// A vault in use, safe where it lies.
    case vault
    /// A copy that is only read, wherever it lies: nothing of it is believed but its seals.
    case backup
  }

  static let recheckInterval = Duration.seconds(1)

  package let path: VaultPath
  let chain: MigrationChain
  package let connection: Connection
  package var ident: Ident
  let seen: RollbackRecord
  let place: PlaceRecord
  /// Whether the vault was remembered as the one at its path.
  var isPlaceConfirmed = false
  let clock: VaultClock
  package let identity: FileIdentity
  /// Who is told of changes; nil for a file that is only looked at.
  let events: EventQueue?
  /// A file on a network is not probed: its first bytes may come from a cache.
  private let isOnNetwork: Bool

  var unlocked: Unlocked?
  /// The file's first bytes, by which one sees that nobody committed.
  ///
  /// As read in the transaction in which the head was read: never a value read without a lock, nor
  /// after an own commit.
  private var label: SQLiteHeader?
  private var checked = ContinuousClock.now
  /// Whether it is being found out what a commit has come to: a head that is new then may be our own.
  var isSettling = false
  /// Whether the head turned out to have changed in the middle of a read.
  private var isStale = false
  /// Whether another file lies at the path now.
  private(set) var isReplaced = false

  /// Opens an existing vault, locked.
  ///
  /// - Parameters:
  ///   - path: Where it lies.
  ///   - stateFolder: Where generations are remembered; nil for copies that are only looked at.
  ///   - lockTimeout: How long to wait for other processes.
  ///   - chain: The formats that are known.
  ///   - clock: Learns of each commit that is seen.
  ///   - role: A backup is not written to, not even to apply its journal.
  ///   - acceptsAnother: Whether it may be another vault than the one that is remembered at the path.
  ///   - events: Gets what is committed, here and elsewhere.
  /// - Throws: As ``VaultPath/checkExisting()``, ``Connection/checkContainer(hasJournal:)`` and
  ///   ``PlaceRecord/check(_:)`` say, and ``VaultError/Code/tooNew``.
  package init(
    path: VaultPath, stateFolder: String?, lockTimeout: Duration, chain: MigrationChain = .current,
    clock: VaultClock = VaultClock(), role: Role = .vault, acceptsAnother: Bool = false,
    events: EventQueue? = nil
  ) throws(VaultError) {
    self.path = path
    self.events = events
    self.chain = chain
    self.clock = clock
    identity = try path.check(role)
    connection = try Connection(
      path: path.path, busyWait: BusyWait(timeout: lockTimeout), isReadOnly: role == .backup,
      chain: chain)
    let hasJournal = try path.hasJournal()
    try connection.checkContainer(hasJournal: role == .vault && hasJournal)
    var bytes: [UInt8] = []
    try connection.run(.selectVault) { row in bytes = row.blob(0) }
    ident = try Ident(decoding: bytes, knowing: chain.features)
    seen = RollbackRecord(folder: stateFolder, vault: ident.vaultID, at: path.path)
    place = PlaceRecord(folder: stateFolder, at: path.path)
    // Before a key is asked for: whoever put it there may know what opens it.
    if !acceptsAnother { try place.check(ident.vaultID) }
    isOnNetwork = Self.isOnNetwork(path.folder)
    guard try path.check(role) == identity else {
      throw VaultError(.busy, "\(path.path) was replaced while it was opened")
    }
  }

  package func requireUnlocked() throws(VaultError) -> Unlocked {
    guard let unlocked else { throw VaultError(.locked, "\(path.path) is locked") }
    return unlocked
  }

  // MARK: Locking

  /// Forgets keys and everything opened with them.
  func lock() {
    unlocked = nil
    label = nil
    wipeStack()
  }

  // MARK: Reading

  /// Runs `body` over a head and nodes that are current at one moment of this call.
  ///
  /// It may run again if another process commits meanwhile.
  package func read<R>(_ body: (TreeReader) throws(VaultError) -> R) throws(VaultError) -> R {
    _ = try requireUnlocked()
    // Also where it cannot begin: a transaction that was left open would fail the next write.
    defer { endReading() }
    if !isCurrent() { try beginReading() }
    while true {
      isStale = false
      // A rotation elsewhere brings another one.
      let reader = try requireUnlocked().reader
      do throws(VaultError) {
        return try body(reader)
      } catch {
        guard isStale else { throw error }
      }
    }
  }

  /// Whether nobody has committed since the head was read, by the file's first bytes.
  private func isCurrent() -> Bool {
    guard let label, !isOnNetwork, ContinuousClock.now - checked < Self.recheckInterval else {
      return false
    }
    do throws(VaultError) {
      return try connection.header() == label
    } catch {
      // The transaction that follows meets the same failure and reports it.
      return false
    }
  }

  func requireTransaction() throws(VaultError) {
    guard !connection.isInTransaction else { return }
    let before = unlocked?.headTag
    try beginReading()
    guard unlocked?.headTag == before else {
      isStale = true
      throw VaultError(.conflict, "the vault changed during a read")
    }
  }

  func beginReading() throws(VaultError) {
    guard !connection.isInTransaction else { return }
    try checkName()
    try connection.run(.begin)
    try loadHead()
  }

  func endReading() {
    guard connection.isInTransaction else { return }
    do throws(VaultError) {
      // Nothing was written, so nothing can be lost here.
      try connection.run(.rollback)
    } catch {
      label = nil
    }
  }

  /// Checks that the path still names the file that is open.
  func checkName() throws(VaultError) {
    checked = ContinuousClock.now
    guard let now = try Posix.information(path.path)?.identity, now == identity else {
      isReplaced = true
      label = nil
      throw VaultError(.vaultNotFound, "the file at \(path.path) was removed or replaced")
    }
  }

  // MARK: The head

  /// Makes the head that is read within the open transaction the current one.
  func loadHead() throws(VaultError) {
    var unlocked = try requireUnlocked()
    let known = unlocked.headTag
    var row: (ident: [UInt8], head: [UInt8])?
    try connection.run(.selectVault) { row = ($0.blob(0), $0.blob(1)) }
    guard let row else { throw VaultError(.damaged, "the vault's row is missing") }
    let header = try connection.header()
    guard header.hasRollbackJournal else {
      throw VaultError(.damaged, "the file's journal mode was changed")
    }
    if row.ident != unlocked.keys.ident.encoded {
      unlocked = try unlockedAfterChange(of: row.ident, unlocked)
    }
    guard chain.accepts(unlocked.keys.ident, after: header.userVersion) else {
      throw VaultError(.damaged, "the file's schema version is not the one that its ident names")
    }
    let tag = Tag(ofSealed: row.head)
    // An unlocked vault whose head was not opened yet has the tag `none`: a head that is cut short, or
    // ends in zeros, must not pass for that one, which is empty.
    guard tag != .none else { throw VaultError(.damaged, "the head is damaged") }
    if row.head != unlocked.headRow {
      let content = try unlocked.keys.open(row.head, as: .head, id: 0)
      let head = try Head(decoding: content)
      guard head.ident == row.ident else {
        throw VaultError(.damaged, "the ident is not the one that the head names")
      }
      if head.slots != unlocked.head.slots {
        guard unlocked.keys.authenticate(slots: try slotRows()) == head.slots else {
          throw VaultError(.damaged, "the slots are not the ones that the head names")
        }
      }
      if head.recordKey != unlocked.head.recordKey {
        unlocked.recordKey = try unlocked.keys.open(recordKey: head.recordKey)
      }
      unlocked.head = head
      unlocked.headTag = tag
      unlocked.headRow = row.head
      unlocked.policy = nil
    }
    try judge(unlocked)
    clock.advance(to: unlocked.head.committed)
    unlocked.reader.root = unlocked.head.directory
    self.unlocked = unlocked
    label = header
    announce(since: known)
  }

  /// A rotation or migration elsewhere is no damage: after a rotation a key file opens the new epoch too, and without one the vault is
  /// locked until somebody gives a key again.
  private func unlockedAfterChange(
    of ident: [UInt8], _ old: Unlocked
  ) throws(VaultError) -> Unlocked {
    let now = try Ident(decoding: ident, knowing: chain.features)
    guard now.vaultID == old.keys.ident.vaultID, now.epoch >= old.keys.ident.epoch else {
      throw VaultError(.damaged, "the ident is not the one that was unlocked")
    }
    if now.epoch == old.keys.ident.epoch {
      // Migrated elsewhere, if the head says so too: it is opened anew.
      return newlyUnlocked(EpochKeys(old.keys, ident: now), old.keyFile)
    }
    lock()
    self.ident = now
    if let keyFile = old.keyFile {
      do throws(VaultError) {
        return newlyUnlocked(try keys(for: keyFile()).keys, keyFile)
      } catch {
        // The file or its slot is gone: as locked as without a key file.
        guard [.authenticationFailed, .missingInput].contains(error.code) else { throw error }
      }
    }
    throw VaultError(.locked, "the vault was rekeyed elsewhere; unlock it again")
  }

  /// Lets everything be read from the file itself once more, and nothing be taken from what was opened before.
  ///
  /// - Throws: ``VaultError/Code/locked``.
  package func forgetContents() throws(VaultError) {
    var fresh = try requireUnlocked()
    fresh.reader.forgetNodes()
    fresh.headRow = []
    fresh.head.slots = []
    fresh.head.recordKey = []
    unlocked = fresh
    forgetLabel()
    connection.forgetPages()
  }

  /// Ends the validity of what was read: after an own commit, or a failed one.
  package func forgetLabel() {
    label = nil
  }

  package static func isOnNetwork(_ folder: String) -> Bool {
    var kind: UInt32 = 0
    guard unsafe vault_file_system_kind(folder, &kind) == 0 else { return true }
    switch kind {
    // NFS, SMB, CIFS, SMB2, FUSE, 9P, AFS, Coda. Source: statfs(2).
    case 0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x5346_414F,
      0x7375_7245:
      return true
    default:
      return false
    }
  }
}
