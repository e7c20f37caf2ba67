public import VaultModel
import VaultStorage

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

extension Vault {
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
    let found = try requireFile().verify(backup: copy)
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
    try requireFile().compact()
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
    try requireFile().migrate()
  }
}
