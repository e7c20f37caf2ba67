import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import VaultCrypto

@Suite("sealed rows")
struct SealedNodeTests {
  let keys = EpochKeys.random()
  let damaged = VaultError(.damaged, "")

  @Test("content of every size opens again, in the least multiple of 512 bytes")
  func roundTrip() throws {
    for size in 0...1500 {
      let content = pattern(size)
      let row = keys.seal(content, as: .bucket, id: 7)
      #expect(row.count == (size + 44 + 511) / 512 * 512)
      #expect(try keys.open(row, as: .bucket, id: 7) == content)
    }
  }

  @Test("large secrets of every size open again", arguments: [0, 1025, 4052, 4053, 1 << 20])
  func largeSecrets(size: Int) throws {
    let secret = Secret(pattern(size))
    let row = keys.seal(secret, id: 1 << 62 | 1)
    #expect(row.count.isMultiple(of: 512))
    let opened = try keys.openLargeSecret(row, id: 1 << 62 | 1, count: size)
    #expect(opened.isEqual(to: secret))
    #expect(throws: damaged) { try keys.openLargeSecret(row, id: 1 << 62 | 1, count: size + 1) }
    #expect(throws: damaged) { try keys.openLargeSecret(row, id: 1 << 62 | 2, count: size) }
  }

  @Test("no row opens with any of its bytes changed")
  func flips() throws {
    let row = keys.seal(pattern(100), as: .bucket, id: 7)
    let large = keys.seal(Secret(pattern(100)), id: 7)
    for index in row.indices {
      #expect(throws: damaged) { try keys.open(row.flipped(at: index), as: .bucket, id: 7) }
      #expect(throws: damaged) {
        try keys.openLargeSecret(large.flipped(at: index), id: 7, count: 100)
      }
    }
  }

  @Test("no row opens cut off or with more behind it")
  func truncation() throws {
    let row = keys.seal(pattern(600), as: .chunk, id: 7)
    #expect(row.count == 1024)
    for count in 0..<row.count {
      #expect(throws: damaged) { try keys.open(Array(row[..<count]), as: .chunk, id: 7) }
    }
    for count in [1, 512] {
      let longer = row + [UInt8](repeating: 0, count: count)
      #expect(throws: damaged) { try keys.open(longer, as: .chunk, id: 7) }
    }
  }

  @Test("a row opens at no other place: kind, id, epoch, vault, key")
  func place() throws {
    let row = keys.seal(pattern(20), as: .bucket, id: 7)
    #expect(throws: damaged) { try keys.open(row, as: .chunk, id: 7) }
    #expect(throws: damaged) { try keys.open(row, as: .head, id: 7) }
    #expect(throws: damaged) { try keys.openLargeSecret(row, id: 7, count: 20) }
    for bit in 0..<64 {
      #expect(throws: damaged) { try keys.open(row, as: .bucket, id: 7 ^ 1 << UInt64(bit)) }
    }
    let ident = keys.ident
    let others = [
      keys.rebound(to: Ident(vaultID: ident.vaultID, epoch: ident.epoch + 1)),
      keys.rebound(to: Ident(vaultID: VaultID(), epoch: ident.epoch)),
      EpochKeys(VaultKey(), ident: ident),
    ]
    for other in others {
      #expect(throws: damaged) { try other.open(row, as: .bucket, id: 7) }
    }
    #expect(try keys.rebound(to: ident).open(row, as: .bucket, id: 7) == pattern(20))
  }

  @Test("sealing the same content twice gives other bytes throughout")
  func freshNonces() {
    let rows = [1, 2].map { _ in keys.seal([], as: .bucket, id: 7) }
    let same = zip(rows[0], rows[1]).count { $0 == $1 }
    #expect(same < 32)
  }
}
