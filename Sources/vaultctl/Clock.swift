import CredentialVault
import SecureMemory
import VaultModel

/// The time that expiry is shown by: the vault's, which no clock that was set back makes earlier, so that what is shown as
/// usable is.
enum Clock {
  private static let source = Lock(TimeSource.system)

  static func now() -> Timestamp { source.withLock { $0 }.now() }

  /// Goes by a vault from now on; a command opens one.
  static func follow(_ vault: Vault) {
    source.withLock { $0 = vault.time }
  }
}
