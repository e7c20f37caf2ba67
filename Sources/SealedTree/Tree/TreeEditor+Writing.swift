package import VaultCrypto
package import VaultModel

/// Sealing and writing the changes: buckets, then their chunks, then the head.
extension TreeEditor {
  /// Writes every change, within the open transaction of the rows.
  ///
  /// A fleet's machine signs the head, if the vault has machines.
  ///
  /// - Returns: The new head and its sealed row.
  package func write(
    previous: Tag, to rows: any RowSource, now: Timestamp, signedBy signer: CommitSigner? = nil
  ) throws(VaultError) -> (head: Head, sealed: [UInt8]) {
    try writeNodes(to: rows)
    if let joined {
      try succeed(previous, joined, to: rows, now: now)
    } else {
      try head.succeed(previous, at: now, sealing: keys, to: rows)
    }
    try head.complete(after: storedHead, signedBy: signer, sealing: keys, to: rows)
    let sealed = keys.seal(head.encoded, as: .head, id: 0)
    try rows.put(head: sealed)
    return (head, sealed)
  }

  /// Advances the head of a merge, and writes the blocks of ancestors of both copies.
  private func succeed(
    _ previous: Tag, _ other: Ancestry, to rows: any RowSource, now: Timestamp
  ) throws(VaultError) {
    let old = try base.ancestors(of: storedHead)
    try head.succeed(previous, at: now)
    let blocks = Ancestry(of: storedHead, previous, old).blocks(joining: other, at: head.generation)
    try rows.remove(old)
    head.ancestors = try rows.put(blocks, keys)
  }

  /// Writes every change except the head, which then names what was written.
  package func writeNodes(to rows: any RowSource) throws(VaultError) {
    // First of all, because a merged bucket may have been created again since, with the same id.
    for id in obsolete { try rows.remove(id) }
    try writeGroups(to: rows)
    for secret in largeSecrets { try rows.put(secret.sealed, under: secret.id) }
    try writeTree(tree, to: rows)
    head.directory = tree.directory
  }

  /// Writes the innermost trees first, since each one's directory is in a bucket of its parent.
  private func writeGroups(to rows: any RowSource) throws(VaultError) {
    let innermostFirst = groups.values.sorted { ($0.level, $0.number) > ($1.level, $1.number) }
    for group in innermostFirst where group.isEdited {
      guard let parent = group.parent else { continue }
      try writeTree(group, to: rows)
      let bucket = try editableBucket(of: parent, key: group.groupKey)
      for (index, entry) in bucket.entries.enumerated() where entry.record.kind == RecordKind.tree {
        let body = entry.record.body
        var record = try TreeRecord(decoding: body, 0..<body.count)
        guard record.number == group.number else { continue }
        record.directory = group.directory
        bucket.entries[index] = EditableBucket.Entry(
          record: Record(kind: RecordKind.tree, body: record.encoded), hash: entry.hash)
      }
      bucket.isEdited = true
    }
  }

  private func writeTree(
    _ tree: EditableTree, to rows: any RowSource
  ) throws(VaultError) {
    for (number, bucket) in tree.buckets.sorted(by: { $0.key < $1.key }) where bucket.isEdited {
      let tag = try write(bucket, number, of: tree, to: rows)
      let chunk = Int(number) / Directory.tagsPerChunk
      var tags = try tags(chunk, of: tree)
      tags[Int(number) % Directory.tagsPerChunk] = tag
      tree.chunks[chunk] = tags
      tree.editedChunks.insert(chunk)
    }
    try writeChunks(of: tree, to: rows)
  }

  private func write(
    _ bucket: EditableBucket, _ number: UInt32, of tree: EditableTree, to rows: any RowSource
  ) throws(VaultError) -> Tag {
    let id = NodeID.bucket(number, tree: tree.number)
    guard !bucket.entries.isEmpty else {
      if try tag(number, tree) != .none { try rows.remove(id) }
      return .none
    }
    let sealed = keys.seal(bucket.content, as: .bucket, id: id)
    try rows.put(sealed, under: id)
    return Tag(ofSealed: sealed)
  }

  private func writeChunks(
    of tree: EditableTree, to rows: any RowSource
  ) throws(VaultError) {
    let stored = tree.stored
    let oldCount = stored.isChunked ? Directory.chunkCount(stored.bucketCount) : 0
    let isChunked = tree.directory.isChunked
    let newCount = isChunked ? Directory.chunkCount(tree.directory.bucketCount) : 0
    for number in min(newCount, oldCount)..<oldCount {
      try rows.remove(NodeID.chunk(number, tree: tree.number))
    }
    guard isChunked else {
      tree.directory.tags = try tags(0, of: tree)
      return
    }
    if !stored.isChunked { tree.editedChunks.insert(0) }
    var chunkTags = stored.isChunked ? Array(stored.tags.prefix(newCount)) : []
    chunkTags += Array(repeating: .none, count: newCount - chunkTags.count)
    for number in tree.editedChunks.sorted() where number < newCount {
      let id = NodeID.chunk(number, tree: tree.number)
      let content = Chunk.encode(try tags(number, of: tree))
      let sealed = keys.seal(content, as: .chunk, id: id)
      try rows.put(sealed, under: id)
      chunkTags[number] = Tag(ofSealed: sealed)
    }
    tree.directory.tags = chunkTags
  }
}
