import SealedTree
package import VaultCrypto
package import VaultModel

/// The machines of a sealed file.
extension FileStore {
  /// Makes the first machine, which holds the admin key.
  ///
  /// - Throws: As ``VaultFile/addMachines(_:committer:signer:)``;
  ///   ``VaultError/Code/invalidArgument`` if the vault has machines already.
  package func addFirstMachine(
    _ machine: MachineKey, name: String, signer: AdminSecret
  ) throws(VaultError) -> Slot {
    try locked { (file) throws(VaultError) in
      let new = NewMachine(machine.publicKey, name: name, isAdmin: true)
      let added = try file.addMachines([new]) { _ in
        CommitSigner(machine, name: name)
      } signer: { _ in
        signer
      }
      return added[0]
    }
  }

  /// Adds a machine by its public keys.
  ///
  /// - Throws: As ``VaultFile/addMachines(_:committer:signer:)``.
  package func admit(
    _ publicKey: MachinePublicKey, name: String, isAdmin: Bool, with key: UnlockKey
  ) throws(VaultError) -> Slot {
    try admit([NewMachine(publicKey, name: name, isAdmin: isAdmin)], with: key)[0]
  }

  /// Adds machines by their public keys, all of them or none.
  ///
  /// - Returns: Their slots, in the same order.
  /// - Throws: As ``VaultFile/addMachines(_:committer:signer:)``.
  package func admit(
    _ machines: [NewMachine], with key: UnlockKey
  ) throws(VaultError) -> [Slot] {
    guard !machines.isEmpty else { return [] }
    return try locked { (file) throws(VaultError) in
      try file.addMachines(machines) { (rows) throws(VaultError) in
        try VaultFile.commitSigner(key, among: rows)
      } signer: { (rows) throws(VaultError) in
        try VaultFile.signer(key, among: rows)
      }
    }
  }

  /// Returns the admin key that signed the vault's machines; nil if it has none.
  ///
  /// - Throws: ``VaultError/Code/locked``; as ``VaultFile/read(_:)``.
  package func adminKey() throws(VaultError) -> AdminKey? {
    try locked { (file) throws(VaultError) in
      try file.read { (_) throws(VaultError) in try file.requireUnlocked().head.roster?.admin }
    }
  }
}
