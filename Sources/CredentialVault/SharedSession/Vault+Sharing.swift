import VaultCrypto
package import VaultStore
import VaultModel

/// Sharing the session's credentials with other processes.
extension Vault {
  /// The session as a store, for those who have to know none of its layers.
  package var sessionStore: any StoreTransaction { session }

  /// Whether this process has stored or found something in a session that it shares.
  package var isSessionShared: Bool { session.shared?.isOpen ?? false }

  /// Whether what is stored for the session would be shared; no session is begun to find out.
  package var canShareSession: Bool {
    get throws(VaultError) {
      try requireUnlocked()
      return try session.canShare()
    }
  }

  /// Returns the session of a vault's file as a vault sees it.
  static func session(
    of file: FileStore, isShared: Bool, lockTimeout: Duration
  ) throws(VaultError) -> LayeredSession {
    guard isShared else { return LayeredSession(own: file.session) }
    let vault = try file.ident().vaultID
    let shared = file.session.companion {
      SharedSession(
        of: vault, events: file.events, time: file.time, lockTimeout: lockTimeout,
        epoch: { [weak session = file.session] in session?.epoch ?? 0 },
        isActive: { [weak session = file.session] in session?.isOpen ?? false })
    }
    return LayeredSession(own: file.session, shared: shared) {
      [weak file] () throws(VaultError) in try file?.mostRemembered()
    }
  }
}
