import VaultCrypto
import VaultFile
public import VaultModel
import VaultRecovery

/// What opening everything in a vault showed.
public struct VerificationReport: Sendable {
  /// The number of items that were opened.
  public let itemCount: Int
  /// The number of buckets that were looked at.
  public let bucketCount: Int
  /// Each thing that is not as it should be.
  public let problems: [VaultProblem]
  /// Whether everything is as it should be.
  public var isClean: Bool { problems.isEmpty }
}

extension VaultMaintenance {
  /// Opens every item and secret, and lets SQLite check the file's structure.
  ///
  /// What is damaged does not keep the rest from being looked at.
  ///
  /// - Parameter backup: A good copy from the same epoch of the vault's key: it names the items that lay in
  ///   buckets that are lost.
  /// - Returns: What was found; damage of parts is in the report.
  /// - Throws: ``VaultError/Code/damaged`` if not even the head opens, or if the backup is damaged;
  ///   ``VaultError/Code/invalidArgument`` if that is none of this vault and epoch; ``VaultError/Code/locked``.
  public func verify(backup: String? = nil) throws(VaultError) -> VerificationReport {
    var copy: VaultPath?
    if let backup { copy = try VaultPath(backup) }
    let found = try vault.requireFile().verify(backup: copy)
    return VerificationReport(
      itemCount: found.itemCount, bucketCount: found.bucketCount, problems: found.problems)
  }

  /// Gives back the space that removed items took, without changing anything that is in the vault.
  ///
  /// One journaled transaction that others wait for; it needs about as much memory and free disk space as
  /// the file is large.
  ///
  /// - Returns: The file's size in bytes before and after.
  /// - Throws: ``VaultError/Code/damaged`` if the file's structure is, and it then stays as it is;
  ///   ``VaultError/Code/readOnly``; ``VaultError/Code/busy`` after the lock timeout;
  ///   ``VaultError/Code/locked``; ``VaultError/Code/inputOutput``.
  @discardableResult
  public func compact() throws(VaultError) -> (before: Int, after: Int) {
    try vault.requireFile().compact()
  }

  /// Brings a vault of an older format to the present one, in one transaction; any write does the same first.
  ///
  /// Programs that know only the older format may refuse it then. No backup is made.
  ///
  /// - Returns: The format before and after; the same if there was nothing to do.
  /// - Throws: ``VaultError/Code/readOnly``, ``VaultError/Code/busy``, ``VaultError/Code/locked``,
  ///   ``VaultError/Code/damaged``, ``VaultError/Code/inputOutput``; the vault is then as it was.
  @discardableResult
  public func migrate() throws(VaultError) -> (before: FormatVersion, after: FormatVersion) {
    try vault.requireFile().migrate()
  }

  /// Writes what can still be opened of a vault into a new one, which opens with the same key.
  ///
  /// The vault may be too damaged to be opened; it is only read, and must not be open in this process. Items
  /// keep ids, dates and revisions. An item whose secret is lost is left out, never given another.
  ///
  /// - Parameters:
  ///   - path: The vault's file; nil takes ``VaultLocation/find()``.
  ///   - target: The new vault, where nothing lies yet; its folder exists.
  ///   - key: Opens the vault, and will open the new one.
  ///   - cost: What trying the new vault's passphrase costs; nil takes ``VaultKeys/calibratedCost()``.
  ///   - acceptsAnother: Whether another vault is meant than the one that this machine has seen at the path.
  /// - Returns: What was saved, what of it is unverified, and what is lost.
  /// - Throws: ``VaultError/Code/damaged`` if ident or slots are lost, and with them the way to the key;
  ///   ``VaultError/Code/authenticationFailed``; ``VaultError/Code/cannotCreate`` if there is something at
  ///   the target; ``VaultError/Code/vaultNotFound``, ``VaultError/Code/notAVault``,
  ///   ``VaultError/Code/unsafePermissions``, ``VaultError/Code/busy``, ``VaultError/Code/inputOutput``,
  ///   ``VaultError/Code/outOfMemory``; ``VaultError/Code/anotherVault``;
  ///   ``VaultError/Code/invalidArgument`` if the vault is open here.
  public static func salvage(
    path: String? = nil, to target: String, key: KeySource, cost: PassphraseCost? = nil,
    acceptsAnother: Bool = false
  ) throws(VaultError) -> SalvageReport {
    let key = try key.read()
    var cost = cost
    if cost == nil, key.kind.hasPassphrase { cost = try .calibrated() }
    return try Salvage.run(
      from: VaultPath(Vault.place(path)), to: VaultPath(target), key: key, cost: cost ?? .policy,
      stateFolder: VaultLocation.stateFolder(), acceptsAnother: acceptsAnother)
  }
}
