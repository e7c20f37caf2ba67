public import SecureMemory
import Synchronization
import VaultCrypto
package import VaultStore
public import VaultModel

/// A vault: credentials of this session in memory, and permanent ones in a sealed file.
///
/// Look up credentials by their protection space, as networking code does, or keychain items by
/// their attributes. A lookup returns the session's entries before the file's. Other processes see
/// the session's only if each vault was opened to share them.
///
/// A vault can be used from any thread. Functions that may wait block the calling one; `perform`
/// calls them from a task, and the daily ones have an asynchronous form of the same name. Waiting
/// for other processes ends after the lock timeout.
public final class Vault: Sendable {
  /// Whether a vault can be used.
  public enum State: Sendable, Equatable {
    /// Credentials can be found and stored.
    case unlocked
    /// The file's keys are not in memory, and nothing can be found or stored.
    case locked
    /// The vault was closed permanently.
    case closed
  }

  package let session: LayeredSession
  /// The vault's file; nil for a vault in memory alone.
  package let file: FileStore?
  /// Atomic, not locked: in a forked child, a thread that does not exist there could hold the lock.
  private let isClosed = Atomic(false)
  /// Made when an async function is first called: most programs that start for one lookup call
  /// none.
  private let lazyThread = AtomicLazyReference<VaultThread>()
  /// Runs the async forms of this vault's functions, except those that clean up.
  package var thread: VaultThread { lazyThread.load() ?? lazyThread.storeIfNil(VaultThread()) }
  /// The least cost of a passphrase's slot after it was opened.
  private let minimumCost: PassphraseCost

  /// The policy of a vault in memory; a file has its own.
  let memoryPolicy: PersistencePolicy

  private init(
    file: FileStore?, session: LayeredSession? = nil, minimumCost: PassphraseCost = .policy,
    policy: PersistencePolicy = .empty
  ) {
    self.file = file
    self.minimumCost = minimumCost
    memoryPolicy = policy
    self.session = session ?? LayeredSession(own: file?.session ?? SessionStore())
  }

  deinit {
    defer { session.events.end(ObjectIdentifier(self)) }
    if !isOver { file?.release() }
  }

  // MARK: Opening

  /// Opens an existing vault.
  ///
  /// - Parameters:
  ///   - path: The vault's file; nil takes ``VaultLocation/find()``.
  ///   - key: The key to unlock it with; nil takes ``KeySource/find()``, else what
  ///     `vaultctl unlock` left in the kernel. Without any key that opens it, the vault is open but
  ///     locked.
  ///   - lockTimeout: How long to wait for other processes' locks.
  ///   - minimumCost: A passphrase's slot that costs less is raised to this cost when it is opened,
  ///     if the file can be written and the machine has the memory.
  ///   - acceptingAnotherVault: Whether to accept another vault than the one that this machine has
  ///     seen at the path; it is remembered once it is unlocked.
  ///   - withSharedSession: Whether credentials stored for the session are shared with the
  ///     processes of this user that open the vault in the same way; see
  ///     `VaultKeys.requireSharedSession()`.
  /// - Returns: The vault, unlocked if there was a key.
  /// - Throws: ``VaultError/Code/vaultNotFound``, ``VaultError/Code/unsafePermissions``,
  ///   ``VaultError/Code/notAVault``, ``VaultError/Code/damaged``, ``VaultError/Code/tooNew``,
  ///   ``VaultError/Code/anotherVault``, and any error of ``unlock(with:)``.
  public static func open(
    path: String? = nil, key: KeySource? = nil, lockTimeout: Duration = .seconds(10),
    minimumCost: PassphraseCost = .policy, acceptingAnotherVault: Bool = false,
    withSharedSession: Bool = false
  ) throws(VaultError) -> Vault {
    try open(
      path: path, key: key, lockTimeout: lockTimeout, minimumCost: minimumCost,
      acceptingAnotherVault: acceptingAnotherVault, withSharedSession: withSharedSession,
      time: .system)
  }

  /// Opens a vault that uses another source of time, unless this process has it open already.
  package static func open(
    path: String?, key: KeySource?, lockTimeout: Duration = .seconds(10),
    minimumCost: PassphraseCost = .policy, acceptingAnotherVault: Bool = false,
    withSharedSession: Bool = false, time: TimeSource
  ) throws(VaultError) -> Vault {
    let vault = try openLocked(
      listed(path), lockTimeout: lockTimeout, minimumCost: minimumCost,
      acceptingAnotherVault: acceptingAnotherVault, withSharedSession: withSharedSession, time: time
    )
    if let key { try vault.unlock(with: key) } else { try vault.unlockIfKeyIsFound() }
    return vault
  }

  /// Opens an existing vault and leaves it locked, even if the environment names a key.
  ///
  /// - Parameters:
  ///   - path: The vault's file; nil takes ``VaultLocation/find()``.
  ///   - lockTimeout: How long to wait for other processes' locks.
  ///   - minimumCost: As for
  ///     ``open(path:key:lockTimeout:minimumCost:acceptingAnotherVault:withSharedSession:)``.
  ///   - acceptingAnotherVault: Likewise.
  ///   - withSharedSession: Likewise.
  /// - Returns: The vault; unlocked only if this process has it open and unlocked already.
  /// - Throws: As
  ///   ``open(path:key:lockTimeout:minimumCost:acceptingAnotherVault:withSharedSession:)``, without
  ///   the errors of unlocking.
  public static func openLocked(
    path: String? = nil, lockTimeout: Duration = .seconds(10),
    minimumCost: PassphraseCost = .policy, acceptingAnotherVault: Bool = false,
    withSharedSession: Bool = false
  ) throws(VaultError) -> Vault {
    try openLocked(
      listed(path), lockTimeout: lockTimeout, minimumCost: minimumCost,
      acceptingAnotherVault: acceptingAnotherVault, withSharedSession: withSharedSession)
  }

  /// Returns a vault as the user's list has it, whatever its owner and mode may be.
  private static func listed(_ path: String?) throws(VaultError) -> ListedVault {
    if let path { return ListedVault(path) }
    return try VaultLocation.vault(at: nil)
  }

  /// Opens a vault as a list has it, and leaves it locked.
  package static func openLocked(
    _ vault: ListedVault, lockTimeout: Duration = .seconds(10),
    minimumCost: PassphraseCost = .policy, acceptingAnotherVault: Bool = false,
    withSharedSession: Bool = false, time: TimeSource = .system
  ) throws(VaultError) -> Vault {
    let file = try FileStore.open(
      VaultPath(vault.path), role: vault.role(), stateFolder: VaultLocation.stateFolder(),
      lockTimeout: lockTimeout,
      acceptingAnotherVault: acceptingAnotherVault, time: time)
    do throws(VaultError) {
      let session = try session(of: file, isShared: withSharedSession, lockTimeout: lockTimeout)
      return Vault(file: file, session: session, minimumCost: minimumCost)
    } catch {
      file.release()
      throw error
    }
  }

  /// Creates a new vault with a slot and opens it unlocked.
  ///
  /// The vault's folder is made if it is missing, 0700, and the file 0600.
  ///
  /// - Parameters:
  ///   - path: The file, which must not exist; nil takes ``VaultLocation/find()``.
  ///   - key: The key that will open the vault.
  ///   - slotName: A name for the slot, UTF-8, at most 64 bytes.
  ///   - cost: The Argon2id cost of a passphrase; nil takes `VaultKeys.calibratedCost()`.
  ///     Other keys need none.
  ///   - recoveryCode: A code of `VaultKeys.newRecoveryCode()` that also opens the vault, by a
  ///     second slot.
  /// - Returns: The vault, unlocked.
  /// - Throws: ``VaultError/Code/vaultExists``, ``VaultError/Code/cannotCreate``,
  ///   ``VaultError/Code/unsafePermissions``, ``VaultError/Code/outOfMemory``, and any error of
  ///   reading the key.
  public static func create(
    path: String? = nil, key: KeySource, slotName: String = "", cost: PassphraseCost? = nil,
    recoveryCode: Secret? = nil
  ) throws(VaultError) -> Vault {
    let path = try placeToWrite(path)
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
    // A cost that the caller named is not raised later.
    return Vault(file: file, minimumCost: cost ?? .policy)
  }

  package static func place(_ path: String?) throws(VaultError) -> String {
    if let path { return path }
    return try VaultLocation.find()
  }

  /// Returns the path of a vault that is to be made or replaced.
  ///
  /// - Throws: ``VaultError/Code/readOnly`` if none is named and the default one is only read.
  package static func placeToWrite(_ path: String?) throws(VaultError) -> String {
    if let path { return path }
    let vault = try VaultLocation.vault(at: nil)
    guard !vault.isReadOnly else { throw .onlyRead(vault.path) }
    return vault.path
  }

  /// Returns a vault without a file: it keeps session credentials only and cannot be locked.
  ///
  /// - Parameter policy: The vault's policy, which cannot be changed.
  /// - Returns: The vault, unlocked.
  public static func inMemory(policy: PersistencePolicy = .empty) -> Vault {
    Vault(file: nil, policy: policy)
  }

  /// Whether the vault's file is never written.
  package var isOnlyRead: Bool { file?.isOnlyRead ?? false }

  /// The absolute path of the vault's file; nil for a vault in memory.
  public var path: String? { file?.path.path }

  // MARK: Locking

  /// Returns whether the vault is unlocked, locked or closed, once what uses it now is done.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` from within a transaction of this vault.
  public func state() throws(VaultError) -> State { try state(endsWhenCancelled: true) }

  private func state(endsWhenCancelled: Bool) throws(VaultError) -> State {
    if isOver { return .closed }
    guard let state = try file?.state(endsWhenCancelled: endsWhenCancelled) else {
      return .unlocked
    }
    return state.isUnlocked ? .unlocked : state.isOpen ? .locked : .closed
  }

  /// Reads a key and opens a slot with it.
  ///
  /// A passphrase's slot that costs less than the `minimumCost` of
  /// ``open(path:key:lockTimeout:minimumCost:acceptingAnotherVault:withSharedSession:)`` is raised
  /// to that cost. If the raised slot cannot be written, this is not an error.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` for a wrong passphrase or key;
  ///   ``VaultError/Code/locked`` if it is one half of what a slot needs, or was found and opens
  ///   nothing; ``VaultError/Code/outOfMemory`` if the passphrase's cost cannot be paid;
  ///   ``VaultError/Code/rolledBack`` or ``VaultError/Code/forked`` if an older or another file was
  ///   put in the vault's place; ``VaultError/Code/damaged``; ``VaultError/Code/missingInput``,
  ///   ``VaultError/Code/invalidData`` and ``VaultError/Code/unsafePermissions`` for the key's own
  ///   file.
  public func unlock(with key: KeySource) throws(VaultError) {
    guard try opens(with: key) else {
      throw VaultError(.locked, "\(path ?? "the vault"): no key that was found opens it")
    }
  }

  /// Unlocks the vault with the key that ``KeySource/find()`` finds, else with the one that the
  /// kernel remembers; it stays locked if there is none, or none that was found opens it.
  ///
  /// - Throws: As ``unlock(with:)``.
  func unlockIfKeyIsFound() throws(VaultError) {
    _ = try opensUnasked(with: KeySource.find())
  }

  /// Unlocks the vault with a key, else with the one that the kernel remembers; returns false if
  /// neither opens it.
  ///
  /// - Throws: As ``unlock(with:)``; ``VaultError/Code/locked`` for one half of what a slot needs.
  package func opensUnasked(with key: KeySource?) throws(VaultError) -> Bool {
    do throws(VaultError) {
      if let key, try opens(with: key) { return true }
    } catch {
      // One half of what a slot needs is not an answer yet, nor is a key that was found and cannot
      // be used.
      guard error.code == .locked || key?.isFound == true && error.code != .busy,
        try RememberedKey(self).open()
      else { throw error }
      return true
    }
    return try RememberedKey(self).open()
  }

  /// Unlocks the vault; returns false if no key that was found opens it.
  func opens(with key: KeySource) throws(VaultError) -> Bool {
    guard let file else { return true }
    let isOpen = try key.firstThatOpens { (key) throws(VaultError) in
      try file.unlock(with: key.read(), keyFile: key.keyFileReader, minimumCost: minimumCost)
      return true
    }
    return isOpen ?? false
  }

  /// Wipes the keys and the session's credentials.
  ///
  /// Every ``Vault`` of this process that has the same file open shares the keys and the session,
  /// and is locked too.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` from within a transaction of this vault.
  public func lock() throws(VaultError) {
    guard let file else {
      session.own.removeAll()
      return
    }
    try file.lockUp()
  }

  /// Closes the vault permanently, and locks its file if no other ``Vault`` of this process has it
  /// open.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` from within a transaction of this vault.
  public func close() throws(VaultError) {
    // If two threads close the vault, only one closes the file, which counts its users.
    let wasClosed = isClosed.exchange(true, ordering: .acquiringAndReleasing)
    guard !wasClosed else { return }
    do throws(VaultError) {
      try file?.close()
    } catch {
      isClosed.store(false, ordering: .releasing)
      throw error
    }
    if file == nil {
      session.own.close()
      session.events.post(.locked)
    }
    session.events.end(ObjectIdentifier(self))
  }

  /// Whether the vault was closed.
  var isOver: Bool { isClosed.load(ordering: .acquiring) }

  /// Requires that the vault is unlocked; a clean-up waits for the answer even if its task is
  /// cancelled.
  ///
  /// - Throws: ``VaultError/Code/locked`` and ``VaultError/Code/closed``.
  package func requireUnlocked(endsWhenCancelled: Bool = true) throws(VaultError) {
    switch try state(endsWhenCancelled: endsWhenCancelled) {
    case .unlocked: return
    case .locked: throw VaultError(.locked, "the vault is locked")
    case .closed: throw VaultError(.closed, "the vault was closed")
    }
  }
}
