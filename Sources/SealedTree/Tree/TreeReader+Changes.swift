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
  ///   - old: The head before, below which every other row is known to be right; nil checks
  ///     everything.
  /// - Throws: ``VaultError/Code/damaged`` for a row that is missing, that is another one than its
  ///   parent names, or that nothing names.
  package func check(
    written: Set<UInt64>, removed: Set<UInt64>, of head: Head, since old: Head?
  ) throws(VaultError) {
    var named: Set<UInt64> = []
    // A block is named by its successor alone, so the rows of a few need all of them.
    if head.ancestors != old?.ancestors || written.union(removed).contains(where: Self.isBlock) {
      named.formUnion(try ancestors(of: head).map { NodeID.ancestors($0.number) })
    }
    named.formUnion(try checkNodes(since: old?.directory))
    let commits = written.union(removed).filter(Self.isCommit)
    if !commits.isEmpty {
      // Whether the row of an older commit may be removed, the whole chain tells.
      let isRecent = removed.isDisjoint(with: commits)
      let known = isRecent ? old?.generation ?? 0 : 0
      named.formUnion(try commitRows(of: head, from: known))
    }
    let isProven = written.isSubset(of: named) ? try namesNone(of: removed) : false
    if old != nil, !isProven {
      // A change that is rare, or a lie: only the whole tree tells.
      named.formUnion(try checkNodes(since: nil))
    }
    guard let stray = written.subtracting(named).min() else { return }
    throw VaultError(.damaged, "row \(stray) is named by no other")
  }

  private static func isBlock(_ id: UInt64) -> Bool {
    (NodeID.firstAncestors..<NodeID.firstCommit).contains(id)
  }

  private static func isCommit(_ id: UInt64) -> Bool { id >= NodeID.firstCommit }

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

  /// Checks every node whose tag differs from the one before, and every large secret that such a
  /// node names.
  ///
  /// A tag covers all tags below it, so nothing has changed below one that is the same. The trees
  /// of heavy groups are checked as a whole if the bucket with their record has changed.
  ///
  /// - Parameter old: The main tree's directory before; nil checks everything.
  /// - Returns: The ids of the rows that were read.
  /// - Throws: ``VaultError/Code/damaged``.
  private func checkNodes(since old: Directory?) throws(VaultError) -> Set<UInt64> {
    var walk = TreeWalk(root)
    var checked: Set<UInt64> = []
    while let tree = walk.next() {
      let directory = tree.directory
      let hasSameForm = tree.number == 0 && old?.isChunked == directory.isChunked
      let known = hasSameForm ? old?.tags ?? [] : []
      for (number, tag) in directory.tags.enumerated() {
        if number < known.count, known[number] == tag { continue }
        guard directory.isChunked else {
          try checkBucket(UInt32(number), tag, of: tree, &walk, &checked)
          continue
        }
        let id = NodeID.chunk(number, tree: tree.number)
        let count = Chunk.tagCount(number, bucketCount: directory.bucketCount)
        let tags = try Chunk.decode(open(.chunk, id, tag), count: count)
        checked.insert(id)
        for (bucket, tag) in zip(Directory.firstBucket(of: number)..., tags) {
          try checkBucket(bucket, tag, of: tree, &walk, &checked)
        }
      }
    }
    return checked
  }

  private func checkBucket(
    _ number: UInt32, _ tag: Tag, of tree: TreeWalk.Tree, _ walk: inout TreeWalk,
    _ checked: inout Set<UInt64>
  ) throws(VaultError) {
    guard tag != .none else { return }
    let id = NodeID.bucket(number, tree: tree.number)
    let content = try open(.bucket, id, tag)
    checked.insert(id)
    var records = RecordReader(content)
    while let record = try records.next() {
      if record.kind == RecordKind.tree {
        try walk.enter(TreeRecord(decoding: content, record.body), from: tree)
      } else if let large = try ItemRecord.LargeSecret(
        namedBy: record.kind, content, record.body)
      {
        _ = try secret(large)
        checked.insert(large.id)
      }
    }
  }
}
