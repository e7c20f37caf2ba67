public import VaultCrypto
public import VaultModel
import VaultStorage

/// What a rotation of the vault's key did.
public struct RekeyReport: Sendable {
  /// The vault's epoch from now on.
  public let epoch: UInt64
  /// The slots that are gone, because their keys were not given.
  public let droppedSlots: [Int]
}

extension Vault {
  /// Makes a new vault key and seals everything anew, in one transaction.
  ///
  /// It takes from everybody who once had a key the means to read what is stored from now on: of an older copy
  /// of the file their key still opens what it held. A slot is kept if its own key is given. Other processes that
  /// have the vault open find it locked; those that opened it with a key file that is kept go on by themselves.
  ///
  /// - Parameters:
  ///   - keys: The keys of the slots that are kept; those that are passphrases take their time, twice each.
  ///   - slots: The ids of slots that may be dropped.
  ///   - cost: What trying a passphrase costs from now on; nil takes the standard.
  ///   - progress: Called now and then with the share that is done, 0 to 1.
  /// - Returns: The new epoch, and the slots that are gone.
  /// - Throws: ``VaultError/Code/invalidArgument`` if a slot would be lost that is not named, or all slots;
  ///   ``VaultError/Code/authenticationFailed`` if a key opens no slot; ``VaultError/Code/conflict`` if somebody
  ///   changed slots or key meanwhile; ``VaultError/Code/damaged`` if anything in the vault is, and then nothing is
  ///   changed; ``VaultError/Code/locked``, ``VaultError/Code/readOnly``, ``VaultError/Code/busy``; what reading
  ///   the keys throws.
  public func rekey(
    keeping keys: [KeySource], dropping slots: Set<Int> = [], cost: PassphraseCost? = nil,
    progress: (Double) -> Void = { _ in }
  ) throws(VaultError) -> RekeyReport {
    let file = try requireFile()
    var offered: [UnlockKey] = []
    for key in keys { offered.append(try key.read()) }
    let dropped = Set(slots.compactMap(UInt32.init(exactly:)))
    let done = try file.rotate(
      keeping: offered, dropping: dropped, cost: cost ?? .standard, progress: progress)
    return RekeyReport(epoch: done.epoch, droppedSlots: done.droppedSlots.map(Int.init))
  }
}
