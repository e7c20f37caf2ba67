package import VaultCrypto
package import VaultModel

extension FileStore {
  /// Makes a new vault key and seals everything anew.
  ///
  /// - Parameters:
  ///   - keys: Of slots that are kept.
  ///   - dropped: The ids of slots that are dropped, whatever opens them.
  ///   - cost: Of the passphrase slots that are kept; nil calibrates.
  ///   - otherKey: Gives the key of a slot that none of these opens; nil drops the slot.
  ///   - progress: Called now and then with the share that is done, 0 to 1.
  /// - Returns: The new epoch, and the ids of the slots that were dropped.
  /// - Throws: As ``RotationPlan`` and ``VaultFile/rotate(_:progress:)``.
  package func rotate(
    keeping keys: [UnlockKey], dropping dropped: Set<UInt32> = [], cost: PassphraseCost?,
    otherKey: (Slot) throws(VaultError) -> UnlockKey?, progress: (Double) -> Void
  ) throws(VaultError) -> (epoch: UInt64, droppedSlots: [UInt32]) {
    let now = try locked { (file) throws(VaultError) in
      // The new epoch's ident is of the format that a write brings about.
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
