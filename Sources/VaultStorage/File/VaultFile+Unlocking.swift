import VaultCrypto
import VaultModel

/// From a key to the keys of the present epoch.
extension VaultFile {
  /// Tries a key on each slot of its kind, and takes what it opens into use.
  ///
  /// - Parameters:
  ///   - key: What a person or a file offers; it is not kept.
  ///   - id: The one slot that it is tried on; nil tries all.
  ///   - keyFile: Reads the key again after a rotation by another process.
  /// - Returns: The slot that it opened.
  /// - Throws: As ``keys(for:id:)``, and what ``unlock(with:keyFile:)`` throws.
  @discardableResult
  func unlock(
    with key: UnlockKey, id: UInt32? = nil, keyFile: KeyFileReader? = nil
  ) throws(VaultError) -> Slot {
    try reloadIdent()
    let opened = try keys(for: key, id: id)
    try unlock(with: opened.keys, keyFile: keyFile)
    return opened.slot
  }

  /// The epoch's keys, and the slot that gave them.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` if the key opens none; ``VaultError/Code/damaged`` if
  ///   it opens none and a slot is damaged; ``VaultError/Code/outOfMemory``;
  ///   ``VaultError/Code/itemNotFound`` if no slot has the id.
  func keys(
    for key: UnlockKey, id: UInt32? = nil
  ) throws(VaultError) -> (keys: EpochKeys, slot: Slot) {
    var failure = VaultError(.authenticationFailed, "the vault has no slot for this kind of key")
    let rows = try slotRows().filter { id == nil || $0.id == id }
    guard id == nil || !rows.isEmpty else { throw Self.noSlot }
    for row in rows {
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
