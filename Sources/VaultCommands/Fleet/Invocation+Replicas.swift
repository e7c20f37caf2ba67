public import CredentialVault
import VaultAdministration
public import VaultModel
import VaultStore

/// Vaults that are replicas: a file beside each says where its fleet's server is.
///
/// Without that file, a write fails later, and changes nothing.
extension Invocation {
  /// Gets what other machines wrote to a vault, if the options want that and it is a replica.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if its server cannot be reached.
  func refresh(_ vault: Vault) throws(VaultError) {
    guard let path = vault.path, try isTooOld(path) else { return }
    try sync(vault)
  }

  /// Gets what other machines wrote to a vault, if it is a replica.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if that cannot be reached.
  func sync(_ vault: Vault) throws(VaultError) {
    guard let path = vault.path, Self.contact(path) != nil else { return }
    try vault.maintenance.sync()
  }

  /// Returns whether a vault is a replica that has not been compared with its server for too long.
  private func isTooOld(_ path: String) throws(VaultError) -> Bool {
    let (limit, isFresh) = (
      try arguments.parsed(.maxAge, as: Values.lifetime), arguments.has(.fresh)
    )
    // Without these options, a lookup asks nothing about a fleet.
    guard isFresh || limit != nil, let contact = Self.contact(path) else { return false }
    guard !isFresh, let limit else { return true }
    let age = Timestamp.now().milliseconds - contact.milliseconds
    // A time in the future says nothing.
    return age < 0 || .milliseconds(age) > limit
  }

  /// Returns the time at which a replica had all that its server had, 1970 if it never was
  /// compared; nil for another vault.
  private static func contact(_ path: String) -> Timestamp? {
    SmallFile.time(of: VaultLocation.replicaFile(besides: path))
  }

  /// Returns the vaults of the user's list.
  ///
  /// - Throws: ``VaultError/Code/configuration`` for a configuration that cannot be read.
  public static func listed() throws(VaultError) -> [ListedVault] {
    try VaultLocation.list().vaults
  }

  /// Returns the vault that is named, else the replicas of the user's list, else the default vault.
  ///
  /// - Throws: As ``listed()``; ``VaultError/Code/configuration`` without a home.
  public func replicas() throws(VaultError) -> [ListedVault] {
    if vaultPath == nil {
      let replicas = try Self.listed().filter { ReplicaHint.isReplica($0.path) }
      if !replicas.isEmpty { return replicas }
    }
    return [try VaultLocation.vault(at: vaultPath)]
  }

  /// Adds vaults to the user's list, as `search-list add` does, unless they are in it.
  ///
  /// - Throws: ``VaultError/Code/configuration`` for a configuration that cannot be read;
  ///   ``VaultError/Code/cannotCreate``.
  public func addToSearchList(_ paths: [String]) throws(VaultError) {
    guard !paths.isEmpty else { return }
    try VaultConfiguration.change { (list) throws(VaultError) in
      let standard = try SearchListCommand.present()
      let old = list.entries.isEmpty && standard.isThere ? [standard] : list.entries
      let new = try paths.map(VaultLocation.absolute).filter { path in
        !old.contains { $0.path == path }
      }
      try list.setEntries(old + new.map { ListedVault($0) })
    }
  }

  /// Returns the time at which vaults had all that their servers had: of several replicas, that of
  /// the oldest; nil if none of them is one.
  ///
  /// Asked before the answer is looked for, the answer is at least as new.
  func lastSync(of vaults: [Vault]) -> Timestamp? {
    vaults.compactMap { $0.path.flatMap(Self.contact) }.min()
  }

  /// Returns that time for a document, which has it; nil for other output.
  func lastSyncForDocument(of list: VaultList) -> Timestamp? {
    isJSON ? lastSync(of: list.vaults) : nil
  }
}

extension OptionGroup {
  /// The options that limit the age of a replica that answers.
  static let freshness = OptionGroup(
    heading: "Of a replica of a fleet's vault",
    options: [
      Option(.fresh, nil, .none, "ask the server first, and fail if it cannot be reached"),
      Option(
        .maxAge, nil, .text("TIME"), "ask the server first if that was longer ago, as 10m or 1d"),
    ])
}
