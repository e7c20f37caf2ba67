public import VaultModel

/// The session that is shared lives by a key in the kernel's keyring.
extension VaultKeys {
  /// Requires that credentials stored for the session are shared with the other processes of this
  /// user, as was asked when the vault was opened with `withSharedSession`.
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
    try vault.requireUnlocked()
    try vault.session.requireSharing()
  }
}
