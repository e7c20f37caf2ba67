import VaultModel
import SecureMemory
import CredentialVault
import Glibc

/// The environment of the process.
enum Environment {
  /// The variable's value; nil if it is absent or empty, which XDG takes as the same.
  static func value(_ name: String) -> String? {
    // The result is a NUL-terminated string that is copied at once; nobody sets variables.
    guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
    return unsafe String(cString: value)
  }
}

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
