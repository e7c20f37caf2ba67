package import VaultCrypto
package import VaultModel

/// The heads of 64 generations in a row, which a later head continues.
///
/// Each block names the one before it, and the head the newest one, so that a head from long ago is
/// proven to be in a vault's history, or not to be. Source: `Documentation/format.md` §7.1.
package struct AncestorBlock: Equatable, Sendable {
  package static let span = 64
  /// The number of blocks that a vault keeps: 65,536 generations.
  package static let keptCount: UInt64 = 1024
  private static let shortest = (1 + span) * Tag.byteCount

  /// Its first generation, divided by ``span``.
  package let number: UInt64
  /// The tag of the block before it; ``Tag/none`` if nothing is known of earlier generations.
  package var previous = Tag.none
  /// The tags of the heads of the vault's own history, from the first generation on; ``Tag/none``
  /// where only another copy had one, or where none is known.
  package let own: [Tag]
  /// The heads of other copies that were merged, the highest generation first.
  package let merged: [MergedHead]

  init(number: UInt64, own: [Tag], merged: [MergedHead]) {
    self.number = number
    self.own = own
    self.merged = merged
  }

  package init(decoding bytes: [UInt8], number: UInt64) throws(VaultError) {
    guard bytes.count >= Self.shortest else {
      throw VaultError(.damaged, "a block of ancestors is too short")
    }
    let tags = try Chunk.decode(Array(bytes[..<Self.shortest]), count: 1 + Self.span)
    self.number = number
    previous = tags[0]
    own = Array(tags.dropFirst())
    merged = try MergedHead.decode(bytes, Self.shortest..<bytes.count)
    guard merged.allSatisfy({ generations.contains($0.head.generation) }),
      number > 0 || own[0] == .none
    else { throw VaultError(.damaged, "a block of ancestors names other generations") }
  }

  package var encoded: [UInt8] {
    Chunk.encode([previous] + own) + MergedHead.encode(merged)
  }

  /// The generations whose heads it names.
  package var generations: Range<UInt64> { Self.generations(of: number) }

  static func generations(of number: UInt64) -> Range<UInt64> {
    let first = number * UInt64(span)
    return first..<first + UInt64(span)
  }

  /// Returns the number of the block of a generation.
  package static func number(of generation: UInt64) -> UInt64 { generation / UInt64(span) }

  /// Returns the numbers of the blocks that a vault of a generation keeps.
  package static func kept(at generation: UInt64) -> Range<UInt64> {
    let end = number(of: generation)
    return (end > keptCount ? end - keptCount : 0)..<end
  }

  /// Returns the tags that a head of one of its generations may have; empty if none is known.
  package func tags(of generation: UInt64) -> [Tag] {
    let tag = own[Int(generation - generations.lowerBound)]
    return (tag == .none ? [] : [tag])
      + merged.filter { $0.head.generation == generation }.map(\.head.tag)
  }
}

extension [AncestorBlock] {
  /// Returns the tags that a head of a generation may have; empty if none is known.
  package func tags(of generation: UInt64) -> [Tag] {
    first { $0.generations.contains(generation) }?.tags(of: generation) ?? []
  }
}

extension Head {
  /// The block that this head completes; nil except for each 64th generation.
  var completedBlock: AncestorBlock? {
    guard generation.isMultiple(of: UInt64(AncestorBlock.span)) else { return nil }
    let number = AncestorBlock.number(of: generation) - 1
    let generations = AncestorBlock.generations(of: number)
    let unknown = [Tag](repeating: .none, count: AncestorBlock.span - recent.count)
    return AncestorBlock(
      number: number, own: unknown + recent.reversed(),
      merged: merged.filter { generations.contains($0.head.generation) })
  }
}
