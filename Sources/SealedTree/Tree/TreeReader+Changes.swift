import VaultCrypto
package import VaultModel

/// Verifying rows that came from elsewhere, without reading all others.
extension TreeReader {
  /// Checks that a head names every row that was written, and none that was removed.
  ///
  /// Nothing is taken from the cache: what was opened before proves nothing about a row now.
  ///
  /// - Parameters:
  ///   - written: The ids of the nodes that differ from those before.
  ///   - removed: The ids of the nodes that were removed.
  ///   - head: The head, whose directory is ``root``.
  ///   - old: The tree before, in which every other row is known to be right; nil checks
  ///     everything.
  /// - Throws: ``VaultError/Code/damaged`` for a row that is missing, that is another one than its
  ///   parent names, or that nothing names.
  package func check(
    written: Set<UInt64>, removed: Set<UInt64>, of head: Head, since old: EarlierTree?
  ) throws(VaultError) {
    var named: Set<UInt64> = []
    let changed = written.union(removed)
    if head.ancestors != old?.head.ancestors || changed.contains(where: Self.isBlock) {
      named.formUnion(try blockRows(of: head, written, removed, since: old?.head))
    }
    named.formUnion(try checkNodes(below: root, since: old))
    let commits = changed.filter(Self.isCommit)
    if !commits.isEmpty {
      // Whether the row of an older commit may be removed, the whole chain tells.
      let isRecent = removed.isDisjoint(with: commits)
      let known = isRecent ? old?.head.generation ?? 0 : 0
      named.formUnion(try commitRows(of: head, from: known))
    }
    let isProven = written.isSubset(of: named) ? try namesNone(of: removed) : false
    if old != nil, !isProven {
      // A change that is rare, or a lie: only the whole tree tells.
      named.formUnion(try checkNodes(below: root))
    }
    guard let stray = written.subtracting(named).min() else { return }
    throw IncomingTree.stray(stray)
  }

  private static func isBlock(_ id: UInt64) -> Bool { NodeID.kind(of: id) == .ancestors }

  private static func isCommit(_ id: UInt64) -> Bool { NodeID.kind(of: id) == .commit }

  /// Returns the rows of a head's blocks of ancestors: only the new ones, if they continue those
  /// before.
  private func blockRows(
    of head: Head, _ written: Set<UInt64>, _ removed: Set<UInt64>, since old: Head?
  ) throws(VaultError) -> [UInt64] {
    var blocks: [AncestorBlock]?
    if let old {
      let new = NodeID.ancestors(AncestorBlock.number(of: old.generation))
      let kept = NodeID.ancestors(AncestorBlock.kept(at: head.generation).lowerBound)
      let isUsual =
        written.allSatisfy { !Self.isBlock($0) || $0 >= new }
        && removed.allSatisfy { !Self.isBlock($0) || $0 < kept }
      let added = isUsual ? try ancestors(of: head, from: old.generation) : []
      if isUsual, (added.first?.previous ?? head.ancestors) == old.ancestors { blocks = added }
    }
    // A block is named by its successor alone, so the rows of a few others need all of them.
    let all = if let blocks { blocks } else { try ancestors(of: head) }
    return all.map { NodeID.ancestors($0.number) }
  }

  /// Returns whether the main tree's directory and tags show that it has no rows with these ids;
  /// false if only other nodes could tell.
  private func namesNone(of ids: Set<UInt64>) throws(VaultError) -> Bool {
    for id in ids where id < NodeID.firstAncestors {
      guard id <= NodeID.chunk(Int(UInt32.max), tree: 0) else { return false }
      let number = UInt32(truncatingIfNeeded: id)
      if id == NodeID.bucket(number, tree: 0) {
        guard number < root.bucketCount else { continue }
        guard try tag(number, of: 0, in: root) == .none else { return false }
      } else if root.isChunked, number < root.tags.count {
        return false
      }
    }
    return true
  }
}
