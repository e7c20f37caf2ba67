import SealedTree
import VaultCrypto
import VaultFile
import VaultModel

/// Comparison of two files of one vault, by their heads.
extension CopyRelation {
  init(
    of copy: VaultFile, to target: String, lockTimeout: Duration
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
        self = vault.ident.epoch > copy.ident.epoch ? .olderEpoch : .newerEpoch
        return
      }
      try vault.unlock(with: own.keys)
      self = Self.compare(own, with: try vault.requireUnlocked())
    } catch {
      switch error.code {
      case .vaultNotFound: self = .noVault
      case .damaged, .notAVault, .tooNew, .readOnly: self = .unknown
      default: throw error
      }
    }
  }

  private static func compare(_ copy: VaultFile.Unlocked, with vault: VaultFile.Unlocked) -> Self {
    guard copy.head.generation <= vault.head.generation else {
      return verdict(on: copy, after: vault) ?? .newer(copy.head.generation - vault.head.generation)
    }
    if copy.headTag == vault.headTag { return .same }
    return verdict(on: vault, after: copy) ?? .older(vault.head.generation - copy.head.generation)
  }

  /// Returns ``forked`` if the newer one is known not to continue the older one.
  private static func verdict(
    on newer: VaultFile.Unlocked, after older: VaultFile.Unlocked
  ) -> Self? {
    let epoch = newer.keys.ident.epoch
    let seen = RollbackRecord.Memory(
      epoch: epoch, generation: older.head.generation, head: older.headTag)
    let verdict = RollbackRecord.verdict(
      on: newer.head, tag: newer.headTag, epoch: epoch, seen: seen)
    return verdict == nil ? nil : .forked
  }
}
