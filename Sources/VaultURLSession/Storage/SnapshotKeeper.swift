import CredentialVault
import Dispatch
import SecureMemory
import VaultModel

/// Keeps a snapshot of a vault up to date, and writes what is queued, on a queue of its own.
///
/// Lookups and changes wait for nothing: they run on URLSession's one queue for the whole process. What is queued holds this
/// object until it is written.
final class SnapshotKeeper: Sendable {
  private struct State {
    /// Not written yet, the oldest first; lookups see it already.
    var changes: [StorageChange] = []
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
  private let snapshot: VaultSnapshot
  private let onError: @Sendable (VaultError) -> Void
  private let state = Lock(State())
  private let writing = DispatchQueue(label: "credential-vault.storage")
  /// Another one: who is told something may wait for what is written.
  private let telling = DispatchQueue(label: "credential-vault.storage.telling")

  /// Reads what is there; waits for the file.
  init(_ vault: Vault, onError: @escaping @Sendable (VaultError) -> Void) {
    self.vault = vault
    self.onError = onError
    snapshot = VaultSnapshot(of: vault)
    let observation = vault.observe { [weak self] in self?.note($0) }
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
  /// - Throws: The first failure of a change since the last call.
  func flush() throws(VaultError) {
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
    guard let change = state.withLock({ $0.changes.first }) else { return }
    var failure: VaultError?
    do throws(VaultError) {
      try change.commit(to: vault, snapshot)
    } catch {
      failure = error
    }
    // Whatever was granted, or failed, is what lookups see afterwards.
    refresh(change.space)
    state.withLock { state in
      state.changes.removeFirst()
      if state.failure == nil { state.failure = failure }
    }
    if let failure { report(failure) }
    tell()
  }

  // MARK: Following

  private func note(_ event: VaultEvent) {
    state.withLock { state in
      switch event {
      case .policyChanged: return
      case .added(let subject), .modified(let subject), .removed(let subject):
        state.stale.note(subject)
      case .moved(let subject, let place): state.stale.note(subject, from: place)
      case .defaultChanged(let space): state.stale.spaces.insert(space)
      case .locked: break
      case .unlocked, .changedElsewhere:
        // What is different is known when it is read.
        state.stale.isAll = true
        return
      }
      state.hasChanged = true
    }
    switch event {
    case .removed(let subject) where subject.persistence == .permanent: snapshot.forget(subject.id)
    case .modified(let subject) where subject.space == nil: snapshot.forget(subject.id)
    case .locked: snapshot.forgetAll()
    default: break
    }
    updateSoon()
  }

  /// Has the file looked at soon, however often it is asked.
  private func updateSoon() {
    let isFirst = state.withLock { state in
      defer { state.isUpdating = true }
      return !state.isUpdating
    }
    guard isFirst else { return }
    writing.async {
      self.state.withLock { $0.isUpdating = false }
      self.update()
    }
  }

  private func update() {
    do throws(VaultError) {
      try snapshot.look()
    } catch {
      forget(after: error)
      return tell()
    }
    refresh()
    tell()
  }

  /// Answers nothing any more out of a file that cannot be read, unless somebody just has it for long.
  ///
  /// A file that was removed, or is damaged, is no reason to send what it once held.
  private func forget(after error: VaultError) {
    switch error.code {
    // Unlocking tells again what to read.
    case .locked, .closed: return snapshot.forgetAll()
    case .busy: break
    default: snapshot.forgetAll()
    }
    state.withLock { $0.stale.isAll = true }
    report(error)
  }

  /// Reads what is stale; what cannot be read stays stale.
  private func refresh(_ space: ProtectionSpace? = nil) {
    let stale = state.withLock { state in
      defer { state.stale = Staleness() }
      return state.stale
    }
    var spaces = stale.spaces
    if let space { spaces.insert(space) }
    guard stale.isAll || !spaces.isEmpty else { return }
    do throws(VaultError) {
      if !stale.isAll { return try snapshot.refresh(spaces) }
      let isDifferent = try snapshot.refresh()
      if isDifferent { state.withLock { $0.hasChanged = true } }
    } catch {
      forget(after: error)
    }
  }

  private func tell() {
    let onChange = state.withLock { state in
      defer { state.hasChanged = false }
      return state.hasChanged ? state.onChange : nil
    }
    if let onChange { telling.async(execute: onChange) }
  }
}
