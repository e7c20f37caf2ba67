import CVaultSystem
package import SealedTree
import SecureMemory
package import VaultCrypto
package import VaultModel

/// One open vault file; not thread-safe (``FileStore`` holds a lock around it).
package final class VaultFile {
  /// The state while the vault is unlocked.
  package struct Unlocked {
    package let keys: EpochKeys
    package let reader: TreeReader
    package var head: Head
    package var headTag: Tag
    /// The head's row in the file: if any byte differs, it is opened again.
    package var headRow: [UInt8] = []
    /// The record key in the head; nil until the head was opened.
    package var recordKey: RecordKey?
    /// Reads the key file that opened the vault again, to open it after a rekey elsewhere.
    var keyFile: KeyFileReader?
    /// The policy in the head's tree; nil until it is requested.
    var policy: PersistencePolicy?

    package func requireRecordKey() throws(VaultError) -> RecordKey {
      guard let recordKey else { throw VaultError(.internalError, "the head was not opened") }
      return recordKey
    }
  }

  static let recheckInterval = Duration.seconds(1)

  package let path: VaultPath
  let role: Role
  let chain: MigrationChain
  package let connection: Connection
  package var ident: Ident
  let seen: RollbackRecord
  let place: PlaceRecord
  let pinAttempts: PINAttempts
  /// Whether the vault was recorded as the one at its path.
  var isPlaceConfirmed = false
  let clock: VaultClock
  package let identity: FileIdentity
  /// The queue for events of changes; nil for a file that is only read.
  let events: EventQueue?
  /// Whether the file is on a network: its first bytes may then come from a cache, and prove
  /// nothing.
  private let isOnNetwork: Bool

  var unlocked: Unlocked?
  /// The file's first bytes, which show whether anybody has committed.
  ///
  /// They are from the transaction that read the head: never from a read without a lock, nor from
  /// after our own commit.
  private var label: SQLiteHeader?
  private var checked = ContinuousClock.now
  /// The copy that is being merged; nil otherwise.
  package var mergedCopy: MergedCopy?
  /// The machine whose key opened the vault; nil for other keys.
  var signer: CommitSigner?
  /// Whether the outcome of a commit is being determined: a new head may then be our own.
  var isSettling = false
  /// Whether the head changed during a read.
  private var isStale = false
  /// Whether a read is only of what is in memory.
  private var isAtOnce = false
  /// The arbiter of the fleet that the vault belongs to; nil until it is needed.
  var arbiter: (any Arbiter)?
  /// The arbiter's lock that was taken for the next write; nil if that takes it itself.
  var begun: BegunWrite?
  /// Whether a check found that the path has another file.
  private var hasLostName = false
  /// Whether the path has another file now, or none.
  var isReplaced: Bool { hasLostName || connection.isMoved }

  /// Opens an existing vault, locked.
  ///
  /// - Parameters:
  ///   - path: The path of the vault.
  ///   - stateFolder: The folder of the rollback records; nil for copies that are only read.
  ///   - lockTimeout: The time limit of waiting for other processes.
  ///   - chain: The known formats.
  ///   - clock: The clock to advance with each commit that is seen.
  ///   - role: The role of the file; only a vault is written to, and only its journal is applied.
  ///   - acceptingAnotherVault: Whether the vault may differ from the one recorded for the path.
  ///   - events: The queue for commits, here and elsewhere.
  /// - Throws: As ``VaultPath/checkExisting(_:)``, ``Connection/checkContainer(hasJournal:)`` and
  ///   ``PlaceRecord/check(_:)`` say, and ``VaultError/Code/tooNew``.
  package init(
    path: VaultPath, stateFolder: String?, lockTimeout: Duration, chain: MigrationChain = .current,
    clock: VaultClock = VaultClock(), role: Role = .vault, acceptingAnotherVault: Bool = false,
    events: EventQueue? = nil
  ) throws(VaultError) {
    self.path = path
    self.role = role
    self.events = events
    self.chain = chain
    self.clock = clock
    identity = try path.check(role)
    connection = try Connection(
      path: path.path, busyWait: BusyWait(timeout: lockTimeout), isReadOnly: role.isOnlyRead,
      chain: chain)
    let hasJournal = try path.hasJournal()
    // A connection that only reads reports the journal of a dead writer, and does not apply it.
    try connection.checkContainer(hasJournal: role != .backup && hasJournal)
    var bytes: [UInt8] = []
    try connection.run(.selectVault) { row in bytes = row.blob(0) }
    ident = try Ident(decoding: bytes, knowing: chain.features)
    seen = RollbackRecord(folder: stateFolder, vault: ident.vaultID, at: path.path)
    place = PlaceRecord(folder: stateFolder, at: path.path)
    pinAttempts = PINAttempts(folder: stateFolder, vault: ident.vaultID, vaultPath: path.path)
    // Before a key is requested: the author of another file may know a key that opens it.
    if !acceptingAnotherVault { try place.check(ident.vaultID) }
    isOnNetwork = FileSystem.isOnNetwork(path.folder)
    guard try path.check(role) == identity else {
      throw VaultError(.busy, "\(path.path) was replaced while it was opened")
    }
  }

  package func requireUnlocked() throws(VaultError) -> Unlocked {
    guard let unlocked else { throw VaultError(.locked, "\(path.path) is locked") }
    return unlocked
  }

  // MARK: Locking

  /// Drops the keys and everything opened with them.
  func lock() {
    unlocked = nil
    signer = nil
    label = nil
    wipeStack()
  }

  // MARK: Reading

  /// Runs `body` with a head and nodes that are current at one moment of this call.
  ///
  /// It may run again if another process commits meanwhile.
  package func read<R>(_ body: (TreeReader) throws(VaultError) -> R) throws(VaultError) -> R {
    _ = try requireUnlocked()
    // Even if reading cannot begin: a transaction left open would fail the next write.
    defer { endReading() }
    if !isCurrent() { try beginReading() }
    while true {
      isStale = false
      // A rekey elsewhere brings another one.
      let reader = try requireUnlocked().reader
      do throws(VaultError) {
        return try body(reader)
      } catch {
        guard isStale else { throw error }
      }
    }
  }

  /// Runs `body` as ``read(_:)`` does if everything that it asks for is in memory, and nobody has
  /// committed since.
  ///
  /// - Throws: ``VaultError/Code/busy`` if not; ``VaultError/Code/locked``; any error of `body`.
  func readAtOnce<R>(_ body: (TreeReader) throws(VaultError) -> R) throws(VaultError) -> R {
    let reader = try requireUnlocked().reader
    guard isCurrent() else { throw .notAtOnce }
    isAtOnce = true
    defer { isAtOnce = false }
    return try body(reader)
  }

  /// Returns whether nobody has committed since the head was read, according to the file's first
  /// bytes.
  private func isCurrent() -> Bool {
    guard let label, !isOnNetwork, ContinuousClock.now - checked < Self.recheckInterval else {
      return false
    }
    do throws(VaultError) {
      return try connection.header() == label
    } catch {
      // The following transaction meets the same error and reports it.
      return false
    }
  }

  func requireTransaction() throws(VaultError) {
    guard !connection.isInTransaction else { return }
    guard !isAtOnce else { throw .notAtOnce }
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

  /// Checks that the path still names the open file.
  func checkName() throws(VaultError) {
    checked = ContinuousClock.now
    guard let now = try Posix.information(path.path)?.identity, now == identity else {
      hasLostName = true
      label = nil
      throw SQLiteError.moved(path.path)
    }
  }

  // MARK: Head

  /// Reads the head in the open transaction, and makes it the current one.
  func loadHead() throws(VaultError) {
    let known = try requireUnlocked().headTag
    let (unlocked, header) = try openedHead()
    try judge(unlocked)
    clock.advance(to: unlocked.head.committed)
    unlocked.reader.root = unlocked.head.directory
    self.unlocked = unlocked
    label = header
    announce(since: known)
  }

  /// Returns the state with the head in the open transaction, and the file's first bytes.
  func openedHead() throws(VaultError) -> (Unlocked, SQLiteHeader) {
    var unlocked = try requireUnlocked()
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
    // An unlocked vault whose head was not opened yet has the tag `none`. A truncated head, or one
    // that ends in zeros, must not be taken for that one, which is empty.
    guard tag != .none else { throw VaultError(.damaged, "the head is damaged") }
    if !row.head.hasSameBytes(as: unlocked.headRow) {
      let content = try unlocked.keys.open(row.head, as: .head, id: 0)
      let head = try Head(decoding: content)
      guard head.ident == row.ident else {
        throw VaultError(.damaged, "the ident is not the one that the head names")
      }
      if head.slots != unlocked.head.slots || head.roster != unlocked.head.roster {
        let rows = try slotRows()
        guard unlocked.keys.authenticate(slots: rows) == head.slots else {
          throw VaultError(.damaged, "the slots are not the ones that the head names")
        }
        try checkRoster(head.roster, rows, of: unlocked.keys.ident)
      }
      if head.recordKey != unlocked.head.recordKey {
        unlocked.recordKey = try unlocked.keys.open(recordKey: head.recordKey)
      }
      unlocked.head = head
      unlocked.headTag = tag
      unlocked.headRow = row.head
      unlocked.policy = nil
    }
    return (unlocked, header)
  }

  /// Returns the unlocked state after a rekey or migration elsewhere, which is not damage.
  ///
  /// After a rekey, a key file also opens the new epoch; without one, the vault stays locked until
  /// somebody gives a key again.
  private func unlockedAfterChange(
    of ident: [UInt8], _ old: Unlocked
  ) throws(VaultError) -> Unlocked {
    let now = try Ident(decoding: ident, knowing: chain.features)
    guard now.vaultID == old.keys.ident.vaultID, now.epoch >= old.keys.ident.epoch else {
      throw VaultError(.damaged, "the ident is not the one that was unlocked")
    }
    if now.epoch == old.keys.ident.epoch {
      // Migrated elsewhere, if the head agrees: it is opened again.
      return newlyUnlocked(EpochKeys(old.keys, ident: now), old.keyFile)
    }
    lock()
    self.ident = now
    if let keyFile = old.keyFile {
      do throws(VaultError) {
        let key = try keyFile()
        let opened = try keys(for: key)
        signer = CommitSigner(key, of: opened.slot)
        return newlyUnlocked(opened.keys, keyFile)
      } catch {
        // The file or its slot is gone: the vault is locked, as without a key file.
        guard [.authenticationFailed, .missingInput].contains(error.code) else { throw error }
      }
    }
    throw VaultError(.locked, "the vault was rekeyed elsewhere; unlock it again")
  }

  /// Drops cached content, so that everything is read from the file again.
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

  /// Invalidates the data that was read: after our own commit, or a failed one.
  package func forgetLabel() {
    label = nil
  }
}

extension VaultError {
  /// The error of a question that only a wait could answer.
  package static var notAtOnce: VaultError {
    VaultError(.busy, "the vault cannot answer at once")
  }
}
