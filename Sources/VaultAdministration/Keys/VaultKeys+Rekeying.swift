public import CredentialVault
import VaultCrypto
import VaultStore
public import VaultModel

/// The result of a rekey.
public struct RekeyReport: Sendable {
  /// The vault's epoch after the rekey.
  public let epoch: UInt64
  /// The ids of the slots that were removed: named to be removed, or their keys were not given.
  public let removedSlots: [Int]
}

extension VaultKeys {
  /// Creates a new vault key and re-encrypts everything, in one transaction.
  ///
  /// Old keys no longer open the file, but still open older copies of it. A slot is kept if its own
  /// key is given. Other processes that have the vault open find it locked; those that opened it
  /// with a key file that is kept unlock it again by themselves.
  ///
  /// - Parameters:
  ///   - keys: The keys of slots that are kept; a passphrase and a key file among them keep a slot
  ///     that needs both.
  ///   - ids: The slots that are removed.
  ///   - cost: The Argon2id cost of a passphrase from now on; nil takes
  ///     ``calibratedCost()``.
  ///   - progress: Called now and then with the share that is done, 0 to 1, while the file is
  ///     locked. If it throws, nothing is changed.
  ///   - otherSlot: Returns the key of a slot that none of these opens, or nil to remove it.
  ///     Without it such a slot is an error. It may prompt the user: no lock is held.
  /// - Returns: The new epoch, and the slots that were removed.
  /// - Throws: ``VaultError/Code/invalidArgument`` if a slot would be lost, or all, or a key opens
  ///   only slots that are removed; ``VaultError/Code/itemNotFound`` if no slot has one of the ids;
  ///   ``VaultError/Code/authenticationFailed`` if a key opens no slot;
  ///   ``VaultError/Code/conflict`` if somebody changed slots or key meanwhile;
  ///   ``VaultError/Code/damaged`` if anything in the vault is, and then nothing is changed;
  ///   ``VaultError/Code/tooNew`` if it holds secrets of a later version;
  ///   ``VaultError/Code/locked``, ``VaultError/Code/readOnly``, ``VaultError/Code/busy``; any
  ///   error of reading the keys, and of the closures.
  public func rekey(
    keeping keys: [KeySource], removing ids: Set<Int> = [], cost: PassphraseCost? = nil,
    progress: (Double) throws -> Void = { _ in },
    otherSlot: (SlotInformation) throws -> KeySource? = VaultKeys.keepEverySlot
  ) throws -> RekeyReport {
    try UserClosure.within { (closure) throws(VaultError) in
      try changeKey(keeping: keys, removing: ids, cost: cost) { (share) throws(VaultError) in
        try closure.call { try progress(share) }
      } otherSlot: { (slot) throws(VaultError) in
        try closure.call { try otherSlot(slot) }
      }
    }
  }

  /// Rekeys the vault as ``rekey(keeping:removing:cost:progress:otherSlot:)`` does, for closures
  /// that throw only ``VaultError``.
  package func changeKey(
    keeping keys: [KeySource], removing ids: Set<Int> = [], cost: PassphraseCost? = nil,
    progress: (Double) throws(VaultError) -> Void = { _ in },
    otherSlot: (SlotInformation) throws(VaultError) -> KeySource? = VaultKeys.keepEverySlot
  ) throws(VaultError) -> RekeyReport {
    let file = try vault.requireFile()
    var offered: [UnlockKey] = []
    for key in keys { offered.append(try key.read()) }
    var removed: Set<UInt32> = []
    for id in ids { removed.insert(try Self.slotID(id)) }
    let done = try file.rekey(
      keeping: offered, removing: removed, cost: cost,
      otherKey: { (slot) throws(VaultError) in try otherSlot(SlotInformation(slot))?.read() },
      progress: progress)
    RememberedKey(vault).forgetAfterChange()
    return RekeyReport(epoch: done.epoch, removedSlots: done.removedSlots.map(Int.init))
  }

  /// Refuses to remove a slot; ``rekey(keeping:removing:cost:progress:otherSlot:)`` calls it by
  /// default.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument``, always.
  public static func keepEverySlot(_ slot: SlotInformation) throws(VaultError) -> KeySource? {
    let name = slot.name.isEmpty ? "" : " \(slot.name)"
    throw VaultError(
      .invalidArgument,
      "slot \(slot.id) (\(slot.kind)\(name)) would be lost: give its key, or name it to be removed")
  }
}
