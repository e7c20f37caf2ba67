package import CredentialVault
import SecureMemory
import Synchronization
package import VaultModel

extension KeychainItems {
  /// The functions over the vaults that `vaultctl` uses, which are opened at the first call.
  package static let standard = KeychainItems(
    vaults: { () throws(VaultError) in try UserVaults.open().vaults },
    defaultVault: { () throws(VaultError) in try userVault() })

  /// Returns the user's vault to which new items go.
  ///
  /// - Throws: ``VaultError/Code/noDefaultVault`` if there is none; the errors of opening.
  package static func userVault() throws(VaultError) -> Vault {
    try UserVaults.open().defaultVault
  }
}

/// The process's own list of the user's vaults, opened once for all calls.
private final class UserVaults: Sendable {
  let list: VaultList

  private init(_ list: VaultList) {
    self.list = list
  }

  // Nobody else has the vaults, so they are never closed.
  private static let opened = AtomicLazyReference<UserVaults>()
  /// Made at the first call.
  private static let canary = ForkCanary()

  /// Returns the vaults, and opens them if necessary.
  ///
  /// - Throws: ``VaultError/Code/noDefaultVault`` if there are none; ``VaultError/Code/locked`` in
  ///   a forked child, where a missing thread may hold the vault's locks; the errors of opening.
  static func open() throws(VaultError) -> VaultList {
    guard !canary.isForkedChild else {
      throw VaultError(.locked, "this process was forked from one that used the keychain")
    }
    if let known = opened.load() { return known.list }
    do throws(VaultError) {
      // Of two threads the first one's objects are kept; both have the same files.
      return opened.storeIfNil(UserVaults(try VaultList.open())).list
    } catch {
      guard error.code == .vaultNotFound else { throw error }
      throw VaultError(.noDefaultVault, error.context)
    }
  }
}
