import VaultCrypto
package import VaultModel

/// Replicas of a fleet's vault.
extension FileStore {
  /// Gives the whole vault to an arbiter, which decides about its writes from then on.
  ///
  /// - Throws: As ``VaultFile/publish(to:)``.
  package func publish(to arbiter: any Arbiter) throws(VaultError) {
    try locked { (file) throws(VaultError) in try file.publish(to: arbiter) }
  }

  /// Makes the file one more replica of the vault that an arbiter has, if that continues it.
  ///
  /// - Throws: As ``VaultFile/catchUp(_:after:)``.
  package func join(_ arbiter: any Arbiter) throws(VaultError) {
    try locked { (file) throws(VaultError) in
      let known = try file.generation()
      _ = try file.catchUp(arbiter.rows(after: known), after: known)
      file.arbiter = arbiter
    }
  }

  /// Brings the file up to the arbiter's state.
  ///
  /// - Returns: The generation before and after.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the vault is no fleet's; as
  ///   ``VaultFile/catchUp(_:after:)``.
  package func catchUp() throws(VaultError) -> (before: UInt64, after: UInt64) {
    try locked { (file) throws(VaultError) in
      let before = try file.generation()
      guard try file.requireUnlocked().keys.ident.isArbitrated else {
        throw VaultError(.invalidArgument, "\(path.path) is not a fleet's vault")
      }
      let delta = try file.requireArbiter().rows(after: before)
      _ = try file.catchUp(delta, after: before)
      return (before, try file.generation())
    }
  }
}
