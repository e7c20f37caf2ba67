import VaultFile
package import VaultModel

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
