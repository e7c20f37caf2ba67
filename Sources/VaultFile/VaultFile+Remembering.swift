import SealedTree
import VaultCrypto
import VaultModel

/// This machine's records of the vault and of its place.
extension VaultFile {
  /// Compares the opened vault with the records, and updates them.
  ///
  /// - Throws: ``VaultError/Code/rolledBack`` and ``VaultError/Code/forked``.
  func judge(_ unlocked: Unlocked) throws(VaultError) {
    let key = try unlocked.requireRecordKey()
    let ident = unlocked.keys.ident
    try seen.judge(unlocked.head, tag: unlocked.headTag, epoch: ident.epoch, key)
    // Only a program that could open the vault may record that it is here.
    guard !isPlaceConfirmed else { return }
    isPlaceConfirmed = true
    place.confirm(ident.vaultID, key)
  }

  /// Returns the records of this vault that do not verify, in the state folder or put aside there.
  func unverifiedRecords() throws(VaultError) -> [String] {
    let key = try requireUnlocked().requireRecordKey()
    return seen.unverified(key) + place.unverified(ident.vaultID, key)
  }
}
