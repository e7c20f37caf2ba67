public import VaultReports
public import CredentialVault
import VaultCrypto
import VaultStore
public import VaultModel

/// The result of opening everything in a vault.
public struct VerificationReport: Sendable {
  /// The number of items that were opened.
  public let itemCount: Int
  /// The number of buckets that were checked.
  public let bucketCount: Int
  /// Everything that was found to be wrong.
  public let problems: [VaultProblem]
  /// Whether no problem was found.
  public var isClean: Bool { problems.isEmpty }
}

extension VaultMaintenance {
  /// Opens every item and secret, and lets SQLite check the file's structure.
  ///
  /// Damage in one part does not end the verification of the others.
  ///
  /// - Parameter backup: A good copy from the same epoch of the vault's key. With it, the report
  ///   names the items of lost buckets.
  /// - Returns: The results, including damage of parts.
  /// - Throws: ``VaultError/Code/damaged`` if not even the head opens, or if the backup is damaged;
  ///   ``VaultError/Code/invalidArgument`` if the backup is not of this vault and epoch;
  ///   ``VaultError/Code/locked``.
  public func verify(backup: String? = nil) throws(VaultError) -> VerificationReport {
    var copy: VaultPath?
    if let backup { copy = try VaultPath(backup) }
    let found = try vault.requireFile().verify(backup: copy)
    return VerificationReport(
      itemCount: found.itemCount, bucketCount: found.bucketCount, problems: found.problems)
  }

  /// Returns the space of removed items to the file system; the vault's content stays as it is.
  ///
  /// This is one journaled transaction, and other writers wait for it. It needs about as much
  /// memory and free disk space as the file is large.
  ///
  /// - Returns: The file's size in bytes before and after.
  /// - Throws: ``VaultError/Code/damaged`` if the file's structure is, and it then stays as it is;
  ///   ``VaultError/Code/readOnly``; ``VaultError/Code/busy`` after the lock timeout;
  ///   ``VaultError/Code/locked``; ``VaultError/Code/inputOutput``.
  @discardableResult
  public func compact() throws(VaultError) -> (before: Int, after: Int) {
    try vault.requireFile().compact()
  }

  /// Upgrades a vault of an older format to the present one, in one transaction; any write does the
  /// same first.
  ///
  /// Programs that know only the older format may refuse the vault afterwards. No backup is made.
  ///
  /// - Returns: The format before and after; the same if there was nothing to do.
  /// - Throws: ``VaultError/Code/readOnly``, ``VaultError/Code/busy``, ``VaultError/Code/locked``,
  ///   ``VaultError/Code/damaged``, ``VaultError/Code/inputOutput``; the vault is then as it was.
  @discardableResult
  public func migrate() throws(VaultError) -> (before: FormatVersion, after: FormatVersion) {
    try vault.requireFile().migrate()
  }

  /// Writes everything of a vault that can still be opened into a new one, which opens with the
  /// same key.
  ///
  /// The vault may be too damaged to be opened. It is only read. Items keep ids, dates and
  /// revisions. An item whose secret is lost is left out; it never gets another secret.
  ///
  /// - Parameters:
  ///   - path: The vault's file; nil takes ``VaultLocation/find()``.
  ///   - target: The new vault, a file that does not exist yet in a folder that does.
  ///   - key: The key that opens the vault, and will open the new one.
  ///   - cost: The Argon2id cost of the new vault's passphrase; nil takes
  ///     ``VaultKeys/calibratedCost()``.
  ///   - acceptingAnotherVault: Whether to accept another vault than the one that this machine has
  ///     seen at the path.
  ///   - progress: Called now and then with the share that is done, 0 to 1.
  /// - Returns: The saved items, those of them that are unverified, and the losses.
  /// - Throws: ``VaultError/Code/damaged`` if ident or slots are lost, and with them the way to the
  ///   key; ``VaultError/Code/authenticationFailed``; ``VaultError/Code/cannotCreate`` if there is
  ///   something at the target; ``VaultError/Code/vaultNotFound``, ``VaultError/Code/notAVault``,
  ///   ``VaultError/Code/unsafePermissions``, ``VaultError/Code/busy``,
  ///   ``VaultError/Code/inputOutput``, ``VaultError/Code/outOfMemory``;
  ///   ``VaultError/Code/anotherVault``.
  public static func salvage(
    path: String? = nil, to target: String, key: KeySource, cost: PassphraseCost? = nil,
    acceptingAnotherVault: Bool = false, progress: @escaping (Double) -> Void = { _ in }
  ) throws(VaultError) -> SalvageReport {
    let (vault, target) = (try VaultPath(Vault.place(path)), try VaultPath(target))
    let report = try key.firstThatOpens { (key) throws(VaultError) in
      let key = try key.read()
      var cost = cost
      if cost == nil, key.kind.hasPassphrase { cost = try .calibrated() }
      return try Salvage.run(
        from: vault, to: target, key: key, cost: cost ?? .policy,
        stateFolder: VaultLocation.stateFolder(), acceptingAnotherVault: acceptingAnotherVault,
        progress: progress)
    }
    guard let report else {
      throw VaultError(.locked, "no key that was found opens \(vault.path)")
    }
    return report
  }
}
