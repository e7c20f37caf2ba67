import CredentialVault
import Dispatch
import SecureMemory
import VaultModel

/// Keeps a snapshot of a vault up to date, and writes what is queued, on a queue of its own.
///
/// Lookups and changes wait for nothing: they run on URLSession's one queue for the whole process. What is queued holds this
/// object until it is written.
final class SnapshotKeeper: Sendable {
  struct State {
    /// What the snapshot does not show yet, the oldest first; lookups see it already.
    var changes: [StorageChange] = []
    /// How many of them are written: the first ones, where the file could not be read since.
    var written = 0
    var stale = Staleness(isAll: true)
    /// Whether something was changed that nobody was told of yet.
    var hasChanged = false
    /// Whether ``update()`` is queued and has not begun.
    var isUpdating = false
    /// The first since it was last asked for.
    var failure: VaultError?
    var observation: Observation?
    var onChange: @Sendable () -> Void = {}
  }

  let vault: Vault
  let snapshot: VaultSnapshot
  private let onError: @Sendable (VaultError) -> Void
  let state = Lock(State())
  let writing = DispatchQueue(label: "credential-vault.storage")
  private let isWriting = DispatchSpecificKey<Bool>()
  /// Another one: who is told something may wait for what is written.
  let telling = DispatchQueue(label: "credential-vault.storage.telling")

  /// Reads what is there; waits for the file.
  init(_ vault: Vault, onError: @escaping @Sendable (VaultError) -> Void) {
    self.vault = vault
    self.onError = onError
    snapshot = VaultSnapshot(of: vault)
    writing.setSpecific(key: isWriting, value: true)
    let observation = vault.events.observe { [weak self] in self?.note($0) }
    state.withLock { $0.observation = observation }
    writing.sync { refresh() }
    // Nobody knew anything else before.
    state.withLock { $0.hasChanged = false }
  }

  /// Is called after each change from now on, on a queue of its own.
  func tellChanges(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onChange = body }
  }

  // MARK: Looking up

  /// What answers a space as far as is known, the session's before the file's; nothing from a locked vault.
  ///
  /// It also has the file looked at, so that the next lookup knows what another process has changed.
  func candidates(for space: ProtectionSpace?) -> [Candidate] {
    updateSoon()
    // Before the snapshot is asked: what is written meanwhile is in both, and never in neither.
    let changes = state.withLock { $0.changes }
    do throws(VaultError) {
      var found = try snapshot.candidates(for: space)
      for change in changes { change.apply(to: &found, asked: space) }
      return found
    } catch {
      if error.code != .locked, error.code != .closed { report(error) }
      return []
    }
  }

  /// The users that were chosen as a space's default, the last one first.
  func defaultUsers(for space: ProtectionSpace) -> [String] {
    let changes = state.withLock { $0.changes }
    var users: [String] = []
    for case .set(let credential, space, isDefault: true, _) in changes.reversed() {
      users.append(credential.user)
    }
    do throws(VaultError) {
      return users + (try snapshot.defaultUsers(for: space))
    } catch {
      if error.code != .locked, error.code != .closed { report(error) }
      return []
    }
  }

  // MARK: Changing

  /// Queues a change; lookups see it from now on.
  func queue(_ change: StorageChange) {
    state.withLock { $0.changes.append(change) }
    writing.async { self.writeNext() }
  }

  /// Tells an error on a queue of its own.
  func report(_ error: VaultError) {
    telling.async { [onError] in onError(error) }
  }

  /// Waits until everything that was queued is written, and what others wrote is read.
  ///
  /// - Throws: The first failure of a change since the last call; ``VaultModel/VaultError/Code/invalidArgument`` from within
  ///   what is called while a change is written.
  func flush() throws(VaultError) {
    // An observer of the vault is called by whoever commits, which may be this object.
    guard DispatchQueue.getSpecific(key: isWriting) == nil else {
      throw VaultError(.invalidArgument, "flush was called while a change is told")
    }
    let failure = writing.sync {
      update()
      return state.withLock { state in
        defer { state.failure = nil }
        return state.failure
      }
    }
    if let failure { throw failure }
  }

  private func writeNext() {
    // As many turns as changes, in their order.
    let next = state.withLock { $0.written < $0.changes.count ? $0.changes[$0.written] : nil }
    guard let change = next else { return }
    var failure: VaultError?
    do throws(VaultError) {
      try change.commit(to: vault, snapshot)
    } catch {
      failure = error
    }
    state.withLock { state in
      guard let failure else { return state.written += 1 }
      state.changes.remove(at: state.written)
      if state.failure == nil { state.failure = failure }
    }
    // Whatever was granted is what lookups see afterwards.
    refresh(change.space)
    if let failure { report(failure) }
    tell()
  }
}
