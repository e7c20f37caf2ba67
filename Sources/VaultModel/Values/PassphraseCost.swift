/// The cost of checking one passphrase: Argon2id's memory and passes.
///
/// Costs read from a file are checked before anything is derived, so that a forged file can neither
/// exhaust the machine nor make a passphrase cheap to guess. Source: RFC 9106;
/// `Documentation/format.md` §4.1.
public struct PassphraseCost: Hashable, Sendable {
  /// Memory in KiB, 8 MiB to 1 GiB.
  public let memoryKiB: Int
  /// Passes over the memory, 1 to 16.
  public let passes: Int

  package static let memoryBounds = 8 * 1024...1024 * 1024
  package static let passBounds = 1...16
  package static let highestWork = 4 * 1024 * 1024

  /// The lowest cost that is accepted: for tests and for machines with very little memory.
  public static let minimum = PassphraseCost(unchecked: 8 * 1024, 1)
  /// 64 MiB and 3 passes: the least cost of a passphrase on a machine that has the memory.
  ///
  /// A slot below it is wrapped again at this cost when its passphrase opens it. Source: RFC 9106
  /// §4, second choice.
  public static let policy = PassphraseCost(unchecked: 64 * 1024, 3)
  /// 256 MiB and 3 passes: a third of a second on a small server.
  public static let standard = PassphraseCost(unchecked: 256 * 1024, 3)

  package init(unchecked memoryKiB: Int, _ passes: Int) {
    self.memoryKiB = memoryKiB
    self.passes = passes
  }

  /// Checks a cost against its bounds.
  ///
  /// - Parameters:
  ///   - memoryKiB: 8 192 to 1 048 576.
  ///   - passes: 1 to 16; memory × passes at most 4 GiB.
  /// - Throws: ``VaultError/Code/invalidArgument`` if out of bounds.
  public init(memoryKiB: Int, passes: Int) throws(VaultError) {
    guard Self.memoryBounds.contains(memoryKiB), Self.passBounds.contains(passes),
      memoryKiB * passes <= Self.highestWork
    else {
      throw VaultError(
        .invalidArgument, "a passphrase cost of \(memoryKiB) KiB × \(passes) is out of bounds")
    }
    self.init(unchecked: memoryKiB, passes)
  }
}
