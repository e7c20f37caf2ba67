import SealedTree
import VaultCrypto
package import VaultModel

/// The commits of a fleet's vault.
extension FileStore {
  /// Returns the vault's kept commits.
  ///
  /// - Parameter limit: The highest number to return.
  /// - Returns: The commits, the newest first; none of a vault of one machine alone.
  /// - Throws: ``VaultError/Code/damaged`` if a commit's row is lost; ``VaultError/Code/locked``;
  ///   as ``VaultFile/read(_:)``.
  package func commits(limit: Int = .max) throws(VaultError) -> [FleetCommit] {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        let now = try file.requireUnlocked()
        guard now.head.commit != nil, limit > 0 else { return [] }
        // One more, to which the last one is linked.
        let older = try reader.commits(before: now.head, limit: limit)
        let commits = [PastCommit(of: now.head)] + older
        let machines = try VaultFile.names(ofMachinesOf: commits, among: file.slotRows())
        let vault = now.keys.ident.vaultID
        return commits.indices.prefix(limit).map { index in
          let commit = commits[index]
          let isLinked =
            index + 1 == commits.count || commits[index + 1].hash(of: vault) == commit.commit.link
          return FleetCommit(commit, of: vault, isLinked: isLinked, machines)
        }
      }
    }
  }

  /// Returns the generation of the vault's head, and a hash of it and of all commits before: two
  /// replicas that have the same one have the same history.
  ///
  /// - Returns: The generation, and 32 bytes.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the vault is no fleet's; as
  ///   ``commits(limit:)``.
  package func headHash() throws(VaultError) -> (generation: UInt64, hash: [UInt8]) {
    try locked { (file) throws(VaultError) in
      try file.read { (_) throws(VaultError) in
        let now = try file.requireUnlocked()
        guard now.head.commit != nil else {
          throw VaultError(.invalidArgument, "\(path.path) is not a fleet's vault")
        }
        let hash = PastCommit(of: now.head).hash(of: now.keys.ident.vaultID)
        return (now.head.generation, hash)
      }
    }
  }
}

extension FleetCommit {
  fileprivate init(
    _ commit: PastCommit, of vault: VaultID, isLinked: Bool, _ machines: [MachinePublicKey: String]
  ) {
    let machine = commit.commit.machine
    let member = machine.flatMap { machines[$0] }
    let name = member ?? commit.commit.name
    self.init(
      generation: commit.generation, time: commit.time, machine: machine.map { _ in name },
      fingerprint: machine.map { MachineText.fingerprint(of: $0, name: name) },
      isMember: member != nil,
      isValid: isLinked && (machine == nil || commit.isSigned(of: vault)))
  }
}
