import VaultCrypto
import VaultFile
import VaultModel
package import VaultSession

/// Sharing the session's credentials with other processes.
extension Vault {
  /// The session as a store, for those who have to know none of its layers.
  package var sessionStore: any StoreTransaction { session }

  /// Whether there are session credentials that end with this process, because they are not shared.
  package var holdsOwnSession: Bool {
    get throws(VaultError) { try !session.own.find(.everything, withSecrets: false).isEmpty }
  }

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

extension Vault {
  /// Requires that credentials stored for the session are shared with the other processes of this
  /// user, as was asked of
  /// ``Vault/open(path:key:lockTimeout:minimumCost:acceptingAnotherVault:withSharedSession:)``.
  ///
  /// Without sharing, only this process has them, and they are lost when it ends.
  ///
  /// - Throws: Why they are not shared: ``VaultError/Code/unsupported`` if that was not asked for;
  ///   ``VaultError/Code/unavailable`` without `$XDG_RUNTIME_DIR`, or where the kernel's keyrings
  ///   are denied; ``VaultError/Code/outOfMemory`` if this user's are full;
  ///   ``VaultError/Code/unsafePermissions`` if others could look into the folder;
  ///   ``VaultError/Code/policyRefused`` if the vault does not let its keys be remembered;
  ///   ``VaultError/Code/locked``, ``VaultError/Code/busy``; any error of writing the file.
  public func requireSharedSession() throws(VaultError) {
    try requireUnlocked()
    try session.requireSharing()
  }
}
