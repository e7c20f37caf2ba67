public import VaultModel

extension VaultList {
  /// Opens several vaults, of which the first that has a match answers.
  ///
  /// - Parameters:
  ///   - vaults: The vaults in order, none twice; nil takes the user's list: the vault that
  ///     `$VAULTCTL_VAULT` names, else the list of the configuration, else the default vault.
  ///   - key: The key to unlock each of them with; nil takes ``KeySource/find()``, else what
  ///     `vaultctl unlock` left in the kernel. Without any key that opens it, a vault is open but
  ///     locked.
  ///   - lockTimeout: How long to wait for other processes' locks.
  ///   - withSharedSession: Whether each vault's session is shared, as for
  ///     ``Vault/open(path:key:lockTimeout:minimumCost:acceptingAnotherVault:withSharedSession:)``.
  /// - Returns: The vaults, unlocked if there was a key.
  /// - Throws: As
  ///   ``Vault/open(path:key:lockTimeout:minimumCost:acceptingAnotherVault:withSharedSession:)``,
  ///   for the first vault that cannot be opened or unlocked, with its path;
  ///   ``VaultError/Code/invalidArgument`` for an empty list, or a vault that is in it twice.
  public static func open(
    _ vaults: [ListedVault]? = nil, key: KeySource? = nil, lockTimeout: Duration = .seconds(10),
    withSharedSession: Bool = false
  ) throws(VaultError) -> VaultList {
    var (listed, named) = (vaults ?? [], String?.none)
    if vaults == nil { (listed, named) = try VaultLocation.list() }
    let isNamed = key != nil
    // A descriptor or variable can be read only once.
    let key = try key.orFound()?.loaded()
    return try VaultList(listed, default: named) { (entry) throws(VaultError) in
      let vault = try Vault.openLocked(
        entry, lockTimeout: lockTimeout, withSharedSession: withSharedSession)
      if isNamed, let key {
        try vault.unlock(with: key)
      } else {
        _ = try vault.opensUnasked(with: key)
      }
      return vault
    }
  }

  /// Opens several vaults that may be written, by their paths.
  public static func open(
    _ paths: [String], key: KeySource? = nil, lockTimeout: Duration = .seconds(10),
    withSharedSession: Bool = false
  ) throws(VaultError) -> VaultList {
    try open(
      paths.map { ListedVault($0) }, key: key, lockTimeout: lockTimeout,
      withSharedSession: withSharedSession)
  }
}

extension VaultList {
  /// Opens the vaults of a list.
  ///
  /// - Parameters:
  ///   - entries: The vaults in order, none twice.
  ///   - path: The path of the default vault as an entry has it; nil takes the first that may be
  ///     written.
  ///   - open: Opens one of them.
  /// - Throws: As ``open(_:key:lockTimeout:withSharedSession:)``.
  package init(
    _ entries: [ListedVault], default path: String?,
    opening open: (ListedVault) throws(VaultError) -> Vault
  ) throws(VaultError) {
    guard !entries.isEmpty else { throw VaultError(.invalidArgument, "the list has no vault") }
    var vaults: [Vault] = []
    for entry in entries {
      do throws(VaultError) {
        vaults.append(try open(entry))
      } catch {
        throw entries.count > 1 ? error.named(entry.path) : error
      }
      guard !vaults.dropLast().contains(where: { $0.path == vaults.last?.path }) else {
        throw VaultError(.invalidArgument, "\(entry.path) is in the list twice")
      }
    }
    let named = zip(entries, vaults).first { $0.0.path == path }?.1
    self.init(vaults, default: named)
  }
}

extension Vault {
  /// Requires a vault that is not only read.
  ///
  /// - Throws: ``VaultError/Code/readOnly``, which names it.
  package func requireWritable() throws(VaultError) {
    guard isOnlyRead, let path else { return }
    throw .onlyRead(path)
  }
}
