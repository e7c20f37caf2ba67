import VaultCrypto
import VaultFile
public import VaultModel

/// What a rotation of the vault's key did.
public struct RekeyReport: Sendable {
  /// The vault's epoch from now on.
  public let epoch: UInt64
  /// The ids of the slots that are gone: named to be dropped, or their keys were not given.
  public let droppedSlots: [Int]
}

extension VaultKeys {
  /// Makes a new vault key and seals everything anew, in one transaction.
  ///
  /// Whoever once had a key can read nothing of what is in the file from now on; older copies of the file still
  /// open with it. A slot is kept if its own key is given. Other processes that have the vault open find it
  /// locked; those that opened it with a key file that is kept go on by themselves.
  ///
  /// - Parameters:
  ///   - keys: The keys of slots that are kept; a passphrase and a key file among them keep a slot that needs both.
  ///   - ids: The slots that are dropped.
  ///   - cost: What trying a passphrase costs from now on; nil takes ``calibratedCost()``.
  ///   - progress: Called now and then with the share that is done, 0 to 1.
  ///   - otherSlot: Gives the key of a slot that none of these opens, or nil to drop it. Without it such a slot is
  ///     an error. It may ask somebody: no lock is held.
  /// - Returns: The new epoch, and the slots that are gone.
  /// - Throws: ``VaultError/Code/invalidArgument`` if a slot would be lost, or all, or a key opens only slots that are
  ///   dropped; ``VaultError/Code/itemNotFound`` if no slot has one of the ids;
  ///   ``VaultError/Code/authenticationFailed`` if a key opens no slot; ``VaultError/Code/conflict`` if somebody
  ///   changed slots or key meanwhile; ``VaultError/Code/damaged`` if anything in the vault is, and then nothing is
  ///   changed; ``VaultError/Code/tooNew`` if it holds secrets of a later version; ``VaultError/Code/locked``,
  ///   ``VaultError/Code/readOnly``, ``VaultError/Code/busy``; what reading the keys throws.
  public func rekey(
    keeping keys: [KeySource], dropping ids: Set<Int> = [], cost: PassphraseCost? = nil,
    progress: (Double) -> Void = { _ in },
    otherSlot: (SlotInformation) throws -> KeySource? = VaultKeys.keepEverySlot
  ) throws -> RekeyReport {
    try UserClosure.within { (closure) throws(VaultError) in
      try changeKey(keeping: keys, dropping: ids, cost: cost, progress: progress) {
        (slot) throws(VaultError) in
        try closure.call { try otherSlot(slot) }
      }
    }
  }

  /// As ``rekey(keeping:dropping:cost:progress:otherSlot:)``, for a closure that throws nothing but errors of the vault.
  package func changeKey(
    keeping keys: [KeySource], dropping ids: Set<Int> = [], cost: PassphraseCost? = nil,
    progress: (Double) -> Void = { _ in },
    otherSlot: (SlotInformation) throws(VaultError) -> KeySource? = VaultKeys.keepEverySlot
  ) throws(VaultError) -> RekeyReport {
    let file = try vault.requireFile()
    var offered: [UnlockKey] = []
    for key in keys { offered.append(try key.read()) }
    var dropped: Set<UInt32> = []
    for id in ids { dropped.insert(try Self.slotID(id)) }
    let done = try file.rotate(
      keeping: offered, dropping: dropped, cost: cost,
      otherKey: { (slot) throws(VaultError) in try otherSlot(SlotInformation(slot))?.read() },
      progress: progress)
    return RekeyReport(epoch: done.epoch, droppedSlots: done.droppedSlots.map(Int.init))
  }

  /// Refuses to drop a slot: what ``rekey(keeping:dropping:cost:progress:otherSlot:)`` does unless it is told otherwise.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument``, always.
  public static func keepEverySlot(_ slot: SlotInformation) throws(VaultError) -> KeySource? {
    let name = slot.name.isEmpty ? "" : " \(slot.name)"
    throw VaultError(
      .invalidArgument,
      "slot \(slot.id) (\(slot.kind)\(name)) would be lost: give its key, or name it to be dropped")
  }
}
