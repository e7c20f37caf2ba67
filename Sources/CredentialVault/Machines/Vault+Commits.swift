import VaultFile
package import VaultModel

/// A commit of a fleet's vault: which machine made it, and when.
package struct FleetCommit: Sendable {
  package let generation: UInt64
  /// The time by its machine's clock.
  package let time: Timestamp
  /// The name of the machine that signed it; nil if nobody did.
  package let machine: String?
  /// Eight groups of five digits of the machine's keys; nil if nobody signed.
  package let fingerprint: String?
  /// Whether the machine still belongs to the vault.
  package let isMember: Bool
  /// Whether its signature and its link to the commit before are right.
  package let isValid: Bool

  init(_ commit: CommitInformation) {
    (generation, time) = (commit.generation, commit.time)
    (machine, fingerprint) = (commit.machine, commit.fingerprint)
    (isMember, isValid) = (commit.isMember, commit.isValid)
  }
}

extension Vault {
  /// Returns the kept commits of a fleet's vault, the newest first; none of another vault.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``; as any reading.
  package func commits(limit: Int) throws(VaultError) -> [FleetCommit] {
    try requireUnlocked()
    return try requireFile().commits(limit: limit).map(FleetCommit.init)
  }
}
