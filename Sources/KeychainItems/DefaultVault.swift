import CredentialVault
import SecureMemory
import VaultModel

extension KeychainItems {
  /// The functions over the vault that `vaultctl` uses, which is opened at the first call.
  package static let standard = KeychainItems { () throws(VaultError) in
    [try DefaultVault.open()]
  }
}

/// The process's own default vault.
///
/// It is opened once for all calls, and again after it was closed or the process was forked.
private enum DefaultVault {
  private struct Opened {
    let vault: Vault
    let canary: ForkCanary
  }

  private static let opened = Lock<Opened?>(nil)
  private static let canary = ForkCanary()

  static func open() throws(VaultError) -> Vault {
    guard canary.isForkedChild else {
      return try opened.withLock { (opened) throws(VaultError) in try current(&opened) }
    }
    // Another thread of the parent may have held the lock, and is not there to release it.
    let vault = try opened.withLockIfFree { (opened) throws(VaultError) in try current(&opened) }
    guard let vault else {
      throw VaultError(.locked, "this process was forked while the vault was opened")
    }
    return vault
  }

  private static func current(_ opened: inout Opened?) throws(VaultError) -> Vault {
    if let opened, !opened.canary.isForkedChild, try opened.vault.state != .closed {
      return opened.vault
    }
    do throws(VaultError) {
      let new = Opened(vault: try Vault.open(), canary: ForkCanary())
      opened = new
      return new.vault
    } catch {
      guard error.code == .vaultNotFound else { throw error }
      throw VaultError(.noDefaultVault, error.context)
    }
  }
}
