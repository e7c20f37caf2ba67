import Glibc
public import VaultModel

/// Where vaults and what is remembered of them lie, by environment and XDG.
///
/// Source: XDG Base Directory Specification 0.8; relative values are ignored, as it says.
public enum VaultLocation: Sendable {
  /// The path of the vault that is meant when none is named: `$VAULTCTL_VAULT`, else
  /// `$XDG_DATA_HOME/vaultctl/default.vault`, else that below `~/.local/share`.
  ///
  /// - Throws: ``VaultError/Code/configuration`` if neither these variables nor a home folder is set.
  public static func find() throws(VaultError) -> String {
    if let path = Environment.value("VAULTCTL_VAULT") { return path }
    guard let folder = folder("XDG_DATA_HOME", below: ".local/share") else {
      throw VaultError(
        .configuration, "no vault is named: set VAULTCTL_VAULT, XDG_DATA_HOME or HOME")
    }
    return folder + "/default.vault"
  }

  /// The folder that remembers vaults' generations; nil without a home, and then nothing is remembered.
  static func stateFolder() -> String? {
    folder("XDG_STATE_HOME", below: ".local/state")
  }

  private static func folder(_ variable: String, below home: String) -> String? {
    if let base = Environment.value(variable), base.hasPrefix("/") { return base + "/vaultctl" }
    guard let base = Environment.value("HOME"), base.hasPrefix("/") else { return nil }
    return "\(base)/\(home)/vaultctl"
  }
}

/// The process's environment.
enum Environment {
  /// The value of a variable; nil if it is unset or empty.
  static func value(_ name: String) -> String? {
    // getenv's string is copied before anything else touches the environment.
    guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
    return unsafe String(cString: value)
  }
}
