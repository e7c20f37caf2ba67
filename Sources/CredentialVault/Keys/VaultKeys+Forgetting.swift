import RememberedKeys
import VaultCrypto
import VaultFile
package import VaultModel

/// Ending what the kernel remembers of vaults before its time, and the sessions that live by it.
extension VaultKeys {
  /// Forgets the vault's key, even that of an earlier epoch; the vault may be locked.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``VaultError/Code/unavailable``, ``VaultError/Code/outOfMemory`` if it may still be
  ///   there.
  @discardableResult
  package func forget() throws(VaultError) -> Bool {
    try Self.forget(vault.requireFile().ident().vaultID)
  }

  /// Forgets the key of the vault that was seen at a path, whose file may be gone or out of reach.
  ///
  /// - Returns: Whether there was one; nil if this machine has seen no vault there.
  /// - Throws: As ``forget()``.
  package static func forget(at path: String) throws(VaultError) -> Bool? {
    let record = PlaceRecord(
      folder: VaultLocation.stateFolder(), at: VaultPath.withoutChecks(path))
    guard let vault = record.look() else { return nil }
    return try forget(vault)
  }

  private static func forget(_ vault: VaultID) throws(VaultError) -> Bool {
    defer { SessionFile.removeForgotten(of: vault) }
    return try RememberedKeys.forget(vault) > 0
  }

  /// Forgets the keys of all vaults of this user, wherever their files are.
  ///
  /// - Returns: The number of keys that were forgotten.
  /// - Throws: As ``forget()``.
  package static func forgetAll() throws(VaultError) -> Int {
    defer { SessionFile.removeForgotten() }
    return try RememberedKeys.forgetAll()
  }

  /// Forgets the vault's key if it is remembered for one use, which is not needed any more.
  ///
  /// - Throws: Any error of reading the file.
  package func forgetOneUse() throws(VaultError) {
    guard let ident = try vault.file?.ident(), RememberedKeys.peek(ident)?.idle == 0 else { return }
    _ = RememberedKeys.use(ident)
  }

  /// Forgets the key after a change of what opens the vault.
  ///
  /// The change is made, whatever comes of this: a key that is left has its end.
  func forgetAfterChange() {
    do throws(VaultError) {
      try forget()
    } catch {
      return
    }
  }
}
