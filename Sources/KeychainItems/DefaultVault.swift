import CredentialVault
import SecureMemory
import VaultModel

extension KeychainItems {
  /// The functions over the vault that `vaultctl` uses, which is opened at the first call.
  package static let standard = KeychainItems { () throws(VaultError) in
    [try DefaultVault.open()]
  }
}

/// The process's own default vault, opened once for all calls, and again after it was closed.
private enum DefaultVault {
  private static let opened = Lock<Vault?>(nil)
  /// Made at the first call.
  private static let canary = ForkCanary()

  /// Returns the vault, and opens it if necessary.
  ///
  /// - Throws: ``VaultError/Code/noDefaultVault`` if there is none; ``VaultError/Code/locked`` in a
  ///   forked child, where another thread of the parent may have held any lock; the errors of
  ///   opening.
  static func open() throws(VaultError) -> Vault {
    guard !canary.isForkedChild else {
      throw VaultError(.locked, "this process was forked from one that used the keychain")
    }
    return try opened.withLock { (opened) throws(VaultError) in
      if let opened, try opened.state != .closed { return opened }
      do throws(VaultError) {
        let vault = try Vault.open()
        opened = vault
        return vault
      } catch {
        guard error.code == .vaultNotFound else { throw error }
        throw VaultError(.noDefaultVault, error.context)
      }
    }
  }
}
