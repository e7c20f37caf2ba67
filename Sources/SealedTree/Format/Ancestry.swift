package import VaultCrypto

/// All heads that a copy of a vault is known to continue: its own ones, and those of copies that it
/// merged.
package struct Ancestry: Sendable {
  /// The copy's head.
  package let head: KnownHead
  /// The tags of its own history, with its head.
  private var own: [UInt64: Tag] = [:]
  private var merged: [KnownHead: UInt64] = [:]
  /// The generations in which another copy had a head.
  private var mergedGenerations: Set<UInt64> = []

  package init(of head: Head, _ tag: Tag, _ blocks: [AncestorBlock]) {
    self.head = KnownHead(generation: head.generation, tag: tag)
    for block in blocks {
      for (generation, tag) in zip(block.generations, block.own) where tag != .none {
        own[generation] = tag
      }
    }
    for known in head.ownHeads(tag) { own[known.generation] = known.tag }
    for known in head.merged + blocks.flatMap(\.merged) where merged[known.head] == nil {
      merged[known.head] = known.merged
      mergedGenerations.insert(known.head.generation)
    }
  }

  /// Returns whether a head is this one, or one that it is known to continue.
  package func continues(_ head: KnownHead) -> Bool {
    own[head.generation] == head.tag || merged[head] != nil
  }

  // MARK: Merging

  /// Returns the blocks of a history that also continues another copy's.
  ///
  /// A generation is named with all of its heads or with none: if one were missing, a machine that
  /// saw it would take the merged vault for a fork.
  ///
  /// - Parameters:
  ///   - other: The other copy's history.
  ///   - generation: The generation of the merge.
  /// - Returns: The blocks, in ascending order; their links are made when they are written.
  package func blocks(joining other: Ancestry, at generation: UInt64) -> [AncestorBlock] {
    let shared = own.lazy.filter { other.own[$0.key] == $0.value }.map(\.key).max() ?? 0
    let theirs = Dictionary(
      grouping: other.own.map { KnownHead(generation: $0.key, tag: $0.value) }
        + other.merged.keys, by: { AncestorBlock.number(of: $0.generation) })
    let ours = Dictionary(grouping: merged.keys, by: { AncestorBlock.number(of: $0.generation) })
    var blocks: [AncestorBlock] = []
    for number in AncestorBlock.kept(at: generation) {
      let named = AncestorBlock.generations(of: number).filter { generation in
        knows(generation) && (generation <= shared || other.knows(generation))
      }
      let heads = Set((ours[number] ?? []) + (theirs[number] ?? [])).filter {
        named.contains($0.generation) && own[$0.generation] != $0.tag
      }
      // A block that would not fit is forgotten, with everything before.
      guard heads.count <= MergedHead.limit else {
        blocks = []
        continue
      }
      blocks.append(
        AncestorBlock(
          number: number,
          own: AncestorBlock.generations(of: number).map {
            named.contains($0) ? own[$0] ?? .none : .none
          },
          merged: heads.map { MergedHead(head: $0, merged: merged[$0] ?? generation) }.sorted()))
    }
    return blocks
  }

  /// Returns whether all of the copy's heads of a generation are known, which may be none.
  private func knows(_ generation: UInt64) -> Bool {
    generation > head.generation || own[generation] != nil
      || mergedGenerations.contains(generation)
  }
}

/// The states of a copy that another copy is known to continue.
package struct SharedHistory {
  /// The copy's last generation that the other one continues; zero if none is known.
  package let generation: UInt64
  /// The generations of the copy in which it merged a head that the other one continues too.
  package let merges: Set<UInt64>

  package init(of copy: Ancestry, in other: Ancestry) {
    generation = copy.lastGeneration(in: other)
    merges = copy.merges(in: other)
  }
}

extension Ancestry {
  fileprivate func lastGeneration(in other: Ancestry) -> UInt64 {
    own.lazy.map { KnownHead(generation: $0.key, tag: $0.value) }.filter(other.continues)
      .map(\.generation).max() ?? 0
  }

  fileprivate func merges(in other: Ancestry) -> Set<UInt64> {
    // A merge names the other copy's head and those that this continues, all of which are older.
    // Only that head had the state that the merge took over.
    let taken = Dictionary(
      merged.map { ($0.value, $0.key) },
      uniquingKeysWith: { $0.generation > $1.generation ? $0 : $1 })
    return Set(taken.filter { other.continues($0.value) }.keys)
  }
}
