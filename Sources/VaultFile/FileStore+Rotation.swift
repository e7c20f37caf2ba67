package import VaultCrypto
package import VaultModel

extension FileStore {
  /// Creates a new vault key and reseals everything.
  ///
  /// - Parameters:
  ///   - keys: The keys of the slots to keep.
  ///   - dropped: The ids of the slots to drop, whatever opens them.
  ///   - cost: The cost of the passphrase slots to keep; nil calibrates it.
  ///   - otherKey: Returns the key of a slot that none of these opens; nil drops the slot.
  ///   - progress: Called occasionally with the completed share, 0 to 1.
  /// - Returns: The new epoch, and the ids of the dropped slots.
  /// - Throws: As ``RotationPlan`` and ``VaultFile/rotate(_:progress:)``.
  package func rotate(
    keeping keys: [UnlockKey], dropping dropped: Set<UInt32> = [], cost: PassphraseCost?,
    otherKey: (Slot) throws(VaultError) -> UnlockKey?, progress: (Double) -> Void
  ) throws(VaultError) -> (epoch: UInt64, droppedSlots: [UInt32]) {
    let now = try locked { (file) throws(VaultError) in
      // The new epoch's ident has the format that a write creates.
      _ = try file.migrate()
      return (ident: try file.requireUnlocked().keys.ident, rows: try file.slotRows())
    }
    let plan = try RotationPlan(
      old: now.ident, rows: now.rows, keeping: keys, dropping: dropped, cost: cost,
      otherKey: otherKey)
    try locked { (file) throws(VaultError) in
      try file.connection.withLargeCache { () throws(VaultError) in
        try file.rotate(plan, progress: progress)
      }
    }
    return (plan.keys.ident.epoch, plan.droppedSlots)
  }
}
