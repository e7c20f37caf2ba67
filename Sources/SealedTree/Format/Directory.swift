package import VaultCrypto
package import VaultModel

/// The table of a tree's buckets: their number, and the tags that verify them.
///
/// Source: `Documentation/format.md` §§5.2–5.4.
package struct Directory: Equatable, Sendable {
  package static let tagsPerChunk = 128
  static let recordsPerBucket: UInt64 = 32
  /// The maximum number of buckets: over 10⁹ items.
  ///
  /// A forged count cannot make a reader allocate more than the row has; a visit of all buckets
  /// also counts the rows of tags.
  static let highestBucketCount: UInt32 = 1 << 26

  package var bucketCount: UInt32 = 1
  /// The number of records in the buckets.
  package var load: UInt64 = 0
  /// The tags of the buckets if there are at most 128, else of the chunks.
  package var tags: [Tag] = [.none]

  package init() {}

  package init(decoding bytes: [UInt8], _ range: Range<Int>) throws(VaultError) {
    guard range.count >= 12 else { throw FieldReader.damaged("a directory is too short") }
    bucketCount = UInt32(littleEndianIn: bytes, at: range.lowerBound)
    load = UInt64(littleEndianIn: bytes, at: range.lowerBound + 4)
    guard (1...Self.highestBucketCount).contains(bucketCount), load < SealedNumber.end else {
      throw FieldReader.damaged("a directory's bucket count or load is out of bounds")
    }
    let count = Self.tagCount(bucketCount)
    guard range.count == 12 + count * Tag.byteCount else {
      throw FieldReader.damaged("a directory's length is wrong")
    }
    tags = (0..<count).map { Tag(bytes, at: range.lowerBound + 12 + $0 * Tag.byteCount) }
  }

  /// Counts added records, or removed ones if negative.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if more are removed than were counted.
  mutating func countRecords(_ change: Int) throws(VaultError) {
    load = try SealedNumber.sum(load, change, "a tree's load")
  }

  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bucketCount.appendLittleEndian(to: &bytes)
    load.appendLittleEndian(to: &bytes)
    return bytes + Tag.bytes(of: tags)
  }

  package var isChunked: Bool { Self.isChunked(bucketCount) }

  package static func isChunked(_ bucketCount: UInt32) -> Bool {
    bucketCount > UInt32(tagsPerChunk)
  }

  private static func tagCount(_ bucketCount: UInt32) -> Int {
    isChunked(bucketCount) ? chunkCount(bucketCount) : Int(bucketCount)
  }

  package static func chunkCount(_ bucketCount: UInt32) -> Int {
    (Int(bucketCount) + tagsPerChunk - 1) / tagsPerChunk
  }

  /// The minimum number of bytes that the rows of tags take in a file: all but the last one are
  /// full.
  package var lowestChunkByteCount: Int {
    isChunked ? (tags.count - 1) * Self.tagsPerChunk * Tag.byteCount : 0
  }

  /// Returns the first of the buckets whose tags a chunk holds.
  package static func firstBucket(of chunk: Int) -> UInt32 { UInt32(chunk * tagsPerChunk) }

  /// Returns the buckets whose tags a chunk holds.
  package func buckets(of chunk: Int) -> ClosedRange<UInt32> {
    let first = Self.firstBucket(of: chunk)
    return first...first + UInt32(Chunk.tagCount(chunk, bucketCount: bucketCount)) - 1
  }

  // MARK: Linear hashing

  /// Returns the bucket of a hash among `bucketCount` buckets.
  package static func address(_ hash: UInt64, bucketCount: UInt32) -> UInt32 {
    let p = largestPower(notAbove: bucketCount)
    let address = UInt32(truncatingIfNeeded: hash & (UInt64(p) * 2 - 1))
    return address < bucketCount ? address : address & (p - 1)
  }

  /// Returns the bucket that is split to make bucket `number`, and merged with it.
  static func partner(of number: UInt32) -> UInt32 {
    number - largestPower(notAbove: number)
  }

  private static func largestPower(notAbove count: UInt32) -> UInt32 {
    1 << (31 - UInt32(count.leadingZeroBitCount))
  }
}

/// The row ids of nodes.
///
/// Source: `Documentation/format.md` §5.2.
package enum NodeID {
  package static let firstLargeSecret: UInt64 = 1 << 62
  /// The end of large secrets' numbers: rows of higher ones would have the ids of ancestors.
  static let largeSecretEnd: UInt64 = 1 << 61
  package static let firstAncestors = firstLargeSecret + largeSecretEnd
  /// The first row of commits, after those of all ancestors.
  package static let firstCommit = firstAncestors + 1 << 60

  package static func bucket(_ number: UInt32, tree: UInt32) -> UInt64 {
    UInt64(tree) << 33 | UInt64(number)
  }

  package static func chunk(_ number: Int, tree: UInt32) -> UInt64 {
    UInt64(tree) << 33 | 1 << 32 | UInt64(number)
  }

  package static func ancestors(_ number: UInt64) -> UInt64 { firstAncestors + number }

  /// Returns the kind of the node that a row's id stands for.
  static func kind(of id: UInt64) -> NodeKind {
    switch id {
    case firstCommit...: .commit
    case firstAncestors...: .ancestors
    case firstLargeSecret...: .largeSecret
    default: id & 1 << 32 == 0 ? .bucket : .chunk
    }
  }

  /// The rows of all commits.
  package static var commits: ClosedRange<UInt64> {
    firstCommit...firstCommit + PastCommit.keptCount - 1
  }

  /// Returns the row of a generation's commit: that of a later one replaces it.
  package static func commit(_ generation: UInt64) -> UInt64 {
    firstCommit + generation % PastCommit.keptCount
  }
}

/// The content of a chunk: the tags of at most 128 buckets.
package enum Chunk {
  static func decode(_ bytes: [UInt8], count: Int) throws(VaultError) -> [Tag] {
    guard bytes.count == count * Tag.byteCount else {
      throw VaultError(.damaged, "a chunk has the wrong length")
    }
    return (0..<count).map { Tag(bytes, at: $0 * Tag.byteCount) }
  }

  static func encode(_ tags: [Tag]) -> [UInt8] {
    Tag.bytes(of: tags)
  }

  /// Returns the number of buckets in chunk `number`.
  package static func tagCount(_ number: Int, bucketCount: UInt32) -> Int {
    min(Directory.tagsPerChunk, Int(bucketCount) - number * Directory.tagsPerChunk)
  }
}
