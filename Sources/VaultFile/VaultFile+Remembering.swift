import SealedTree
import VaultCrypto
import VaultModel

/// What this machine remembers of the vault, and of its place.
extension VaultFile {
  /// Compares what was opened with what is remembered, and remembers it.
  ///
  /// - Throws: ``VaultError/Code/rolledBack`` and ``VaultError/Code/forked``.
  func judge(_ unlocked: Unlocked) throws(VaultError) {
    let key = try unlocked.requireRecordKey()
    let ident = unlocked.keys.ident
    try seen.judge(unlocked.head, tag: unlocked.headTag, epoch: ident.epoch, key)
    // Only who could open it says which vault lies here.
    guard !isPlaceConfirmed else { return }
    isPlaceConfirmed = true
    place.confirm(ident.vaultID, key)
  }

  /// The records that speak of this vault here and do not verify, in the state folder or put aside there.
  func unverifiedRecords() throws(VaultError) -> [String] {
    let key = try requireUnlocked().requireRecordKey()
    return seen.unverified(key) + place.unverified(ident.vaultID, key)
  }
}
