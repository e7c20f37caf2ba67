import TestSupport
import Testing
import VaultCrypto
import VaultModel

@testable import SealedTree

@Suite("Directory")
struct DirectoryTests {
  let damaged = VaultError(.damaged, "")

  @Test("with each bucket count from 1 to 1000 a new bucket takes from its partner alone")
  func splits() {
    var random = SplitMix(seed: 1)
    let hashes = (0..<200).map { _ in random.next() } + [0, .max, 1 << 32, 1 << 63]
    for count: UInt32 in 1...1000 {
      let partner = Directory.partner(of: count)
      #expect(partner < count)
      for hash in hashes {
        let before = Directory.address(hash, bucketCount: count)
        let after = Directory.address(hash, bucketCount: count + 1)
        #expect(before < count)
        #expect(after == before || after == count && before == partner)
      }
    }
  }

  @Test("an address is the hash's low bits, one more of them below the split", arguments: 0...9)
  func addresses(power: Int) {
    let p: UInt32 = 1 << UInt32(power)
    var random = SplitMix(seed: UInt64(power))
    for count in [p, p + p / 2, 2 * p - 1] {
      for _ in 0..<200 {
        let hash = random.next()
        let wide = UInt32(truncatingIfNeeded: hash % UInt64(2 * p))
        let narrow = UInt32(truncatingIfNeeded: hash % UInt64(p))
        let address = Directory.address(hash, bucketCount: count)
        #expect(address == (wide < count ? wide : narrow))
      }
    }
  }

  private func directory(_ bucketCount: UInt32) -> Directory {
    var directory = Directory()
    directory.bucketCount = bucketCount
    directory.load = UInt64(bucketCount) << 33
    let count = bucketCount > 128 ? (Int(bucketCount) + 127) / 128 : Int(bucketCount)
    directory.tags = (0..<count).map { Tag(low: UInt64($0), high: .max) }
    return directory
  }

  @Test("directories read back", arguments: [1, 2, 127, 128, 129, 256, 257, 16_385] as [UInt32])
  func roundTrip(bucketCount: UInt32) throws {
    let directory = directory(bucketCount)
    let encoded = directory.encoded
    #expect(try Directory(decoding: encoded, 0..<encoded.count) == directory)
    #expect(directory.isChunked == (bucketCount > 128))
    // Not from the front, as inside a record.
    let inside = [0xFF] + encoded + [0xFF]
    #expect(try Directory(decoding: inside, 1..<1 + encoded.count) == directory)
  }

  @Test("a directory cut off anywhere, longer or without buckets is damaged")
  func damage() {
    for bucketCount: UInt32 in [1, 3, 128, 129] {
      let encoded = directory(bucketCount).encoded
      for count in encoded.indices {
        #expect(throws: damaged) { try Directory(decoding: encoded, 0..<count) }
      }
      let longer = encoded + [UInt8](repeating: 0, count: 16)
      for count in encoded.count + 1...longer.count {
        #expect(throws: damaged) { try Directory(decoding: longer, 0..<count) }
      }
    }
    for bucketCount: UInt32 in [0, .max, 1 << 31] {
      var bytes = directory(1).encoded
      for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: bucketCount >> (8 * index)) }
      #expect(throws: damaged) { try Directory(decoding: bytes, 0..<bytes.count) }
    }
  }

  @Test("chunks hold 128 tags, the last one the rest, and no other number")
  func chunks() throws {
    #expect((0..<3).map { Chunk.tagCount($0, bucketCount: 300) } == [128, 128, 44])
    #expect(Chunk.tagCount(1, bucketCount: 256) == 128)
    let tags = (0..<44).map { Tag(low: $0, high: 1) }
    let content = Chunk.encode(tags)
    #expect(try Chunk.decode(content, count: 44) == tags)
    for count in [0, 43, 45, 128] {
      #expect(throws: damaged) { try Chunk.decode(content, count: count) }
    }
    #expect(throws: damaged) { try Chunk.decode(content + [0], count: 44) }
  }

  @Test("no two nodes of a vault have one row id, and all ids fit SQLite's")
  func nodeIDs() {
    let trees: [UInt32] = [0, 1, 2, TreeRecord.numberEnd - 1]
    let numbers: [UInt32] = [0, 1, 127, .max]
    var ids = trees.flatMap { tree in numbers.map { NodeID.bucket($0, tree: tree) } }
    ids += trees.flatMap { tree in numbers.map { NodeID.chunk(Int($0), tree: tree) } }
    ids += [1, 2, 1 << 40].map { NodeID.firstLargeSecret + $0 }
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0 <= UInt64(Int64.max) })
    #expect(NodeID.chunk(3, tree: 5) == 5 << 33 + 1 << 32 + 3)
  }
}

@Suite("TreeRecord")
struct TreeRecordTests {
  @Test("tree records read back, at both levels, with fields that are not known")
  func roundTrip() throws {
    let host = Array("h".utf8)
    for (level, account) in [(1, [UInt8]()), (2, []), (2, Array("a".utf8))] {
      let record = TreeRecord(
        host: host, account: account, level: level, number: TreeRecord.numberEnd - 1,
        directory: Directory())
      let body = record.encoded
      #expect(try TreeRecord(decoding: body, 0..<body.count) == record)
      #expect(record.groupKey == (level == 1 ? host : account))
      let longer = body + [100, 1, 9]
      #expect(try TreeRecord(decoding: longer, 0..<longer.count).encoded == longer)
      for count in body.indices {
        #expect(throws: VaultError(.damaged, "")) { try TreeRecord(decoding: body, 0..<count) }
      }
    }
  }
}
