import SecureMemory
package import VaultModel

/// The maximum number of slots, and the maximum cost of trying a passphrase on all of them.
///
/// Anyone who can write the file can add slots, and each one is tried before anything proves that
/// it belongs to the vault: without a limit on the sum, fifteen of them took 40 s of one wrong
/// passphrase. Source: `Documentation/format.md` §4.1.
package enum SlotLimits {
  package static let mostSlots = 16
  /// The most slots of machines, which count apart.
  package static let mostMachines = 10_000
  /// The first id of a machine's slot: lower ones are those of other kinds.
  package static let firstMachine: UInt32 = 17
  /// The longest body of a slot in bytes, of whatever kind: none is verified before all are read.
  package static let mostBytes = 4096
  /// Each one gives an attacker one more guess, and costs the user one more second.
  package static let mostCostlySlots = 8
  /// The total memory in KiB × passes of all slots with a KDF: 8 GiB in one pass.
  package static let mostWork = 8 << 20

  /// Checks slots that were read, before a key is derived for any of them.
  ///
  /// - Parameter slots: The slots with a correct checksum; others are never tried.
  /// - Throws: ``VaultError/Code/damaged`` if they exceed the limits of a writer.
  package static func check(_ slots: [Slot]) throws(VaultError) {
    guard slots.count(where: { $0.kind != .machine }) <= mostSlots,
      slots.count(where: { $0.kind == .machine }) <= mostMachines,
      slots.count(where: \.hasKDF) <= mostCostlySlots,
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

/// Costs for the machine on which a passphrase is set.
extension PassphraseCost {
  /// The target time of unlocking: at least 0.4 s if the memory is available, and at most 1 s above
  /// the policy.
  static let aim = Duration.milliseconds(500)
  /// 128 MiB: beyond it, passes are raised before memory.
  ///
  /// While the kernel clears the memory of a derivation, no thread of the process can map memory or
  /// start a thread: about half a millisecond per MiB (`Documentation/performance.md`). It is twice
  /// the memory of RFC 9106 §4's second choice.
  static let ampleMemoryKiB = 128 * 1024

  /// Returns the cost that takes this machine about half a second.
  ///
  /// It uses at most a quarter of the memory that the machine and its control group have free, and
  /// more than 128 MiB only if 16 passes over these take less time. It is never below ``policy``,
  /// except that less memory is balanced by more passes if a quarter is not enough. Measuring
  /// derives a key a few times, for about 0.2 s.
  ///
  /// - Returns: A cost in whole MiB.
  /// - Throws: ``VaultError/Code/outOfMemory`` if not even the lowest cost can be paid.
  package static func calibrated() throws(VaultError) -> PassphraseCost {
    try calibrated(for: AvailableMemory()) { (cost) throws(VaultError) in
      // The faster of two: another program's load must not make a passphrase cheap.
      try min(time(of: cost), time(of: cost))
    }
  }

  /// Returns the cost for a machine with this much memory; `measure` returns the time of a cost.
  static func calibrated(
    for memory: AvailableMemory, measure: (PassphraseCost) throws(VaultError) -> Duration
  ) throws(VaultError) -> PassphraseCost {
    let quarter = memory.withoutSwap.map { Int(clamping: $0 / 4096) } ?? .max
    let most = inWholeMiB(
      min(max(quarter, memoryBounds.lowerBound), memoryBounds.upperBound))
    let probe = PassphraseCost(unchecked: min(policy.memoryKiB, most), policy.passes)
    // Time grows with memory × passes, about linearly.
    let ratio = aim / max(try measure(probe), .microseconds(1))
    let wanted = Int(min(Double(probe.work) * ratio, Double(highestWork)))
    let work = max(wanted, policy.work)
    let enough = max(
      min(work / policy.passes, ampleMemoryKiB), work / passBounds.upperBound)
    let memoryKiB = min(inWholeMiB(enough + 1023), most)
    let passes = max(policy.passes, (work + memoryKiB - 1) / memoryKiB)
    return PassphraseCost(
      unchecked: memoryKiB, min(passes, passBounds.upperBound, highestWork / memoryKiB))
  }

  static func inWholeMiB(_ memoryKiB: Int) -> Int { memoryKiB & ~1023 }

  private static func time(of cost: PassphraseCost) throws(VaultError) -> Duration {
    let salt = [UInt8](repeating: 0, count: SlotKey.saltSize)
    let start = ContinuousClock.now
    _ = try SlotKey(passphrase: Secret("measured"), salt: salt, cost: cost)
    return ContinuousClock.now - start
  }

  /// Memory × passes, which determines the time and the price of guessing.
  package var work: Int { memoryKiB * passes }

  /// Returns whether guessing is cheaper than at another cost: with less memory, or less total
  /// work.
  package func isBelow(_ other: PassphraseCost) -> Bool {
    memoryKiB < other.memoryKiB || work < other.work
  }

  /// Returns another cost with at least this one's memory.
  package func raised(to other: PassphraseCost) -> PassphraseCost {
    guard other.memoryKiB < memoryKiB else { return other }
    let passes = (other.work + memoryKiB - 1) / memoryKiB
    return PassphraseCost(unchecked: memoryKiB, min(passes, Self.highestWork / memoryKiB))
  }

  /// Returns whether a quarter of the free memory is enough.
  package func fits(_ memory: AvailableMemory) -> Bool {
    memory.withoutSwap.map { $0 / 4096 >= UInt64(memoryKiB) } ?? true
  }

  /// Checks that the memory is available.
  ///
  /// - Throws: ``VaultError/Code/outOfMemory`` if there is less memory than the cost needs.
  func require(_ memory: AvailableMemory) throws(VaultError) {
    guard let total = memory.total, total / 1024 < UInt64(memoryKiB) else { return }
    throw VaultError(
      .outOfMemory,
      "the passphrase's slot needs \(memoryKiB / 1024) MiB, \(total >> 20) MiB are available")
  }
}
