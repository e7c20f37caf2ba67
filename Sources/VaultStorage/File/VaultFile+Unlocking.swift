import VaultCrypto
import VaultModel

/// From a key to the keys of the present epoch.
extension VaultFile {
  /// Tries a key on each slot of its kind, and takes what it opens into use.
  ///
  /// - Throws: As ``keys(for:)``, and what ``unlock(with:keyFile:)-(EpochKeys,_)`` throws.
  func unlock(with key: UnlockKey, keyFile: KeyFileReader?) throws(VaultError) {
    try reloadIdent()
    try unlock(with: keys(for: key).keys, keyFile: keyFile)
  }

  /// The epoch's keys, and the slot that gave them.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` if the key opens none; ``VaultError/Code/damaged`` if
  ///   it opens none and a slot is damaged; ``VaultError/Code/outOfMemory``.
  func keys(for key: UnlockKey) throws(VaultError) -> (keys: EpochKeys, slot: Slot) {
    var failure = VaultError(.authenticationFailed, "the vault has no slot for this kind of key")
    for row in try slotRows() {
      do throws(VaultError) {
        let slot = try Slot(decoding: row.body, id: row.id)
        if slot.takes(key) { return (try slot.open(with: key, ident: ident), slot) }
      } catch {
        // Damage says more than "wrong": it is kept, and so is a lack of memory.
        let isWrongKey = error.code == .authenticationFailed
        if !isWrongKey || failure.code == .authenticationFailed { failure = error }
      }
    }
    if failure.code == .authenticationFailed { try checkSlotTable() }
    throw failure
  }
}
