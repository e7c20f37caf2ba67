import Glibc
import SecureMemory
import VaultStore
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

  /// Returns the folder of what this machine keeps about vaults, such as their rollback records:
  /// `$XDG_STATE_HOME/vaultctl`, else below `~/.local/state`; nil without a home, and then nothing
  /// is recorded.
  public static func stateFolder() -> String? {
    folder("XDG_STATE_HOME", below: ".local/state")
  }

  /// Returns this project's folder in a folder of the user's, by XDG; nil without a home.
  static func folder(_ variable: String, below home: String) -> String? {
    if let base = Environment.value(variable), base.hasPrefix("/") { return base + "/vaultctl" }
    guard let base = Environment.value("HOME"), base.hasPrefix("/") else { return nil }
    return "\(base)/\(home)/vaultctl"
  }
}

/// The process's environment.
package enum Environment {
  /// Held by each use: removing a variable moves those after it, which a search could then miss.
  ///
  /// No state is needed; but one of no size has the lock's own address, and ThreadSanitizer reports
  /// a race.
  private static let uses = Lock(0)
  private static let canary = ForkCanary()

  private static func use<R>(_ body: () -> R) -> R {
    // The parent's thread that held the lock does not exist in a forked child.
    guard !canary.isForkedChild else { return body() }
    return uses.withLock { _ in body() }
  }

  /// Returns the value of a variable; nil if it is unset or empty.
  package static func value(_ name: String) -> String? {
    use {
      // getenv's string is copied before anything else touches the environment.
      guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
      return unsafe String(cString: value)
    }
  }

  /// Returns whether a variable is set, even if it is empty.
  static func isSet(_ name: String) -> Bool { use { unsafe getenv(name) != nil } }

  /// Removes a secret from the environment and returns it; nil if there is no such variable.
  static func take(_ name: String) -> Secret? {
    use {
      guard let value = unsafe getenv(name) else { return nil }
      // The environment's own bytes are copied, then overwritten, then unset.
      let bytes = unsafe UnsafeMutableRawBufferPointer(start: value, count: strlen(value))
      let secret = unsafe Secret(copying: UnsafeRawBufferPointer(bytes).bytes)
      unsafe wipe(bytes)
      unsafe unsetenv(name)
      return secret
    }
  }
}

extension VaultLocation {
  /// Returns the vault at a path as the user's configuration lists it, or the default vault.
  ///
  /// - Parameter path: The path that was named; nil takes `$VAULTCTL_VAULT`, else the default of
  ///   the configuration, else the default place.
  /// - Returns: The vault; one that no list has may be written.
  /// - Throws: As ``find()``.
  package static func vault(at path: String?) throws(VaultError) -> ListedVault {
    let configuration = try VaultConfiguration.read()
    if let path = path ?? Environment.value("VAULTCTL_VAULT") {
      return ListedVault(at: path, in: configuration)
    }
    if let vault = configuration?.defaultVault { return vault }
    return ListedVault(try standardPath())
  }

  /// Returns the vaults that lookups ask, in order: those at the named paths, else the one of
  /// `$VAULTCTL_VAULT`, else the list of the configuration, else the default vault.
  ///
  /// - Returns: One or more, and the path of the default one, if the configuration names it.
  /// - Throws: As ``find()``; ``VaultError/Code/invalidArgument`` for a vault that is named twice.
  package static func list(
    _ paths: [String] = []
  ) throws(VaultError) -> (vaults: [ListedVault], named: String?) {
    let configuration = try VaultConfiguration.read()
    var vaults = paths.map { ListedVault(at: $0, in: configuration) }
    if vaults.isEmpty, Environment.value("VAULTCTL_VAULT") == nil {
      vaults = configuration?.entries ?? []
    }
    if vaults.isEmpty { vaults = [try vault(at: nil)] }
    return (vaults, configuration?.namedDefault)
  }

  /// Returns the folder that a file is in, whatever links lead to it.
  ///
  /// - Throws: ``VaultError/Code/vaultNotFound`` if the folder does not exist;
  ///   ``VaultError/Code/invalidArgument`` for a path that names no file.
  package static func folder(of path: String) throws(VaultError) -> String {
    try VaultPath(path).folder
  }

  /// Returns the path of a vault as a line of the configuration has it.
  ///
  /// - Throws: ``VaultError/Code/vaultNotFound`` for a relative path if its folder does not exist;
  ///   ``VaultError/Code/invalidArgument`` for one that names no file.
  package static func absolute(_ path: String) throws(VaultError) -> String {
    path.hasPrefix("/") ? path : try VaultPath(path).path
  }
}

extension ListedVault {
  /// Creates the vault at a path as a configuration lists it; one that it does not list may be
  /// written.
  fileprivate init(at path: String, in configuration: VaultConfiguration?) {
    let named = ListedVault(path)
    self = configuration?.entries.first { $0.isSameFile(as: named) } ?? named
  }

  /// Returns whether two paths lead to one place, whatever links are on the way.
  private func isSameFile(as other: ListedVault) -> Bool {
    if path == other.path { return true }
    do throws(VaultError) {
      return try VaultPath(path) == VaultPath(other.path)
    } catch {
      // Where there is no folder there is no vault either, as opening it reports.
      return false
    }
  }
}

extension VaultLocation {
  /// Returns the path of the file in which the program that orders a replica's writes keeps where
  /// it asks; its time is that of the last answer.
  public static func replicaFile(besides vault: String) -> String {
    ReplicaFile.path(besides: vault)
  }

  /// Notes that a replica has all that its server had at a time, which becomes the file's.
  package static func noteContact(besides vault: String, at time: Timestamp) {
    do throws(VaultError) {
      try SmallFile.setTime(of: replicaFile(besides: vault), to: time)
    } catch {
      // The replica looks older than it is.
    }
  }
}
