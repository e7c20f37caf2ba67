import SealedTree
package import VaultCrypto
package import VaultModel

extension FileStore {
  /// Makes a vault without slots: only who is given its key can open it.
  ///
  /// It keeps neither a trash nor a log: what is removed is gone.
  ///
  /// - Parameters:
  ///   - path: Its path, where nothing is yet.
  ///   - id: Its id.
  ///   - time: The source of the first commit's date.
  /// - Returns: The keys.
  /// - Throws: As `FileStore.create`, but for the errors of a key.
  package static func createKeyless(
    _ path: VaultPath, id: VaultID, time: TimeSource = .system
  ) throws(VaultError) -> EpochKeys {
    let chain = MigrationChain.current
    let keys = EpochKeys(VaultKey(), ident: chain.ident(of: id))
    try VaultFile.create(
      path, keys: keys, slots: [], chain: chain, time: time, logDays: 0,
      filling: { (_, head) throws(VaultError) in head.trashDays = 0 })
    return keys
  }
}
