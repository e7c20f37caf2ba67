import RememberedKeys
import VaultCrypto
import VaultFile
import VaultModel

/// The first credential that is stored begins a session.
extension SharedSession {
  /// Makes a session's file and has the kernel keep its key.
  ///
  /// Of several processes that begin one at the same time, the others find the first one's.
  func create(
    limit: UInt32?
  ) throws(VaultError) -> (store: FileStore, ident: Ident, isNew: Bool) {
    let lifetime = try lifetime(limit: limit)
    try VaultKeys.requireRemembering()
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
