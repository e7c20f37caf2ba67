import VaultCrypto
package import VaultModel

/// Verifying rows that came from elsewhere, without reading all others.
extension TreeReader {
  /// Checks every node whose tag differs from the one before, and every large secret that changed
  /// and that such a node names.
  ///
  /// A tag covers all tags below it, so nothing has changed below one that is the same. The trees
  /// of heavy groups are checked as a whole if the bucket with their record has changed.
  ///
  /// - Parameters:
  ///   - old: The main tree's directory before; nil checks everything.
  ///   - changed: The ids of the rows that came; nil for all.
  /// - Throws: ``VaultError/Code/damaged`` for a row that is missing or another one than its parent
  ///   names.
  package func checkChanges(
    since old: Directory?, changed: Set<UInt64>?
  ) throws(VaultError) {
    var walk = TreeWalk(root)
    while let tree = walk.next() {
      let known = tree.number == 0 ? old : nil
      let hasSameForm = known?.isChunked == tree.directory.isChunked
      let tags = { (number) throws(VaultError) -> [Tag]? in
        if hasSameForm, let known, number < known.tags.count,
          known.tags[number] == tree.directory.tags[number]
        {
          return nil
        }
        return try self.chunk(number, of: tree.number, in: tree.directory)
      }
      try tree.eachTag(of: tags) { (number, tag) throws(VaultError) in
        if hasSameForm, let known, !known.isChunked, Int(number) < known.tags.count,
          known.tags[Int(number)] == tag
        {
          return
        }
        let content = try bucketContent(number, of: tree.number, tag: tag)
        try checkBucket(content, of: tree, &walk, changed)
      }
    }
  }

  private func checkBucket(
    _ content: [UInt8], of tree: TreeWalk.Tree, _ walk: inout TreeWalk, _ changed: Set<UInt64>?
  ) throws(VaultError) {
    var records = RecordReader(content)
    while let record = try records.next() {
      if record.kind == RecordKind.tree {
        try walk.enter(TreeRecord(decoding: content, record.body), from: tree)
      }
      guard changed?.contains(where: { $0 >= NodeID.firstLargeSecret }) ?? true,
        let large = try ItemRecord.LargeSecret(namedBy: record.kind, content, record.body),
        changed?.contains(large.id) ?? true
      else { continue }
      _ = try secret(large)
    }
  }
}
