import VaultFile
package import VaultModel

extension Vault {
  /// Returns the kept commits of a fleet's vault, the newest first; none of another vault.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``; as any reading.
  package func commits(limit: Int) throws(VaultError) -> [FleetCommit] {
    try requireUnlocked()
    return try requireFile().commits(limit: limit)
  }
}
