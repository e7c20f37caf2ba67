import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import VaultCrypto

/// Costs for machines that are not available here: each MiB and pass takes as long as the test
/// says.
@Suite("calibrated costs")
struct CalibrationTests {
  private func calibrated(
    free: UInt64?, perMiBAndPass: Duration
  ) throws -> (cost: PassphraseCost, duration: Duration) {
    let folder = try TemporaryFolder()
    if let free { try folder.writeMemory(availableKiB: free / 1024) }
    let memory = AvailableMemory(root: folder.path, addressSpaceLimit: nil)
    let cost = try PassphraseCost.calibrated(for: memory) { cost in
      perMiBAndPass * (cost.memoryKiB * cost.passes) / 1024
    }
    return (cost, perMiBAndPass * (cost.memoryKiB * cost.passes) / 1024)
  }

  /// From an old phone to a fast server; the machine at hand needs about 0.45 ms.
  static let speeds: [Duration] = [
    .microseconds(50), .microseconds(150), .microseconds(300), .microseconds(450),
    .microseconds(800), .milliseconds(2), .milliseconds(2.6),
  ]

  @Test("where there is memory, unlocking takes 0.4 to 1 s", arguments: speeds)
  func duration(_ speed: Duration) throws {
    for free in [nil, 4 << 30, 2 << 30, 1 << 30] as [UInt64?] {
      let (cost, duration) = try calibrated(free: free, perMiBAndPass: speed)
      let isLimited = cost.passes == 16 || cost.memoryKiB * cost.passes >= 4000 * 1024
      #expect(isLimited || duration >= .milliseconds(400), "\(cost)")
      #expect(duration <= .seconds(1), "\(cost)")
      #expect(!cost.isBelow(.policy))
    }
  }

  @Test("a slow machine still takes the policy's cost", arguments: [3, 20, 1000])
  func slow(milliseconds: Int) throws {
    let (cost, _) = try calibrated(free: 8 << 30, perMiBAndPass: .milliseconds(milliseconds))
    #expect(cost == .policy)
  }

  @Test("at most a quarter of what is free is taken, and fewer MiB mean more passes")
  func quarter() throws {
    for free in stride(from: 32, through: 4096, by: 7) {
      let (cost, _) = try calibrated(free: UInt64(free) << 20, perMiBAndPass: .microseconds(450))
      #expect(cost.memoryKiB <= max(free * 1024 / 4, 8192), "\(free) MiB: \(cost)")
      #expect(try PassphraseCost(memoryKiB: cost.memoryKiB, passes: cost.passes) == cost)
      let hasEnough = free >= 4 * 64
      #expect(hasEnough == (cost.memoryKiB >= 64 * 1024), "\(free) MiB: \(cost)")
      // 12 MiB in 16 passes are as much work as the policy.
      #expect(free < 48 || cost.work >= PassphraseCost.policy.work, "\(free) MiB: \(cost)")
    }
  }

  @Test("more than 128 MiB are taken only if 16 passes over them are too fast", arguments: speeds)
  func ample(_ speed: Duration) throws {
    let (cost, _) = try calibrated(free: 8 << 30, perMiBAndPass: speed)
    let sixteen = speed * 128 * 16
    #expect((cost.memoryKiB > 128 * 1024) == (sixteen < .milliseconds(490)), "\(cost)")
  }

  @Test("with next to no memory the least is taken, in as many passes as there can be")
  func least() throws {
    for free in [0, 1 << 20, 16 << 20] as [UInt64] {
      let (cost, _) = try calibrated(free: free, perMiBAndPass: .microseconds(450))
      #expect(cost.memoryKiB == 8192 && cost.passes == 16)
    }
  }

  @Test("a measurement that failed is passed on")
  func failure() throws {
    let memory = AvailableMemory(root: "/nonexistent", addressSpaceLimit: nil)
    #expect(throws: VaultError(.outOfMemory, "")) {
      try PassphraseCost.calibrated(for: memory) { (_) throws(VaultError) in
        throw VaultError(.outOfMemory, "none")
      }
    }
  }

  @Test("here, too, the cost is in bounds and not below the policy")
  func here() throws {
    let cost = try PassphraseCost.calibrated()
    #expect(try PassphraseCost(memoryKiB: cost.memoryKiB, passes: cost.passes) == cost)
    #expect(!cost.isBelow(.policy))
  }

  @Test("a cost is below another if it has less memory or less work in all")
  func order() throws {
    func isBelowPolicy(_ memoryMiB: Int, _ passes: Int) throws -> Bool {
      try PassphraseCost(memoryKiB: memoryMiB * 1024, passes: passes).isBelow(.policy)
    }
    for (memory, passes) in [(64, 3), (64, 4), (65, 3), (192, 1), (256, 1), (1024, 4)] {
      #expect(try !isBelowPolicy(memory, passes))
    }
    for (memory, passes) in [(8, 1), (63, 16), (64, 2), (191, 1), (95, 2)] {
      #expect(try isBelowPolicy(memory, passes))
    }
    #expect(!PassphraseCost.minimum.isBelow(.minimum))
  }

  @Test("a cost above what is available is outOfMemory and says both, and nothing is derived")
  func require() throws {
    let folder = try TemporaryFolder()
    try folder.writeMemory(availableKiB: 96 * 1024)
    let memory = AvailableMemory(root: folder.path, addressSpaceLimit: nil)
    try PassphraseCost(memoryKiB: 96 * 1024, passes: 1).require(memory)
    do throws(VaultError) {
      try PassphraseCost.standard.require(memory)
      Issue.record("it was taken")
    } catch {
      #expect(error.code == .outOfMemory)
      #expect(error.context.hasSuffix("needs 256 MiB, 96 MiB are available"))
    }
    try PassphraseCost.standard.require(
      AvailableMemory(root: folder.file("none"), addressSpaceLimit: nil))
  }
}

extension TemporaryFolder {
  fileprivate func writeMemory(availableKiB: UInt64) throws {
    try FileManager.default.createDirectory(
      atPath: file("proc"), withIntermediateDirectories: true)
    _ = try write(Array("MemAvailable: \(availableKiB) kB\n".utf8), as: "proc/meminfo")
  }
}
