package import VaultModel

/// The maximum number of slots, and the maximum cost of trying a passphrase on all of them.
///
/// Anyone who can write the file can add slots, and each one is tried before anything proves that
/// it belongs to the vault: without a limit on the sum, fifteen of them took 40 s of one wrong
/// passphrase. Source: `Documentation/format.md` §4.1.
package enum SlotLimits {
  package static let mostSlots = 16
  /// Each one gives an attacker one more guess, and costs the user one more second.
  package static let mostCostlySlots = 8
  /// The total memory in KiB × passes of all slots with a KDF: 8 GiB in one pass.
  package static let mostWork = 8 << 20

  /// Checks slots that were read, before a key is derived for any of them.
  ///
  /// - Parameter slots: The slots with a correct checksum; others are never tried.
  /// - Throws: ``VaultError/Code/damaged`` if they exceed the limits of a writer.
  package static func check(_ slots: [Slot]) throws(VaultError) {
    guard slots.count <= mostSlots, slots.count(where: \.hasKDF) <= mostCostlySlots,
      work(of: slots) <= mostWork
    else {
      throw VaultError(
        .damaged, "the vault's slots are more, or cost more, than those of a vault can")
    }
  }

  /// Returns the cost of trying a passphrase on all of them.
  package static func work(of slots: some Sequence<Slot>) -> Int {
    slots.reduce(0) { $0 + ($1.cost?.work ?? 0) }
  }

  /// Returns the cost nearest to a wanted one for a slot beside others.
  ///
  /// - Parameters:
  ///   - cost: The cost for the machine, or the one that its owner wants.
  ///   - others: The slots that stay.
  /// - Returns: The cost itself if it fits; else one with fewer passes, and with less memory only
  ///   if the policy's passes do not fit; nil if not even ``PassphraseCost/policy`` fits.
  package static func fitting(
    _ cost: PassphraseCost, beside others: some Sequence<Slot>
  ) -> PassphraseCost? {
    cost.limited(to: mostWork - work(of: others))
  }
}

extension PassphraseCost {
  /// Returns the cost limited to this much work; nil if that is less than ``policy``.
  package func limited(to most: Int) -> PassphraseCost? {
    guard work > most else { return self }
    guard most >= Self.policy.work else { return nil }
    let memoryKiB = min(memoryKiB, Self.inWholeMiB(most / Self.policy.passes))
    return PassphraseCost(unchecked: memoryKiB, min(passes, most / memoryKiB))
  }
}
