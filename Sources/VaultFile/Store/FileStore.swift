import SealedTree
import SecureMemory
package import VaultCrypto
package import VaultModel
package import VaultSession

/// Reads a key file again when its key is needed again, so that it need not stay in memory.
package typealias KeyFileReader = @Sendable () throws(VaultError) -> UnlockKey

/// The sealed file as a store: one for each open file in the process, safe from any thread.
///
/// Two connections to one file in a process would be safe only as long as nobody closes a
/// descriptor of that file, so a second opening gets the same store.
package final class FileStore: Sendable {
  package let path: VaultPath
  private let stateFolder: String?
  private let lockTimeout: Duration
  private let chain: MigrationChain
  private let canary = ForkCanary()
  /// Nil after ``close()``.
  private let file: Lock<VaultFile?>
  /// How many use this store; negative once the last has closed it.
  ///
  /// Beside `file`, whose lock is held for as long as a transaction takes.
  private let users = Lock(0)
  private let clock: VaultClock
  /// The vault's time: never before the newest commit that was seen of it.
  package let time: TimeSource
  /// The session's credentials of everyone in this process who has the file open; closed, and wiped,
  /// for as long as the file is locked.
  package let session: SessionStore
  /// Who observes the file observes its session, too.
  package var events: EventQueue { session.events }

  private init(
    path: VaultPath, stateFolder: String?, lockTimeout: Duration, chain: MigrationChain,
    acceptsAnother: Bool, time: TimeSource
  ) throws(VaultError) {
    self.path = path
    self.stateFolder = stateFolder
    self.lockTimeout = lockTimeout
    self.chain = chain
    clock = VaultClock(time)
    self.time = clock.time
    session = SessionStore(isOpen: false, time: self.time)
    file = Lock(
      try VaultFile(
        path: path, stateFolder: stateFolder, lockTimeout: lockTimeout, chain: chain, clock: clock,
        acceptsAnother: acceptsAnother, events: session.events))
  }

  // MARK: Opening

  private struct OpenStore: Sendable {
    let identity: FileIdentity
    weak let store: FileStore?
  }

  /// A process has few vaults open: a list of them costs less than a dictionary's first use.
  private static let openStores = Lock<[OpenStore]>([])

  /// Whether this process has a file open, unlocked or not.
  package static func isOpen(_ identity: FileIdentity) -> Bool {
    openStores.withLock { stores in
      stores.contains { $0.identity == identity && $0.store?.isClosed == false }
    }
  }

  /// Opens an existing vault, or takes the store that has it open already.
  ///
  /// - Parameters:
  ///   - path: Where the vault lies.
  ///   - stateFolder: Where generations are remembered.
  ///   - lockTimeout: How long to wait for other processes' locks.
  ///   - chain: The formats that are known.
  ///   - acceptsAnother: Whether it may be another vault than the one that is remembered at the path.
  ///   - time: Where a store that is made now takes the time from.
  /// - Returns: The one store of the file in this process; each opening needs its own ``close()``.
  /// - Throws: ``VaultError/Code/vaultNotFound``, ``VaultError/Code/unsafePermissions``,
  ///   ``VaultError/Code/notAVault``, ``VaultError/Code/damaged``, ``VaultError/Code/tooNew``,
  ///   ``VaultError/Code/anotherVault``.
  package static func open(
    _ path: VaultPath, stateFolder: String?, lockTimeout: Duration,
    chain: MigrationChain = .current, acceptsAnother: Bool = false, time: TimeSource = .system
  ) throws(VaultError) -> FileStore {
    let identity = try path.checkExisting()
    return try openStores.withLock { (stores) throws(VaultError) in
      stores.removeAll { $0.store == nil }
      for open in stores where open.identity == identity {
        // Never a store's own lock here: the transaction that holds it may open another vault.
        if let store = open.store, store.path == path, store.addUser() { return store }
      }
      let store = try FileStore(
        path: path, stateFolder: stateFolder, lockTimeout: lockTimeout, chain: chain,
        acceptsAnother: acceptsAnother, time: time)
      _ = store.addUser()
      stores.append(OpenStore(identity: identity, store: store))
      return store
    }
  }

  /// Makes a new vault with a slot, and a second one for a recovery code if there is one; opens it
  /// unlocked.
  ///
  /// - Throws: ``VaultError/Code/vaultExists``, ``VaultError/Code/cannotCreate``,
  ///   ``VaultError/Code/unsafePermissions``, ``VaultError/Code/outOfMemory``.
  package static func create(
    _ path: VaultPath, key: UnlockKey, keyFile: KeyFileReader? = nil, slotName: String,
    cost: PassphraseCost, recoveryCode: RecoveryCode? = nil, stateFolder: String?,
    lockTimeout: Duration, chain: MigrationChain = .current, time: TimeSource = .system
  ) throws(VaultError) -> FileStore {
    let keys = EpochKeys(VaultKey(), ident: chain.ident(of: VaultID()))
    var slots = [try Slot(for: key, to: keys, id: 1, name: slotName, cost: cost)]
    if let recoveryCode {
      slots.append(
        try Slot(for: .recoveryCode(recoveryCode), to: keys, id: 2, name: "", cost: cost))
    }
    try VaultFile.create(path, keys: keys, slots: slots, chain: chain, time: time)
    do throws(VaultError) {
      let store = try open(
        path, stateFolder: stateFolder, lockTimeout: lockTimeout, chain: chain,
        acceptsAnother: true, time: time)
      try store.locked { (file) throws(VaultError) in try file.unlock(with: keys, keyFile: keyFile)
      }
      store.session.open()
      return store
    } catch {
      throw VaultError(
        error.code, "the vault was made, and cannot be opened: \(error.context)",
        underlying: error.underlying)
    }
  }

  /// Whether the last user closed it for good.
  private var isClosed: Bool { users.withLock { $0 < 0 } }

  /// False if the store was closed for good.
  private func addUser() -> Bool {
    users.withLock { users in
      guard users >= 0 else { return false }
      users += 1
      return true
    }
  }

  // MARK: Locking

  /// Whether the file is open, and whether it is unlocked.
  package func state() throws(VaultError) -> (isOpen: Bool, isUnlocked: Bool) {
    try exclusively { (file) throws(VaultError) in (file != nil, file?.unlocked != nil) }
  }

  /// Tries a key on each slot of its kind.
  ///
  /// - Parameters:
  ///   - key: Is not kept.
  ///   - keyFile: Reads the key again after a rotation by another process; nil if only a person has it.
  ///   - minimumCost: The slot of a passphrase that costs less is wrapped anew, as
  ///     ``VaultFile/raise(_:openedBy:to:)`` says.
  /// - Throws: ``VaultError/Code/authenticationFailed`` if it opens none; ``VaultError/Code/damaged`` if
  ///   it opens none and a slot is damaged; ``VaultError/Code/outOfMemory``,
  ///   ``VaultError/Code/rolledBack``, ``VaultError/Code/forked``.
  package func unlock(
    with key: UnlockKey, keyFile: KeyFileReader? = nil, minimumCost: PassphraseCost = .policy
  ) throws(VaultError) {
    try locked { (file) throws(VaultError) in
      let slot = try file.unlock(with: key, keyFile: keyFile)
      session.open()
      try file.raise(slot, openedBy: key, to: minimumCost)
    }
  }

  /// Wipes the keys and everything opened with them.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` from within a transaction.
  package func lockUp() throws(VaultError) {
    try exclusively { (file) throws(VaultError) in file?.lock() }
  }

  /// Takes back one opening; the last one locks and closes the file, and every later call fails.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` from within a transaction.
  package func close() throws(VaultError) {
    try exclusively { (file) throws(VaultError) in
      let isLast = users.withLock { users in
        users -= 1
        if users == 0 { users = -1 }
        return users < 0
      }
      guard isLast else { return }
      file?.lock()
      file = nil
    }
  }

  /// Holds the lock, except in a forked child: there the lock may be held by a thread that is not,
  /// and the connection and its file locks are the parent's.
  private func exclusively<R>(
    _ body: (inout VaultFile?) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    guard !canary.isForkedChild else {
      throw VaultError(.locked, "the vault was opened before this process was forked")
    }
    let result = try Delivery.after { (_) throws(VaultError) in
      try file.withLockUnlessHeld { (file) throws(VaultError) in
        let wasUnlocked = file?.unlocked != nil
        defer {
          let isUnlocked = file?.unlocked != nil
          // Whatever locked the file, the session ends with it.
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

  /// Runs `body` on the file; if another file lies at the path by now, on that one.
  package func locked<R>(_ body: (VaultFile) throws(VaultError) -> R) throws(VaultError) -> R {
    try exclusively { (file) throws(VaultError) in
      let current = try requireOpen(file)
      do throws(VaultError) {
        return try body(current)
      } catch {
        // What was read badly once, by a disk that is well again, must not stay in SQLite's cache.
        if error.code == .damaged { current.connection.forgetPages() }
        guard current.isReplaced else { throw error }
      }
      let new = try reopened(current)
      file = new
      return try body(new)
    }
  }

  private func reopened(_ old: VaultFile) throws(VaultError) -> VaultFile {
    let unlocked = old.unlocked
    let new = try VaultFile(
      path: path, stateFolder: stateFolder, lockTimeout: lockTimeout, chain: chain, clock: clock,
      events: events)
    if let unlocked, unlocked.keys.ident == new.ident {
      try new.unlock(with: unlocked.keys, keyFile: unlocked.keyFile)
      new.announce(since: unlocked.headTag)
    }
    Self.openStores.withLock { stores in
      stores.removeAll { $0.store === self }
      stores.append(OpenStore(identity: new.identity, store: self))
    }
    return new
  }
}
