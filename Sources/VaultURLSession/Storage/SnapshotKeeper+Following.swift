import CredentialVault
import Dispatch
import SecureMemory
import VaultModel

/// Updating the snapshot after changes, by anybody.
extension SnapshotKeeper {
  func note(_ event: VaultEvent) {
    state.withLock { state in
      switch event {
      case .policyChanged: return
      case .modified(let subject) where subject.space == nil:
        state.stale.withoutSpace.insert(subject.id)
      case .added(let subject), .modified(let subject), .removed(let subject):
        state.stale.note(subject)
      case .moved(let subject, let place): state.stale.note(subject, from: place)
      case .defaultChanged(let space): state.stale.spaces.insert(space)
      case .locked: break
      case .unlocked, .changedElsewhere:
        // The difference is known when it is read.
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

  /// Schedules a look at the file, once for any number of calls.
  func updateSoon() {
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

  func update() {
    do throws(VaultError) {
      try snapshot.look()
    } catch {
      forget(after: error)
      return tell()
    }
    refresh()
    tell()
  }

  /// Drops the data of a file that cannot be read, unless it is only busy.
  ///
  /// If a file was removed or is damaged, its old contents must not be sent.
  private func forget(after error: VaultError) {
    if error.code != .busy {
      snapshot.forgetAll()
      forgetWritten()
    }
    // Unlocking causes another read.
    guard error.code != .locked, error.code != .closed else { return }
    state.withLock { $0.stale.isAll = true }
    report(error)
  }

  /// Reads the stale parts; those that cannot be read stay stale.
  func refresh(_ space: ProtectionSpace? = nil) {
    let stale = state.withLock { state in
      defer { state.stale = Staleness() }
      return state.stale
    }
    var spaces = stale.spaces
    if let space { spaces.insert(space) }
    for id in stale.withoutSpace { snapshot.forget(id) }
    guard stale.isAll || !spaces.isEmpty else { return }
    do throws(VaultError) {
      if stale.isAll {
        let isDifferent = try snapshot.refresh()
        if isDifferent { state.withLock { $0.hasChanged = true } }
      } else {
        try snapshot.refresh(spaces)
      }
      forgetWritten()
    } catch {
      forget(after: error)
    }
  }

  /// Drops written changes, which the snapshot now shows.
  private func forgetWritten() {
    state.withLock { state in
      state.changes.removeFirst(state.written)
      state.written = 0
    }
  }

  func tell() {
    let onChange = state.withLock { state in
      defer { state.hasChanged = false }
      return state.hasChanged ? state.onChange : nil
    }
    if let onChange { telling.async(execute: onChange) }
  }
}
