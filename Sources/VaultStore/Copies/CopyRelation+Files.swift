import SealedTree
import VaultCrypto
import VaultModel
import VaultReports

/// Comparison of two files of one vault, by their heads.
extension CopyRelation {
  /// - Parameters:
  ///   - copy: The copy, unlocked.
  ///   - target: The vault's path.
  ///   - lockTimeout: How long to wait for other processes' locks.
  ///   - file: Becomes the vault if it is one that the copy was made of, unlocked if it is of the
  ///     copy's epoch.
  /// - Throws: Any error of opening the vault that does not say how it differs.
  init(
    of copy: VaultFile, to target: String, lockTimeout: Duration, vault file: inout VaultFile?
  ) throws(VaultError) {
    let own = try copy.requireUnlocked()
    do throws(VaultError) {
      let path = try VaultPath(target)
      guard try Posix.information(path.path) != nil else {
        self = .noVault
        return
      }
      let vault = try VaultFile(
        path: path, stateFolder: nil, lockTimeout: lockTimeout, role: .backup)
      guard vault.ident.vaultID == copy.ident.vaultID else {
        self = .anotherVault
        return
      }
      guard vault.ident.epoch == copy.ident.epoch else {
        file = vault
        self = vault.ident.epoch > copy.ident.epoch ? .olderEpoch : .newerEpoch
        return
      }
      try vault.unlock(with: own.keys)
      file = vault
      self = try Self.compare(copy, with: vault)
    } catch {
      switch error.code {
      case .vaultNotFound: self = .noVault
      case .damaged, .notAVault, .tooNew, .readOnly: self = .unknown
      default: throw error
      }
    }
  }

  private static func compare(
    _ copy: VaultFile, with vault: VaultFile
  ) throws(VaultError) -> Self {
    let (own, other) = (try copy.requireUnlocked(), try vault.requireUnlocked())
    let (mine, theirs) = (own.head.generation, other.head.generation)
    if own.headTag == other.headTag { return .same }
    return mine > theirs
      ? try isForked(copy, after: other) ? .forked : .newer(mine - theirs)
      : try isForked(vault, after: own) ? .forked : .older(theirs - mine)
  }

  /// Returns whether a file is known not to continue the older one.
  private static func isForked(
    _ newer: VaultFile, after older: VaultFile.Unlocked
  ) throws(VaultError) -> Bool {
    try newer.verdict(
      after: RollbackRecord.Memory(
        epoch: older.keys.ident.epoch, generation: older.head.generation, head: older.headTag))
      != nil
  }
}
