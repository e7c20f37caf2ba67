import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import VaultCrypto

@Suite("PassphraseCost")
struct PassphraseCostTests {
  @Test(
    "costs within their bounds are taken",
    arguments: [
      (8192, 1), (8192, 16), (1 << 20, 1), (1 << 20, 4), (1 << 18, 16), (262_144, 3), (8193, 7),
    ])
  func good(memoryKiB: Int, passes: Int) throws {
    let cost = try PassphraseCost(memoryKiB: memoryKiB, passes: passes)
    #expect(cost.memoryKiB == memoryKiB && cost.passes == passes)
  }

  @Test(
    "costs out of their bounds are an invalid argument",
    arguments: [
      (8191, 1), (0, 1), (-8192, 1), (1 << 20 + 1, 1), (Int.max, 1), (Int.min, 1), (8192, 0),
      (8192, 17), (8192, -1), (8192, Int.max), (1 << 20, 5), (1 << 18 + 1, 16),
    ])
  func bad(memoryKiB: Int, passes: Int) {
    #expect(throws: VaultError(.invalidArgument, "")) {
      try PassphraseCost(memoryKiB: memoryKiB, passes: passes)
    }
  }

  @Test("the bounds themselves are costs that are taken")
  func constants() throws {
    for cost in [PassphraseCost.minimum, .standard] {
      #expect(try PassphraseCost(memoryKiB: cost.memoryKiB, passes: cost.passes) == cost)
    }
    #expect(PassphraseCost.minimum.memoryKiB == 8192 && PassphraseCost.minimum.passes == 1)
  }

  @Test("memory, passes, salt and passphrase each make another key")
  func derivation() throws {
    let salt = pattern(16)
    func key(
      _ passphrase: String, _ salt: [UInt8], _ memoryKiB: Int, _ passes: Int
    ) throws -> [UInt8] {
      let cost = try PassphraseCost(memoryKiB: memoryKiB, passes: passes)
      let key = try SlotKey(passphrase: Secret(passphrase), salt: salt, cost: cost)
      return key.buffer.withRawBytes { $0.array }
    }
    let keys = [
      try key("p", salt, 8192, 1), try key("P", salt, 8192, 1),
      try key("p", salt.flipped(at: 15), 8192, 1), try key("p", salt, 8193, 1),
      try key("p", salt, 8192, 2),
    ]
    #expect(Set(keys).count == keys.count)
    #expect(keys.map(\.count) == [64, 64, 64, 64, 64])
    let isSame = try keys.first == key("p", salt, 8192, 1)
    #expect(isSame)
  }
}
