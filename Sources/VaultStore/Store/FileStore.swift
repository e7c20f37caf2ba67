import SealedTree
import SecureMemory
package import VaultCrypto
package import VaultModel
import VaultReports

/// Reads a key file again when its key is needed, so that the key need not stay in memory.
package typealias KeyFileReader = @Sendable () throws(VaultError) -> UnlockKey

/// The sealed file as a store: one for each open file in the process, thread-safe.
///
/// Two connections to one file in a process would be safe only while nobody closes a descriptor of
/// that file, so opening it again returns the same store.
package final class FileStore: Sendable {
  package let path: VaultPath
  private let stateFolder: String?
  private let lockTimeout: Duration
  private let chain: MigrationChain
  private let role: VaultFile.Role
  /// Whether the file is never written.
  package var isOnlyRead: Bool { role.isOnlyRead }
  private let canary = ForkCanary()
  /// The file; nil after ``close()``.
  private let file: Lock<VaultFile?>
  /// The number of users of this store; negative once the last one has closed it.
  ///
  /// It is separate from `file`, whose lock is held during a transaction.
  private let users = Lock(0)
  /// Held while the arbiter of a replica is asked, before `file`'s; it guards no state.
  ///
  /// An empty state has the lock's own address, and ThreadSanitizer reports a race.
  let arbitration = Lock(UInt8(0))
  private let clock: VaultClock
  /// The vault's time: never before the newest known commit.
  package let time: TimeSource
  /// The session's credentials for all users of the file in this process; closed, and wiped, while
  /// the file is locked.
  package let session: SessionStore
  /// The events of the file and of its session.
  package var events: EventQueue { session.events }

  private init(
    path: VaultPath, role: VaultFile.Role, stateFolder: String?, lockTimeout: Duration,
    chain: MigrationChain, acceptingAnotherVault: Bool, time: TimeSource
  ) throws(VaultError) {
    self.path = path
    self.role = role
    self.stateFolder = stateFolder
    self.lockTimeout = lockTimeout
    self.chain = chain
    clock = VaultClock(time)
    self.time = clock.time
    session = SessionStore(isOpen: false, time: self.time)
    file = Lock(
      try VaultFile(
        path: path, stateFolder: stateFolder, lockTimeout: lockTimeout, chain: chain, clock: clock,
        role: role, acceptingAnotherVault: acceptingAnotherVault, events: session.events))
  }

  // MARK: Opening

  /// Opens an existing vault, or returns the store that already has it open.
  ///
  /// - Parameters:
  ///   - path: The path of the vault.
  ///   - role: Whether it is written.
  ///   - stateFolder: The folder of the rollback records.
  ///   - lockTimeout: The time limit of waiting for other processes' locks.
  ///   - chain: The known formats.
  ///   - acceptingAnotherVault: Whether the vault may differ from the one recorded for the path.
  ///   - time: The time source of a new store.
  /// - Returns: The only store of the file in this process; each opening needs its own ``close()``.
  /// - Throws: ``VaultError/Code/vaultNotFound``, ``VaultError/Code/unsafePermissions``,
  ///   ``VaultError/Code/notAVault``, ``VaultError/Code/damaged``, ``VaultError/Code/tooNew``,
  ///   ``VaultError/Code/anotherVault``; ``VaultError/Code/busy`` after the lock timeout;
  ///   ``VaultError/Code/interrupted`` if the task is cancelled while it waits;
  ///   ``VaultError/Code/invalidArgument`` if this process has it open, and only one of the two is
  ///   to write it.
  package static func open(
    _ path: VaultPath, role: VaultFile.Role = .vault, stateFolder: String?, lockTimeout: Duration,
    chain: MigrationChain = .current, acceptingAnotherVault: Bool = false,
    time: TimeSource = .system
  ) throws(VaultError) -> FileStore {
    let wait = BusyWait(timeout: lockTimeout)
    var attempt = 0
    while true {
      // Again after each wait: the path may have another file by then.
      let identity = try path.check(role)
      let claim = OpenStores.claim(identity) { store in
        guard store.path == path, !store.isClosed else { return false }
        return store.isOnlyRead != role.isOnlyRead || store.addUser()
      }
      switch claim {
      case .open(let store):
        guard store.isOnlyRead == role.isOnlyRead else {
          // A second connection would drop the first one's locks when it is closed.
          let other = store.isOnlyRead ? "only to be read" : "to be written"
          throw VaultError(
            .invalidArgument, "\(path.path) is open in this program already, \(other)")
        }
        return store
      case .opening:
        guard wait.wait(attempt: attempt) else {
          throw wait.isCancelled
            ? .cancelled : VaultError(.busy, "\(path.path) is being opened by another thread")
        }
        attempt += 1
      case .claimed:
        defer { OpenStores.unclaim(identity) }
        let store = try FileStore(
          path: path, role: role, stateFolder: stateFolder, lockTimeout: lockTimeout, chain: chain,
          acceptingAnotherVault: acceptingAnotherVault, time: time)
        _ = store.addUser()
        OpenStores.enter(store, as: identity)
        return store
      }
    }
  }

  /// Creates a new vault with a slot, and a second one for a recovery code if there is one; opens
  /// it unlocked.
  ///
  /// - Throws: ``VaultError/Code/vaultExists``, ``VaultError/Code/cannotCreate``,
  ///   ``VaultError/Code/unsafePermissions``, ``VaultError/Code/outOfMemory``.
  package static func create(
    _ path: VaultPath, key: UnlockKey, keyFile: KeyFileReader? = nil, slotName: String,
    cost: PassphraseCost, recoveryCode: RecoveryCode? = nil, stateFolder: String?,
    lockTimeout: Duration, chain: MigrationChain = .current, time: TimeSource = .system,
    logDays: Int = LoggedChange.defaultDays
  ) throws(VaultError) -> FileStore {
    let keys = EpochKeys(VaultKey(), ident: chain.ident(of: VaultID()))
    var slots = [try Slot(for: key, to: keys, id: 1, name: slotName, cost: cost)]
    if let recoveryCode {
      slots.append(
        try Slot(for: .recoveryCode(recoveryCode), to: keys, id: 2, name: "", cost: cost))
    }
    try VaultFile.create(path, keys: keys, slots: slots, chain: chain, time: time, logDays: logDays)
    do throws(VaultError) {
      let store = try open(
        path, stateFolder: stateFolder, lockTimeout: lockTimeout, chain: chain,
        acceptingAnotherVault: true, time: time)
      try store.locked { (file) throws(VaultError) in try file.unlock(with: keys, keyFile: keyFile)
      }
      store.session.open()
      return store
    } catch {
      throw VaultError(
        error.code, "the vault was made, and cannot be opened: \(error.context)",
        underlying: error.underlying
      ).about(error.subject)
    }
  }

  /// Whether the last user has closed it.
  var isClosed: Bool { users.withLock { $0 < 0 } }

  /// Adds a user; returns false if the store was closed.
  private func addUser() -> Bool {
    users.withLock { users in
      guard users >= 0 else { return false }
      users += 1
      return true
    }
  }

  /// Removes a user; returns whether it was the last one, who closes the file.
  private func removeUser() -> Bool {
    users.withLock { users in
      users -= 1
      if users == 0 { users = -1 }
      return users < 0
    }
  }

  // MARK: Locking

  /// Returns whether the file is open, and whether it is unlocked; if requested, even if the task
  /// is cancelled.
  package func state(
    endsWhenCancelled: Bool = true
  ) throws(VaultError) -> (isOpen: Bool, isUnlocked: Bool) {
    try exclusively(endsWhenCancelled: endsWhenCancelled) { (file) throws(VaultError) in
      (file != nil, file?.unlocked != nil)
    }
  }

  /// Tries a key on each slot of its kind.
  ///
  /// - Parameters:
  ///   - key: The key, which is not kept.
  ///   - keyFile: Reads the key again after a rekey by another process; nil if only a person has
  ///     it.
  ///   - minimumCost: The minimum cost of a passphrase; a cheaper slot is wrapped again, as
  ///     ``VaultFile/raise(_:openedBy:to:)`` says.
  /// - Throws: ``VaultError/Code/authenticationFailed`` if it opens none;
  ///   ``VaultError/Code/damaged`` if it opens none and a slot is damaged;
  ///   ``VaultError/Code/outOfMemory``, ``VaultError/Code/rolledBack``, ``VaultError/Code/forked``.
  package func unlock(
    with key: UnlockKey, keyFile: KeyFileReader? = nil, minimumCost: PassphraseCost = .policy
  ) throws(VaultError) {
    try locked { (file) throws(VaultError) in
      let slot = try file.unlock(with: key, keyFile: keyFile)
      session.open()
      try file.raise(slot, openedBy: key, to: minimumCost)
    }
  }

  /// Unlocks the file with keys that a machine remembered, as ``VaultFile/unlock(remembered:)``
  /// says.
  ///
  /// - Returns: False if the file stays as it was, also if it is unlocked already.
  package func unlock(
    remembered find: (Ident) -> (keys: EpochKeys, seconds: UInt32)?
  ) throws(VaultError) -> Bool {
    try locked { (file) throws(VaultError) in
      guard file.unlocked == nil, try file.unlock(remembered: find) else { return false }
      session.open()
      return true
    }
  }

  /// Calls `body` with the keys of the epoch, which stays the present one until it returns: a rekey
  /// waits.
  ///
  /// - Throws: ``VaultError/Code/locked``; as `body` and ``VaultFile/read(_:)``.
  package func withKeys<R>(
    _ body: (EpochKeys) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    try locked { (file) throws(VaultError) in
      try file.read { (_) throws(VaultError) in
        try file.requireTransaction()
        return try body(file.requireUnlocked().keys)
      }
    }
  }

  /// Returns the vault's id and format, which need no key.
  package func ident() throws(VaultError) -> Ident {
    try locked { (file) throws(VaultError) in
      try file.reloadIdent()
      return file.ident
    }
  }

  /// Wipes the keys and everything opened with them, even if the task is cancelled.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` in a transaction.
  package func lockUp() throws(VaultError) {
    try exclusively(endsWhenCancelled: false) { (file) throws(VaultError) in file?.lock() }
  }

  /// Ends one opening, even if the task is cancelled; the last one locks and closes the file, and
  /// every later call fails.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` in a transaction.
  package func close() throws(VaultError) {
    try exclusively(endsWhenCancelled: false) { (file) throws(VaultError) in
      guard removeUser() else { return }
      file?.lock()
      file = nil
    }
  }

  /// Ends the opening of a user that was released, as ``close()`` does.
  package func release() {
    do throws(VaultError) {
      try close()
    } catch {
      // A forked child has nothing to undo, and a missing thread may hold the lock of the count.
      guard error.code == .invalidArgument else { return }
      // Another user's transaction runs on this thread, and that user is left.
      _ = removeUser()
    }
  }

  /// Runs `body` with the lock held, except in a forked child.
  ///
  /// There, a missing thread may hold the lock, and the connection and its file locks are the
  /// parent's. Unless it is for a clean-up, the wait for the lock ends when the task is cancelled.
  private func exclusively<R>(
    endsWhenCancelled: Bool = true, _ body: (inout VaultFile?) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    guard !canary.isForkedChild else {
      throw VaultError(.locked, "the vault was opened before this process was forked")
    }
    let result = try EventDelivery.after { (_) throws(VaultError) in
      try file.withLockUnlessHeld { () throws(VaultError) in
        if endsWhenCancelled, Task.isCancelled { throw .cancelled }
      } _: { (file) throws(VaultError) in
        let wasUnlocked = file?.unlocked != nil
        defer {
          let isUnlocked = file?.unlocked != nil
          if let file { session.epoch = file.ident.epoch }
          // Whenever the file is locked, the session ends too.
          if !isUnlocked { session.close() }
          if isUnlocked != wasUnlocked { events.post(isUnlocked ? .unlocked : .locked) }
        }
        return try body(&file)
      }
    }
    guard let result else {
      throw VaultError(.invalidArgument, "the vault was called from within its own transaction")
    }
    return result
  }

  private func requireOpen(_ file: VaultFile?) throws(VaultError) -> VaultFile {
    guard let file else { throw VaultError(.closed, "\(path.path) was closed") }
    return file
  }

  /// Runs `body` on the file; if the path has another file by now, on that one.
  package func locked<R>(_ body: (VaultFile) throws(VaultError) -> R) throws(VaultError) -> R {
    try exclusively { (file) throws(VaultError) in
      let current = try requireOpen(file)
      do throws(VaultError) {
        return try body(current)
      } catch {
        // Damaged pages from a temporary disk error must not stay in SQLite's cache.
        if error.code == .damaged { current.connection.forgetPages() }
        guard current.isReplaced else { throw error }
      }
      let new = try reopened(current)
      file = new
      return try body(new)
    }
  }

  /// Runs `body` on the file if nobody uses it, without the look for another file at the path.
  ///
  /// - Throws: ``VaultError/Code/busy`` if somebody does, or nobody can.
  func lockedAtOnce<R>(_ body: (VaultFile) throws(VaultError) -> R) throws(VaultError) -> R {
    guard !canary.isForkedChild else { throw .notAtOnce }
    let result = try file.withLockIfFree { (file) throws(VaultError) in
      try file.map { (file) throws(VaultError) in try body(file) }
    }
    guard let result, let result else { throw .notAtOnce }
    return result
  }

  private func reopened(_ old: VaultFile) throws(VaultError) -> VaultFile {
    let unlocked = old.unlocked
    let new = try VaultFile(
      path: path, stateFolder: stateFolder, lockTimeout: lockTimeout, chain: chain, clock: clock,
      role: role, events: events)
    if let unlocked, unlocked.keys.ident == new.ident {
      try new.unlock(with: unlocked.keys, keyFile: unlocked.keyFile, as: old.signer)
      new.announce(since: unlocked.headTag)
    }
    OpenStores.enter(self, as: new.identity)
    return new
  }
}
