import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import VaultCrypto

@Suite("sealed secrets")
struct SealedSecretTests {
  let keys = EpochKeys.random()
  let item = ItemID()
  let damaged = VaultError(.damaged, "")

  @Test("secrets of every size open again, 40 bytes longer when sealed")
  func roundTrip() throws {
    for size in Array(0...1100) + [8192] {
      let secret = Secret(pattern(size))
      let sealed = keys.seal(secret, use: .secret, item: item)
      #expect(sealed.count == size + 40)
      let opened = try keys.open(sealed[...], use: .secret, item: item)
      #expect(opened.isEqual(to: secret))
    }
  }

  @Test("no sealed secret opens with any of its bytes changed, or cut off")
  func flipsAndTruncation() {
    let sealed = keys.seal(Secret(pattern(64)), use: .secret, item: item)
    for index in sealed.indices {
      #expect(throws: damaged) {
        try keys.open(sealed.flipped(at: index)[...], use: .secret, item: item)
      }
      #expect(throws: damaged) { try keys.open(sealed[..<index], use: .secret, item: item) }
      // The end of it alone, as a slice that does not begin at 0.
      #expect(throws: damaged) { try keys.open(sealed[(index + 1)...], use: .secret, item: item) }
    }
  }

  @Test("a secret opens for its own use and item only, also out of a slice")
  func binding() throws {
    let uses: [SecretUse] = [.secret, .refreshToken, .previousSecret, .oneTimePasswordKey]
    #expect(Attribute.furtherSecrets.map { SecretUse($0) } == [.refreshToken, .oneTimePasswordKey])
    for use in uses {
      let sealed = keys.seal(Secret("s"), use: use, item: item)
      let slice = (pattern(9) + sealed)[9...]
      #expect(try keys.open(slice, use: use, item: item).count == 1)
      for other in uses where other != use {
        #expect(throws: damaged) { try keys.open(sealed[...], use: other, item: item) }
      }
      #expect(throws: damaged) { try keys.open(sealed[...], use: use, item: ItemID()) }
      #expect(throws: damaged) {
        try EpochKeys.random().open(sealed[...], use: use, item: item)
      }
    }
  }

  @Test("10⁵ nonces of four threads are all different")
  func nonces() async {
    let keys = keys
    let item = item
    let nonces = await withTaskGroup(of: [[UInt8]].self) { group in
      for _ in 0..<4 {
        group.addTask {
          let empty = Secret("")
          return (0..<25_000).map { _ in
            Array(keys.seal(empty, use: .secret, item: item).prefix(24))
          }
        }
      }
      return await group.reduce(into: Set<[UInt8]>()) { $0.formUnion($1) }
    }
    #expect(nonces.count == 100_000)
    // They do not overlap either, as they would if the pool gave parts of itself out twice.
    var windows: Set<UInt64> = []
    for nonce in nonces {
      for offset in stride(from: 0, through: 16, by: 4) {
        windows.insert(UInt64(littleEndianIn: nonce, at: offset))
      }
    }
    #expect(windows.count == 500_000)
  }
}
