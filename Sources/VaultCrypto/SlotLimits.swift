package import VaultModel

/// How many slots a vault has at the most, and what trying a passphrase on all of them may cost.
///
/// Whoever can write the file can plant slots, and each one is tried before anything proves that it is the vault's:
/// without a bound on the sum, fifteen of them took 40 s of one wrong passphrase.
/// Source: `Documentation/format.md` §4.1.
package enum SlotLimits {
  package static let mostSlots = 16
  /// Each one is a guess more for whoever tries a passphrase, and a second more of waiting.
  package static let mostCostlySlots = 8
  /// Memory in KiB × passes of all slots with a KDF: 8 GiB in one pass.
  package static let mostWork = 8 << 20

  /// Checks slots that were read, before a key is derived for any.
  ///
  /// - Parameter slots: Those whose checksum is right; another one is never tried.
  /// - Throws: ``VaultError/Code/damaged`` if they are more than a writer makes.
  package static func check(_ slots: [Slot]) throws(VaultError) {
    guard slots.count <= mostSlots, slots.count(where: \.hasKDF) <= mostCostlySlots,
      work(of: slots) <= mostWork
    else {
      throw VaultError(
        .damaged, "the vault's slots are more, or cost more, than those of a vault can")
    }
  }

  /// What trying a passphrase on all of them costs.
  package static func work(of slots: some Sequence<Slot>) -> Int {
    slots.reduce(0) { $0 + ($1.cost?.work ?? 0) }
  }

  /// The cost nearest to a wanted one for a slot beside others.
  ///
  /// - Parameters:
  ///   - cost: What the machine can do, or its owner wants.
  ///   - others: The slots that stay.
  /// - Returns: The cost itself where it fits; else fewer passes, and less memory only below the policy's passes; nil
  ///   if not even ``PassphraseCost/policy`` fits.
  package static func fitting(
    _ cost: PassphraseCost, beside others: some Sequence<Slot>
  ) -> PassphraseCost? {
    cost.limited(to: mostWork - work(of: others))
  }
}

extension PassphraseCost {
  /// The cost within so much work; nil if that is less than ``policy``.
  package func limited(to most: Int) -> PassphraseCost? {
    guard work > most else { return self }
    guard most >= Self.policy.work else { return nil }
    let memoryKiB = min(memoryKiB, Self.inWholeMiB(most / Self.policy.passes))
    return PassphraseCost(unchecked: memoryKiB, min(passes, most / memoryKiB))
  }
}
