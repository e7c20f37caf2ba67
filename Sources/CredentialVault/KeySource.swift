import Glibc
public import SecureMemory

/// Where the key of a vault comes from.
public enum KeySource: Sendable {
  /// A key file, by its path.
  case keyFile(String)
  /// A passphrase that is in guarded memory already.
  case passphrase(Secret)
  /// A file that holds a passphrase; one newline at its end is no part of it.
  case passphraseFile(String)
  /// An open descriptor to read a passphrase from, to its end; it stays open.
  case passphraseDescriptor(Int32)
  /// The text of a recovery code, as it was shown or is typed: any case, blanks and dashes anywhere.
  case recoveryCode(Secret)
  /// A file that holds a recovery code.
  case recoveryFile(String)

  /// The first source that the environment names: `$VAULTCTL_KEY_FILE`, `$VAULTCTL_PASSPHRASE_FILE`,
  /// `vaultctl.key` or `vaultctl.passphrase` in systemd's `$CREDENTIALS_DIRECTORY`, and
  /// `$VAULTCTL_PASSPHRASE`, which is wiped from the environment when it is read.
  ///
  /// - Returns: Nil if there is none.
  public static func find() -> KeySource? {
    if let path = Environment.value("VAULTCTL_KEY_FILE") { return .keyFile(path) }
    if let path = Environment.value("VAULTCTL_PASSPHRASE_FILE") { return .passphraseFile(path) }
    if let folder = Environment.value("CREDENTIALS_DIRECTORY") {
      if KeyFile.isPresent(at: folder + "/vaultctl.key") {
        return .keyFile(folder + "/vaultctl.key")
      }
      if KeyFile.isPresent(at: folder + "/vaultctl.passphrase") {
        return .passphraseFile(folder + "/vaultctl.passphrase")
      }
    }
    return takePassphrase("VAULTCTL_PASSPHRASE").map(KeySource.passphrase)
  }

  private static func takePassphrase(_ name: String) -> Secret? {
    guard let value = unsafe getenv(name) else { return nil }
    // The environment's own bytes are copied, then overwritten, then unset.
    let bytes = unsafe UnsafeMutableRawBufferPointer(start: value, count: strlen(value))
    let passphrase = unsafe Secret(copying: UnsafeRawBufferPointer(bytes).bytes)
    unsafe wipe(bytes)
    unsafe unsetenv(name)
    return passphrase
  }
}
