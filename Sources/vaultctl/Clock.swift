import CredentialVault
import SecureMemory
import VaultModel

/// The clock that decides whether an item is shown as expired.
///
/// It is the vault's, which does not go back when the system's clock is set back, so that every
/// item shown as usable is usable.
enum Clock {
  private static let source = Lock(TimeSource.system)

  static func now() -> Timestamp { source.withLock { $0 }.now() }

  /// Uses this vault's clock from now on; a command opens one vault.
  static func follow(_ vault: Vault) {
    source.withLock { $0 = vault.time }
  }
}
