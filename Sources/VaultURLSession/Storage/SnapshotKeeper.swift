import CredentialVault
import Dispatch
import Foundation
import SecureMemory
import VaultModel

/// A keeper that updates a snapshot of a vault and writes queued changes, on a queue of its own.
///
/// Lookups and changes never wait, because they run on URLSession's one queue for the whole
/// process. Queued work retains this object until it is written.
final class SnapshotKeeper: Sendable {
  struct State {
    /// The changes that the snapshot does not show yet, the oldest first; lookups already see them.
    var changes: [StorageChange] = []
    /// The number of written changes, at the start of the list, if the file could not be read
    /// since.
    var written = 0
    var stale = Staleness(isAll: true)
    /// Whether there are changes that no observer was told of yet.
    var hasChanged = false
    /// Whether ``update()`` is queued and has not begun.
    var isUpdating = false
    /// The first failure since the last call of ``flush()``.
    var failure: VaultError?
    var observation: VaultObserver?
    var onChange: @Sendable () -> Void = {}
  }

  let vault: Vault
  let snapshot: VaultSnapshot
  private let onError: @Sendable (VaultError) -> Void
  let state = Lock(State())
  let writing = DispatchQueue(label: "credential-vault.storage")
  private let isWriting = DispatchSpecificKey<Bool>()
  /// A separate queue: an observer may wait for a write.
  let telling = DispatchQueue(label: "credential-vault.storage.telling")
  private let isTelling = DispatchSpecificKey<Bool>()

  /// Reads the vault; waits for the file.
  init(_ vault: Vault, onError: @escaping @Sendable (VaultError) -> Void) {
    self.vault = vault
    self.onError = onError
    snapshot = VaultSnapshot(of: vault)
    writing.setSpecific(key: isWriting, value: true)
    telling.setSpecific(key: isTelling, value: true)
    let observation = vault.events.observe { [weak self] in self?.note($0) }
    state.withLock { $0.observation = observation }
    writing.sync { refresh() }
    // Nobody knew an earlier state.
    state.withLock { $0.hasChanged = false }
  }

  /// Calls `body` after each change from now on, on a queue of its own.
  func tellChanges(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onChange = body }
  }

  // MARK: Looking up

  /// Returns the known candidates for a space, the session's before the file's; none from a locked
  /// vault.
  ///
  /// It also schedules a look at the file, so that the next lookup sees changes by other processes.
  func candidates(for space: ProtectionSpace?) -> [Candidate] {
    updateSoon()
    // Taken before the snapshot is read: a change written meanwhile is then in both, and never in
    // neither.
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

  /// Returns the users chosen as a space's default, the last one first.
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

  /// Reports an error on a queue of its own.
  func report(_ error: VaultError) {
    telling.async { [onError] in onError(error) }
  }

  /// Waits until all queued changes are written, changes by others are read, and both are told.
  ///
  /// - Throws: The first failure of a change since the last call;
  ///   ``VaultModel/VaultError/Code/invalidArgument`` if it is called during the write of a change.
  func flush() throws(VaultError) {
    // The committer calls an observer of the vault, and may be this object.
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
    awaitObservers()
    if let failure { throw failure }
  }

  /// Waits until observers were told of all changes and errors so far.
  ///
  /// An observer may itself wait for the caller, so this ends after ten seconds. As
  /// `NotificationCenter` waits for an observer's operation queue, such as the main one, it ends
  /// there after a tenth of a second.
  private func awaitObservers() {
    guard DispatchQueue.getSpecific(key: isTelling) == nil else { return }
    let told = DispatchSemaphore(value: 0)
    telling.async { told.signal() }
    _ = told.wait(timeout: .now() + (OperationQueue.current == nil ? 10 : 0.1))
  }

  private func writeNext() {
    // There are as many calls as changes, in the same order.
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
    // Lookups then see the persistence that was granted.
    refresh(change.space)
    if let failure { report(failure) }
    tell()
  }
}
