import VaultStore
import VaultCrypto
package import VaultModel

/// The first credential that is stored begins a session.
extension SharedSession {
  /// Makes a session's file and has the kernel keep its key.
  ///
  /// Of several processes that begin one at the same time, the others find the first one's.
  func create(
    limit: UInt32?
  ) throws(VaultError) -> (store: FileStore, ident: Ident, isNew: Bool) {
    let lifetime = try lifetime(limit: limit)
    try RememberedKey.require()
    let folder = try RuntimeFolder.make()
    return try FolderLock.with(folder, timeout: lockTimeout) { () throws(VaultError) in
      if let found = try find() { return found }
      // Their keys are gone, or of an epoch before a rekey.
      for path in try SessionFile.all(of: vault, in: folder, includesUnfinished: true) {
        SessionFile.remove(path)
      }
      let id = VaultID()
      let path = try VaultPath(SessionFile.path(of: id, of: vault, in: folder))
      let keys = try FileStore.createKeyless(path, id: id, time: time)
      do throws(VaultError) {
        try RememberedKeys.keep(keys, sessionOf: owner, for: lifetime)
        guard let made = try open(path) else {
          throw VaultError(.unavailable, "the kernel did not keep the session's key")
        }
        return (made.store, made.ident, isNew: true)
      } catch {
        SessionFile.remove(path.path)
        do throws(VaultError) {
          try RememberedKeys.forget(keys.ident, sessionOf: owner)
        } catch {
          // The key of a file that is gone ends by its timeout.
        }
        throw error
      }
    }
  }

  /// Returns how long the kernel keeps a session's key: as long as the vault's own, or as the user
  /// wants that to be kept.
  func lifetime(limit: UInt32?) throws(VaultError) -> RememberedTime {
    guard limit != 0 else {
      throw VaultError(.policyRefused, "the vault does not let its keys be remembered")
    }
    if let time = RememberedKeys.time(owner) { return time.limited(to: limit) }
    let configured = try RememberedTime.configured()
    let time = configured == .oneUse ? nil : configured
    return (time ?? RememberedTime()).limited(to: limit)
  }
}

extension VaultError {
  /// Whether it says that the session ended, or its file was removed, while it was used.
  var meansEnd: Bool { [.locked, .closed, .vaultNotFound].contains(code) }

  /// Whether it says that there can be no session that is shared, rather than that an operation
  /// failed.
  package var meansNoSession: Bool {
    switch code {
    case .busy, .interrupted, .inputOutput, .outcomeUnknown, .internalError: false
    default: true
    }
  }

  /// The same error with its items as those of a session.
  var ofSession: VaultError {
    guard !candidates.isEmpty else { return self }
    return VaultError(
      code, context, underlying: underlying, candidates: candidates.map(\.ofSession)
    ).about(subject)
  }
}

extension Item {
  /// The item of a session's file as one of the session.
  var ofSession: Item {
    var item = self
    item.persistence = .session
    return item
  }
}

extension VaultEvent {
  /// The event of a session's file as one of the vault; nil if it is about the file itself.
  var ofSession: VaultEvent? {
    switch self {
    case .added(let subject): .added(subject.ofSession)
    case .modified(let subject): .modified(subject.ofSession)
    case .removed(let subject): .removed(subject.ofSession)
    case .defaultChanged, .changedElsewhere: self
    case .moved, .policyChanged, .locked, .unlocked: nil
    }
  }
}

extension VaultEvent.Subject {
  fileprivate var ofSession: Self {
    Self(id: id, space: space, service: service, persistence: .session)
  }
}
