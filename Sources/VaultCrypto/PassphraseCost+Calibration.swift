import SecureMemory
package import VaultModel

/// Costs for the machine on which a passphrase is set.
extension PassphraseCost {
  /// The target time of unlocking: at least 0.4 s if the memory is available, and at most 1 s above
  /// the policy.
  static let aim = Duration.milliseconds(500)

  /// Returns the cost that takes this machine about half a second.
  ///
  /// It uses at most a quarter of the memory that the machine and its control group have free. It
  /// is never below ``policy``, except that less memory is balanced by more passes if a quarter is
  /// not enough. Measuring derives a key a few times, for about 0.2 s.
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
    let memoryKiB = min(inWholeMiB(work / policy.passes + 1023), most)
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
