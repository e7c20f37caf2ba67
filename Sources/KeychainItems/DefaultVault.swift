import CredentialVault
import SecureMemory
import Synchronization
import VaultModel

extension KeychainItems {
  /// The functions over the vault that `vaultctl` uses, which is opened at the first call.
  package static let standard = KeychainItems { () throws(VaultError) in
    [try DefaultVault.open()]
  }
}

/// The process's own default vault, opened once for all calls.
private enum DefaultVault {
  // Nobody else has the object, so it is never closed.
  private static let opened = AtomicLazyReference<Vault>()
  /// Made at the first call.
  private static let canary = ForkCanary()

  /// Returns the vault, and opens it if necessary.
  ///
  /// - Throws: ``VaultError/Code/noDefaultVault`` if there is none; ``VaultError/Code/locked`` in a
  ///   forked child, where a missing thread may hold the vault's locks; the errors of opening.
  static func open() throws(VaultError) -> Vault {
    guard !canary.isForkedChild else {
      throw VaultError(.locked, "this process was forked from one that used the keychain")
    }
    if let vault = opened.load() { return vault }
    do throws(VaultError) {
      // Of two threads the first one's object is kept; both have the same file.
      return opened.storeIfNil(try Vault.open())
    } catch {
      guard error.code == .vaultNotFound else { throw error }
      throw VaultError(.noDefaultVault, error.context)
    }
  }
}
