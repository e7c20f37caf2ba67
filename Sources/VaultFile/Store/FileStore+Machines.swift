import SealedTree
package import VaultCrypto
package import VaultModel

/// The machines of a sealed file.
extension FileStore {
  /// Makes the first machine, which holds the admin key.
  ///
  /// - Throws: As ``VaultFile/addMachine(_:name:isAdmin:committer:signer:)``;
  ///   ``VaultError/Code/invalidArgument`` if the vault has machines already.
  package func addFirstMachine(
    _ machine: MachineKey, name: String, signer: AdminSecret
  ) throws(VaultError) -> Slot {
    try locked { (file) throws(VaultError) in
      try file.addMachine(machine.publicKey, name: name, isAdmin: true) { _ in
        CommitSigner(machine, name: name)
      } signer: { _ in
        signer
      }
    }
  }

  /// Adds a machine by its public keys.
  ///
  /// - Throws: As ``VaultFile/addMachine(_:name:isAdmin:committer:signer:)``.
  package func admit(
    _ publicKey: MachinePublicKey, name: String, isAdmin: Bool, with key: UnlockKey
  ) throws(VaultError) -> Slot {
    try locked { (file) throws(VaultError) in
      try file.addMachine(publicKey, name: name, isAdmin: isAdmin) { (rows) throws(VaultError) in
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
