import SecureMemory
package import VaultModel

/// Costs that fit the machine on which a passphrase is set.
extension PassphraseCost {
  /// What unlocking may take: 0.4 s at the least where the memory is there, 1 s at the most above the
  /// policy.
  static let aim = Duration.milliseconds(500)

  /// The cost at which this machine needs about half a second, in at most a quarter of the memory that
  /// it and its control group have free.
  ///
  /// Never below ``policy``, unless a quarter of the memory is less: then less memory and more passes.
  /// Derives a key a few times, for about 0.2 s.
  ///
  /// - Returns: A cost in whole MiB.
  /// - Throws: ``VaultError/Code/outOfMemory`` if not even the lowest cost can be paid.
  package static func calibrated() throws(VaultError) -> PassphraseCost {
    try calibrated(for: AvailableMemory()) { (cost) throws(VaultError) in
      // The faster of two: another program's load must not make a passphrase cheap.
      try min(time(of: cost), time(of: cost))
    }
  }

  /// The cost for a machine with so much memory on which `measure` says how long a cost takes.
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

  /// Memory × passes, by which both the time and the price of guessing grow.
  package var work: Int { memoryKiB * passes }

  /// Whether guessing is cheaper than at another cost: less memory, or less work in all.
  package func isBelow(_ other: PassphraseCost) -> Bool {
    memoryKiB < other.memoryKiB || work < other.work
  }

  /// Another cost in no less memory than this one's.
  package func raised(to other: PassphraseCost) -> PassphraseCost {
    guard other.memoryKiB < memoryKiB else { return other }
    let passes = (other.work + memoryKiB - 1) / memoryKiB
    return PassphraseCost(unchecked: memoryKiB, min(passes, Self.highestWork / memoryKiB))
  }

  /// Whether a quarter of what is free is enough for it.
  package func fits(_ memory: AvailableMemory) -> Bool {
    memory.withoutSwap.map { $0 / 4096 >= UInt64(memoryKiB) } ?? true
  }

  /// - Throws: ``VaultError/Code/outOfMemory`` if there is less memory than it costs.
  func require(_ memory: AvailableMemory) throws(VaultError) {
    guard let total = memory.total, total / 1024 < UInt64(memoryKiB) else { return }
    throw VaultError(
      .outOfMemory,
      "the passphrase's slot needs \(memoryKiB / 1024) MiB, \(total >> 20) MiB are available")
  }
}
