public import SecureMemory
import Synchronization
import VaultCrypto
public import VaultModel
import VaultStorage

/// A vault: credentials of this session in memory, and permanent ones in a sealed file.
///
/// Find what networking code asks for by its protection space, or keychain items by their
/// attributes. A lookup sees the session's entries before the file's. Synchronous and safe from any
/// thread; an operation may wait for other processes as long as the lock timeout says.
public final class Vault: Sendable {
  /// Whether a vault can be used.
  public enum State: Sendable, Equatable {
    /// Credentials can be found and stored.
    case unlocked
    /// The file's keys are not in memory, and nothing can be found or stored.
    case locked
    /// The vault was closed for good.
    case closed
  }

  let session: SessionStore
  /// Nil for a vault in memory alone.
  let file: FileStore?
  /// No lock: in a forked child it could be held by a thread that is not.
  private let isClosed = Atomic(false)
  /// Made when an async function is first called: most programs that start for one lookup call none.
  private let lazyThread = AtomicLazyReference<VaultThread>()
  /// Runs the async forms of this vault's functions, one at a time.
  var thread: VaultThread { lazyThread.load() ?? lazyThread.storeIfNil(VaultThread()) }
  /// What the slot of a passphrase costs at the least once it was opened.
  private let minimumCost: PassphraseCost

  /// The policy of a vault in memory; a file has its own.
  let memoryPolicy: PersistencePolicy

  private init(
    file: FileStore?, minimumCost: PassphraseCost = .policy, policy: PersistencePolicy = .empty
  ) {
    self.file = file
    self.minimumCost = minimumCost
    memoryPolicy = policy
    session = file?.session ?? SessionStore()
  }

  deinit {
    defer { session.events.end(ObjectIdentifier(self)) }
    guard !isOver else { return }
    do throws(VaultError) {
      try file?.close()
    } catch {
      // In a forked child, or in the middle of a transaction: there is nothing to take back then.
      return
    }
  }

  // MARK: Opening

  /// Opens an existing vault.
  ///
  /// - Parameters:
  ///   - path: The vault's file; nil takes ``VaultLocation/find()``.
  ///   - key: What to unlock it with; nil takes ``KeySource/find()``, and if that finds nothing the
  ///     vault is open but locked.
  ///   - lockTimeout: How long to wait for other processes' locks.
  ///   - minimumCost: The slot of a passphrase that costs less is made dearer when it is opened, if the file
  ///     can be written and the machine has the memory.
  ///   - acceptsAnother: Whether another vault is meant than the one that this machine has seen at the path; it is
  ///     remembered once it is unlocked.
  /// - Returns: The vault, unlocked if there was a key.
  /// - Throws: ``VaultError/Code/vaultNotFound``, ``VaultError/Code/unsafePermissions``,
  ///   ``VaultError/Code/notAVault``, ``VaultError/Code/damaged``, ``VaultError/Code/tooNew``,
  ///   ``VaultError/Code/anotherVault``, and what ``unlock(with:)`` throws.
  public static func open(
    path: String? = nil, key: KeySource? = nil, lockTimeout: Duration = .seconds(10),
    minimumCost: PassphraseCost = .policy, acceptsAnother: Bool = false
  ) throws(VaultError) -> Vault {
    try open(
      path: path, key: key, lockTimeout: lockTimeout, minimumCost: minimumCost,
      acceptsAnother: acceptsAnother, time: .system)
  }

  /// Opens a vault that takes the time from somewhere else, unless this process has it open already.
  package static func open(
    path: String?, key: KeySource?, lockTimeout: Duration = .seconds(10),
    minimumCost: PassphraseCost = .policy, acceptsAnother: Bool = false, time: TimeSource
  ) throws(VaultError) -> Vault {
    let vault = try openLocked(
      path: path, lockTimeout: lockTimeout, minimumCost: minimumCost,
      acceptsAnother: acceptsAnother, time: time)
    if let key = key ?? KeySource.find() { try vault.unlock(with: key) }
    return vault
  }

  /// Opens an existing vault and leaves it locked, whatever keys there are.
  ///
  /// - Parameters:
  ///   - path: The vault's file; nil takes ``VaultLocation/find()``.
  ///   - lockTimeout: How long to wait for other processes' locks.
  ///   - minimumCost: As for ``open(path:key:lockTimeout:minimumCost:acceptsAnother:)``.
  ///   - acceptsAnother: As for ``open(path:key:lockTimeout:minimumCost:acceptsAnother:)``.
  /// - Returns: The vault; unlocked only if this process has it open and unlocked already.
  /// - Throws: As ``open(path:key:lockTimeout:minimumCost:acceptsAnother:)``, without what unlocking throws.
  public static func openLocked(
    path: String? = nil, lockTimeout: Duration = .seconds(10),
    minimumCost: PassphraseCost = .policy, acceptsAnother: Bool = false
  ) throws(VaultError) -> Vault {
    try openLocked(
      path: path, lockTimeout: lockTimeout, minimumCost: minimumCost,
      acceptsAnother: acceptsAnother, time: .system)
  }

  private static func openLocked(
    path: String?, lockTimeout: Duration, minimumCost: PassphraseCost, acceptsAnother: Bool,
    time: TimeSource
  ) throws(VaultError) -> Vault {
    let place = try VaultPath(place(path))
    let file = try FileStore.open(
      place, stateFolder: VaultLocation.stateFolder(), lockTimeout: lockTimeout,
      acceptsAnother: acceptsAnother, time: time)
    return Vault(file: file, minimumCost: minimumCost)
  }

  /// Makes a new vault with a slot and opens it unlocked.
  ///
  /// The vault's folder is made if it is missing, 0700, and the file 0600.
  ///
  /// - Parameters:
  ///   - path: The file; nil takes ``VaultLocation/find()``. Nothing may lie there.
  ///   - key: What will open the vault.
  ///   - slotName: A name for the slot, UTF-8, at most 64 bytes.
  ///   - cost: What trying a passphrase costs; nil takes ``VaultKeys/calibratedCost()``. Other keys need
  ///     none.
  ///   - recoveryCode: A code of ``VaultKeys/newRecoveryCode()`` that is to open the vault, too, by a second slot.
  /// - Returns: The vault, unlocked.
  /// - Throws: ``VaultError/Code/vaultExists``, ``VaultError/Code/cannotCreate``,
  ///   ``VaultError/Code/unsafePermissions``, ``VaultError/Code/outOfMemory``, and what reading the key throws.
  public static func create(
    path: String? = nil, key: KeySource, slotName: String = "", cost: PassphraseCost? = nil,
    recoveryCode: Secret? = nil
  ) throws(VaultError) -> Vault {
    let path = try place(path)
    try VaultPath.makeFolder(of: path)
    var code: RecoveryCode?
    if let recoveryCode { code = try RecoveryCode(reading: recoveryCode) }
    let keyFile = key.keyFileReader
    let key = try key.read()
    var chosen = cost ?? .policy
    if cost == nil, key.kind.hasPassphrase { chosen = try .calibrated() }
    let file = try FileStore.create(
      VaultPath(path), key: key, keyFile: keyFile, slotName: slotName, cost: chosen,
      recoveryCode: code,
      stateFolder: VaultLocation.stateFolder(), lockTimeout: .seconds(10))
    // Whoever names a cost means it.
    return Vault(file: file, minimumCost: cost ?? .policy)
  }

  static func place(_ path: String?) throws(VaultError) -> String {
    if let path { return path }
    return try VaultLocation.find()
  }

  /// A vault without a file: it keeps session credentials only and cannot be locked.
  ///
  /// - Parameter policy: Says what it may remember, for as long as it lives.
  /// - Returns: The vault, unlocked.
  public static func inMemory(policy: PersistencePolicy = .empty) -> Vault {
    Vault(file: nil, policy: policy)
  }

  /// The vault's file, absolute; nil for one in memory.
  public var path: String? { file?.path.path }

  // MARK: Locking

  /// Whether the vault can be used now.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` from within a transaction of this vault.
  public var state: State {
    get throws(VaultError) {
      if isOver { return .closed }
      guard let state = try file?.state() else { return .unlocked }
      return state.isUnlocked ? .unlocked : state.isOpen ? .locked : .closed
    }
  }

  /// Reads a key and opens a slot with it.
  ///
  /// A passphrase's slot that costs less than ``open(path:key:lockTimeout:minimumCost:acceptsAnother:)`` was told is made
  /// dearer then; that it could not be written is no error.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` for a wrong passphrase or key;
  ///   ``VaultError/Code/locked`` if it is one half of what a slot needs;
  ///   ``VaultError/Code/outOfMemory`` if the passphrase's cost cannot be paid;
  ///   ``VaultError/Code/rolledBack`` or ``VaultError/Code/forked`` if an older or another file was
  ///   put in the vault's place; ``VaultError/Code/damaged``; ``VaultError/Code/missingInput``,
  ///   ``VaultError/Code/invalidData`` and ``VaultError/Code/unsafePermissions`` for the key's own file.
  public func unlock(with key: KeySource) throws(VaultError) {
    try file?.unlock(with: key.read(), keyFile: key.keyFileReader, minimumCost: minimumCost)
  }

  /// Wipes the keys, and the session's credentials with them.
  ///
  /// Every ``Vault`` of this process that has the same file open shares keys and session with it, and
  /// is locked with it.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` from within a transaction of this vault.
  public func lock() throws(VaultError) {
    guard let file else {
      session.removeAll()
      return
    }
    try file.lockUp()
  }

  /// Closes the vault for good, and locks its file if no other ``Vault`` of this process has it open.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` from within a transaction of this vault.
  public func close() throws(VaultError) {
    // One of two threads closes: the file counts who has it open.
    let wasClosed = isClosed.exchange(true, ordering: .acquiringAndReleasing)
    guard !wasClosed else { return }
    do throws(VaultError) {
      try file?.close()
    } catch {
      isClosed.store(false, ordering: .releasing)
      throw error
    }
    if file == nil {
      session.close()
      session.events.post(.locked)
    }
    session.events.end(ObjectIdentifier(self))
  }

  /// Whether it was closed for good.
  var isOver: Bool { isClosed.load(ordering: .acquiring) }

  /// - Throws: ``VaultError/Code/locked`` and ``VaultError/Code/closed``.
  func requireUnlocked() throws(VaultError) {
    switch try state {
    case .unlocked: return
    case .locked: throw VaultError(.locked, "the vault is locked")
    case .closed: throw VaultError(.closed, "the vault was closed")
    }
  }
}
