import Glibc
import VaultStore
import SecureMemory
import VaultCrypto
import VaultModel

/// The session's credentials that the processes of a user share: a sealed file in the folder of the
/// login, whose random key is in the kernel's keyring and nowhere else.
///
/// Without the key, nobody can read the file. A call that forgets the vault's keys, a timeout or a
/// logout therefore also ends the session, and nobody has to clean up. Each session has its own
/// file and key, and no name is used twice: a process that still writes to an ended session cannot
/// harm the next one.
final class SharedSession: SessionCompanion {
  /// The file of the session, opened with the key that the kernel had.
  fileprivate struct Opened {
    let store: FileStore
    let ident: Ident
    let observer: Observer
  }

  /// The vault that the session belongs to, also in its keys' names.
  let vault: VaultID
  /// The vault at its present epoch, whose rekeying ends the session, wherever it is done.
  var owner: Ident { Ident(vaultID: vault, epoch: epoch()) }
  private let epoch: @Sendable () -> UInt64
  let time: TimeSource
  let lockTimeout: Duration
  /// The events of the vault, which also get the session's.
  private let events: EventQueue
  private let opened = Lock<Opened?>(nil)
  /// Whether the vault is unlocked.
  ///
  /// Asked once more when a file was opened: a thread that was late would open it behind a lock.
  private let isActive: @Sendable () -> Bool

  init(
    of vault: VaultID, events: EventQueue, time: TimeSource, lockTimeout: Duration,
    epoch: @escaping @Sendable () -> UInt64, isActive: @escaping @Sendable () -> Bool
  ) {
    self.vault = vault
    self.epoch = epoch
    self.events = events
    self.time = time
    self.lockTimeout = lockTimeout
    self.isActive = isActive
  }

  deinit { sessionHasEnded() }

  /// Closes the file and wipes its key here; other processes keep the session.
  func sessionHasEnded() {
    opened.withLock { opened in
      opened?.close()
      opened = nil
    }
  }

  /// Whether this process has a session open.
  var isOpen: Bool { opened.withLock { $0 != nil } }

  // MARK: Using

  /// Returns the result of `body` on the session's file; nil if there is no session.
  ///
  /// - Throws: The errors of `body`, with items of the session; ``VaultError/Code/busy``.
  func read<R>(_ body: (FileStore) throws(VaultError) -> R) throws(VaultError) -> R? {
    guard let store = try present() else { return nil }
    do throws(VaultError) {
      return try body(store)
    } catch {
      guard error.meansEnd else { throw error.ofSession }
      return nil
    }
  }

  /// Runs `body` in one write transaction of the session's file, if there is a session.
  ///
  /// - Parameters:
  ///   - isQuiet: Whether the caller tells observers itself.
  ///   - body: Changes the file.
  /// - Returns: The result; nil if there is no session.
  /// - Throws: As ``read(_:)``.
  func write<R>(
    isQuiet: Bool = false, _ body: (FileTransaction) throws(VaultError) -> R
  ) throws(VaultError) -> R? {
    try read { (store) throws(VaultError) in
      try store.write { (transaction) throws(VaultError) in
        guard isQuiet else { return try body(transaction) }
        return try transaction.quietly { () throws(VaultError) in try body(transaction) }
      }
    }
  }

  /// Removes everything for every process.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if the key may still be there.
  func end() throws(VaultError) {
    _ = try write { (transaction) throws(VaultError) in
      for item in try transaction.find(.everything) {
        try transaction.remove(item.id, hint: item.key, removal: .permanent)
      }
      for space in try transaction.defaults().keys {
        try transaction.setDefaultUser(nil, for: space)
      }
    }
    try EventDelivery.after { (_) throws(VaultError) in
      try opened.withLock { (opened) throws(VaultError) in
        guard let ended = opened else { return }
        try RememberedKeys.forget(ended.ident, sessionOf: owner)
        ended.close()
        opened = nil
        SessionFile.remove(ended.store.path.path)
      }
    }
  }

  // MARK: Opening

  /// Returns the session's store, and counts that as a use; nil if there is none, or none can be.
  private func present() throws(VaultError) -> FileStore? {
    do throws(VaultError) {
      return try store { () throws(VaultError) in try find() }
    } catch {
      guard error.meansNoSession else { throw error }
      return nil
    }
  }

  /// Begins a session unless there is one.
  ///
  /// - Parameter limit: The most seconds for which the vault lets its keys be remembered, 0 for
  ///   never; nil for any.
  /// - Throws: Why there can be none: as ``RuntimeFolder/make()``;
  ///   ``VaultError/Code/unavailable`` where keyrings are denied; ``VaultError/Code/outOfMemory``
  ///   if this user's are full; ``VaultError/Code/policyRefused`` if the vault forbids it; any
  ///   error of writing the file.
  func begin(limit: UInt32?) throws(VaultError) {
    _ = try store { () throws(VaultError) in
      if let found = try find() { return found }
      return try create(limit: limit)
    }
  }

  /// Requires that there is a session or could be one, and begins none.
  ///
  /// - Throws: As ``begin(limit:)``, but for the errors of writing.
  func requirePossible(limit: UInt32?) throws(VaultError) {
    let found = try store { () throws(VaultError) in try find() }
    guard found == nil else { return }
    _ = try lifetime(limit: limit)
    try RememberedKey.require()
    // Its folder can be made where there is none yet.
    _ = try RuntimeFolder.existing()
  }

  /// Returns the store if the kernel still has its key, else another one.
  private func store(
    orOpen open: () throws(VaultError) -> (store: FileStore, ident: Ident, isNew: Bool)?
  ) throws(VaultError) -> FileStore? {
    // Observers are called without the lock, since they call the vault.
    try EventDelivery.after { (_) throws(VaultError) in
      try opened.withLock { (opened) throws(VaultError) in
        if let known = opened {
          let isThere = FileStatus(at: known.store.path.path) != nil
          if isThere, RememberedKeys.use(known.ident, sessionOf: owner) != nil {
            return known.store
          }
          known.close()
          opened = nil
          events.post(.changedElsewhere)
        }
        guard let found = try open() else { return nil }
        guard isActive() else {
          found.store.release()
          throw VaultError(.locked, "the vault is locked")
        }
        opened = Opened(
          store: found.store, ident: found.ident, observer: observer(of: found.store))
        if !found.isNew { events.post(.changedElsewhere) }
        return found.store
      }
    }
  }

  private func observer(of store: FileStore) -> Observer {
    let events = events
    return store.events.observe(owner: ObjectIdentifier(self)) { event in
      if let event = event.ofSession { events.post(event) }
    }
  }

  /// Opens the session's file; nil if there is none whose key the kernel has.
  func find() throws(VaultError) -> (store: FileStore, ident: Ident, isNew: Bool)? {
    guard let folder = try RuntimeFolder.existing() else { return nil }
    for path in try SessionFile.all(of: vault, in: folder) {
      do throws(VaultError) {
        if let found = try open(VaultPath(path)) {
          return (found.store, found.ident, isNew: false)
        }
      } catch {
        // A file that cannot be opened is not a session: the next one to begin replaces it, perhaps
        // while it is being opened here.
        guard error.meansNoSession || FileStatus(at: path) == nil else { throw error }
      }
    }
    return nil
  }

  func open(_ path: VaultPath) throws(VaultError) -> (store: FileStore, ident: Ident)? {
    let store = try FileStore.open(
      path, stateFolder: nil, lockTimeout: lockTimeout, acceptingAnotherVault: true, time: time)
    do throws(VaultError) {
      let ident = try store.ident()
      var isOpen = try store.state().isUnlocked
      if !isOpen {
        isOpen = try store.unlock { ident in
          RememberedKeys.use(ident, sessionOf: owner).map { ($0.keys, $0.secondsLeft) }
        }
      }
      if isOpen { return (store, ident) }
    } catch {
      store.release()
      throw error
    }
    store.release()
    return nil
  }
}

extension SharedSession.Opened {
  /// Ends the use of the file, and wipes its key.
  fileprivate func close() {
    observer.stop()
    store.release()
  }
}
