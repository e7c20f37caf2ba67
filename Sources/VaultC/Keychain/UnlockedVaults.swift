import CredentialVault
import SecureMemory
import VaultModel

/// The vaults that the program has unlocked by a password.
///
/// As with Apple's keychains, they stay so after the last reference is released, until they are
/// locked: programs open a keychain by its path for each call.
enum UnlockedVaults {
  private static let vaults = Lock<[Vault]>([])

  static func keep(_ vault: Vault) {
    guard let path = vault.path else { return }
    vaults.withLock { vaults in
      vaults.removeAll { $0.path == path }
      vaults.append(vault)
    }
  }

  static func forget(_ vault: Vault) {
    vaults.withLock { $0.removeAll { $0 === vault || ($0.path != nil && $0.path == vault.path) } }
  }

  static func forgetAll() { vaults.withLock { $0 = [] } }

  /// Returns the vault of the same file that is unlocked; nil if there is none.
  static func same(as vault: Vault) throws(VaultError) -> Vault? {
    let known = vaults.withLock { vaults in vaults.first { $0.path == vault.path } }
    guard let known, try known.state() == .unlocked else { return nil }
    return known
  }
}
