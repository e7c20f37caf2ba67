import Glibc
import SecureMemory
import VaultFile
public import VaultModel

/// The paths of vaults and of the state kept about them, by environment and XDG.
///
/// Source: XDG Base Directory Specification 0.8; relative values are ignored, as it says.
public enum VaultLocation: Sendable {
  /// Returns the path of the default vault: `$VAULTCTL_VAULT`, else that of the user's
  /// configuration, else `$XDG_DATA_HOME/vaultctl/default.vault`, else that below `~/.local/share`.
  ///
  /// - Throws: ``VaultError/Code/configuration`` if neither these variables nor a home folder is
  ///   set, or the configuration is wrong; ``VaultError/Code/unsafePermissions`` if others could
  ///   have written it.
  public static func find() throws(VaultError) -> String {
    if let path = Environment.value("VAULTCTL_VAULT") { return path }
    return try vault(at: nil).path
  }

  /// Returns the path at which the default vault is if nothing says otherwise.
  static func standardPath() throws(VaultError) -> String {
    guard let folder = folder("XDG_DATA_HOME", below: ".local/share") else {
      throw VaultError(
        .configuration, "no vault is named: set VAULTCTL_VAULT, XDG_DATA_HOME or HOME")
    }
    return folder + "/default.vault"
  }

  /// Accepts a folder as safe although others can write it, for as long as the process runs.
  ///
  /// A vault or key file is refused below a folder that everybody can write without the sticky bit,
  /// and a vault in one that a group can write. The folders in `$VAULTCTL_TRUSTED_FOLDERS`,
  /// separated by colons, are trusted from the start.
  ///
  /// - Parameter folder: This folder alone, and none above or below it.
  public static func trust(_ folder: String) {
    TrustedFolders.add(folder)
  }

  /// Returns the folder with the rollback records of vaults; nil without a home, and then nothing
  /// is recorded.
  static func stateFolder() -> String? {
    folder("XDG_STATE_HOME", below: ".local/state")
  }

  /// Returns this project's folder in a folder of the user's, by XDG; nil without a home.
  static func folder(_ variable: String, below home: String) -> String? {
    if let base = Environment.value(variable), base.hasPrefix("/") { return base + "/vaultctl" }
    guard let base = Environment.value("HOME"), base.hasPrefix("/") else { return nil }
    return "\(base)/\(home)/vaultctl"
  }
}

extension VaultLocation {
  /// Calls the synchronous ``find()`` without blocking the calling thread.
  public static func find() async throws(VaultError) -> String {
    try await VaultThread().run { () throws(VaultError) in try find() }
  }
}

/// The process's environment.
package enum Environment {
  /// Returns the value of a variable; nil if it is unset or empty.
  package static func value(_ name: String) -> String? {
    // getenv's string is copied before anything else touches the environment.
    guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
    return unsafe String(cString: value)
  }

  /// Returns whether a variable is set, even if it is empty.
  static func isSet(_ name: String) -> Bool { unsafe getenv(name) != nil }

  /// Removes a secret from the environment and returns it; nil if there is no such variable.
  static func take(_ name: String) -> Secret? {
    guard let value = unsafe getenv(name) else { return nil }
    // The environment's own bytes are copied, then overwritten, then unset.
    let bytes = unsafe UnsafeMutableRawBufferPointer(start: value, count: strlen(value))
    let secret = unsafe Secret(copying: UnsafeRawBufferPointer(bytes).bytes)
    unsafe wipe(bytes)
    unsafe unsetenv(name)
    return secret
  }
}
