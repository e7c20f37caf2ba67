package import VaultCrypto
import VaultModel

/// A head that a vault had, by its generation and tag.
package struct KnownHead: Hashable, Sendable {
  package let generation: UInt64
  package let tag: Tag

  package init(generation: UInt64, tag: Tag) {
    self.generation = generation
    self.tag = tag
  }
}

/// A head of another copy of the vault, whose history a merge made part of this one.
package struct MergedHead: Hashable, Comparable, Sendable {
  static let byteCount = 32
  /// The highest number of other copies' heads that a head names.
  static let limit = 256

  package let head: KnownHead
  /// The generation that the merge committed here.
  package let merged: UInt64

  /// Orders heads as they are written: the highest generation first.
  package static func < (one: MergedHead, other: MergedHead) -> Bool {
    (one.head.generation, one.head.tag.high, one.head.tag.low)
      > (other.head.generation, other.head.tag.high, other.head.tag.low)
  }

  static func encode(_ heads: [MergedHead]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(heads.count * byteCount)
    for merged in heads {
      merged.head.generation.appendLittleEndian(to: &bytes)
      merged.merged.appendLittleEndian(to: &bytes)
      merged.head.tag.append(to: &bytes)
    }
    return bytes
  }

  /// Decodes the heads of a field.
  ///
  /// - Throws: ``VaultError/Code/damaged``, also if one has a higher generation than the previous.
  static func decode(_ bytes: [UInt8], _ range: Range<Int>) throws(VaultError) -> [MergedHead] {
    guard range.count % byteCount == 0, range.count <= limit * byteCount else {
      throw FieldReader.damaged("the merged heads have the wrong size")
    }
    var heads: [MergedHead] = []
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: byteCount) {
      let head = KnownHead(
        generation: UInt64(littleEndianIn: bytes, at: offset), tag: Tag(bytes, at: offset + 16))
      let merged = UInt64(littleEndianIn: bytes, at: offset + 8)
      guard head.generation > 0, head.generation <= heads.last?.head.generation ?? .max,
        merged > head.generation, head.tag != .none
      else { throw FieldReader.damaged("the merged heads are out of order") }
      heads.append(MergedHead(head: head, merged: merged))
    }
    return heads
  }
}

/// Two histories of one vault that become one.
///
/// The next head names the recent heads of both, so that every machine that saw either copy accepts
/// the merged one, and still detects a third. Source: `Documentation/format.md` §7.
extension Head {
  /// Returns this head, with its tag, and the recent ones of its own history, without those of
  /// merged copies.
  package func ownHeads(_ tag: Tag) -> [KnownHead] {
    var heads = [KnownHead(generation: generation, tag: tag)]
    for (index, tag) in recent.enumerated() where tag != .none {
      heads.append(KnownHead(generation: generation - 1 - UInt64(index), tag: tag))
    }
    return heads
  }

  /// Returns the tags that heads of a lower generation have, as far as this head itself says; empty
  /// if it says none.
  package func knownTags(of generation: UInt64) -> [Tag] {
    guard generation < self.generation else { return [] }
    var known = merged.map(\.head).filter { $0.generation == generation }.map(\.tag)
    let age = self.generation - generation
    if age <= UInt64(recent.count), recent[Int(age) - 1] != .none {
      known.append(recent[Int(age) - 1])
    }
    return known
  }

  /// Makes the next head the successor of another copy's head too.
  ///
  /// - Parameters:
  ///   - other: The head of another copy of the same vault.
  ///   - tag: Its tag.
  mutating func join(_ other: Head, tag: Tag) {
    skipped = other.generation > generation ? other.generation - generation : 0
    generation = max(generation, other.generation)
    committed = max(committed, other.committed)
    let heads = other.ownHeads(tag) + other.merged.map(\.head)
    let known = Set(merged.map(\.head))
    merged += heads.filter { !known.contains($0) }.map {
      MergedHead(head: $0, merged: generation + 1)
    }
    // No number is used twice, in whichever copy.
    nextTree = max(nextTree, other.nextTree)
    nextLargeSecret = max(nextLargeSecret, other.nextLargeSecret)
  }

  /// Returns the entries of ``recent`` for the generations that only another copy had.
  mutating func otherGenerations() -> [Tag] {
    defer { skipped = 0 }
    return Array(repeating: .none, count: Int(min(skipped, UInt64(Self.recentCount))))
  }

  /// Drops merged heads that no record is compared with any more, and those of this history.
  mutating func dropOldMergedHeads() {
    guard !merged.isEmpty else { return }
    let (generation, own) = (generation, Set(ownHeads(.none)))
    var kept: Set<KnownHead> = []
    merged = merged.filter { merged in
      merged.head.generation < generation
        && generation - merged.head.generation <= UInt64(Self.recentCount)
        && !own.contains(merged.head) && kept.insert(merged.head).inserted
    }
    merged.sort()
    merged.removeSubrange(min(MergedHead.limit, merged.count)...)
  }
}
