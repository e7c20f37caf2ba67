import VaultModel
import SecureMemory
import CredentialVault
import Glibc

/// The environment of the process.
enum Environment {
  /// Returns the variable's value; nil if it is absent or empty, which XDG takes as the same.
  static func value(_ name: String) -> String? {
    // The result is a NUL-terminated string that is copied at once; nobody sets variables.
    guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
    return unsafe String(cString: value)
  }
}

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
