import VaultCrypto
import VaultModel

/// The contents of a tree's nodes for its check: in their rows, or in notes about rows that came
/// one after another.
protocol NodeContents {
  /// Returns the tags in a chunk.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if it is missing, or another one than its parent names.
  func tags(ofChunk id: UInt64, _ tag: Tag, count: Int) throws(VaultError) -> [Tag]

  /// Returns what a bucket names outside of itself.
  ///
  /// - Throws: As ``tags(ofChunk:_:count:)``.
  func links(ofBucket id: UInt64, _ tag: Tag) throws(VaultError) -> BucketLinks

  /// Checks the row of a large secret.
  ///
  /// - Throws: As ``tags(ofChunk:_:count:)``.
  func check(_ large: ItemRecord.LargeSecret) throws(VaultError)
}

/// The groups and large secrets that the records of a bucket name outside of it.
struct BucketLinks {
  private(set) var groups: [TreeRecord] = []
  private(set) var secrets: [ItemRecord.LargeSecret] = []

  /// Creates the links of an empty bucket.
  init() {}

  /// Creates the links of a bucket.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if its records cannot be told apart.
  init(of content: [UInt8]) throws(VaultError) {
    var records = RecordReader(content)
    while let record = try records.next() {
      if record.kind == RecordKind.tree {
        groups.append(try TreeRecord(decoding: content, record.body))
      } else if let large = try ItemRecord.LargeSecret(
        namedBy: record.kind, content, record.body)
      {
        secrets.append(large)
      }
    }
  }

  var isEmpty: Bool { groups.isEmpty && secrets.isEmpty }
}

extension NodeContents {
  /// Checks every node whose tag differs from the one before, and every large secret that such a
  /// node names.
  ///
  /// A tag covers all tags below it, so nothing has changed below one that is the same.
  ///
  /// - Parameters:
  ///   - root: The directory of the main tree.
  ///   - old: The tree before; nil checks everything.
  /// - Returns: The ids of the rows that were checked.
  /// - Throws: ``VaultError/Code/damaged``.
  func checkNodes(
    below root: Directory, since old: EarlierTree? = nil
  ) throws(VaultError) -> Set<UInt64> {
    var walk = TreeWalk(root)
    var checked: Set<UInt64> = []
    var directories: [UInt32: Directory] = [:]
    if let old { directories[0] = old.head.directory }
    while let tree = walk.next() {
      let (directory, before) = (tree.directory, directories[tree.number])
      for chunk in 0..<(directory.isChunked ? directory.tags.count : 1) {
        var tags = directory.tags
        if directory.isChunked {
          let tag = tags[chunk]
          if let before, before.isChunked, before.tags.count > chunk, before.tags[chunk] == tag {
            continue
          }
          let id = NodeID.chunk(chunk, tree: tree.number)
          let count = Chunk.tagCount(chunk, bucketCount: directory.bucketCount)
          tags = try self.tags(ofChunk: id, tag, count: count)
          checked.insert(id)
        }
        let known = before.flatMap { old?.tags(ofChunk: chunk, of: tree.number, in: $0) } ?? []
        for (index, tag) in tags.enumerated() where tag != .none {
          let earlier = index < known.count ? known[index] : .none
          if earlier == tag { continue }
          let bucket = Directory.firstBucket(of: chunk) + UInt32(index)
          let id = NodeID.bucket(bucket, tree: tree.number)
          let links = try links(ofBucket: id, tag)
          checked.insert(id)
          for group in links.groups {
            try walk.enter(group, from: tree)
            directories[group.number] = old?.directory(of: group, inBucket: id, earlier)
          }
          for secret in links.secrets {
            try check(secret)
            checked.insert(secret.id)
          }
        }
      }
    }
    return checked
  }
}

extension TreeReader: NodeContents {
  func tags(ofChunk id: UInt64, _ tag: Tag, count: Int) throws(VaultError) -> [Tag] {
    try Chunk.decode(open(.chunk, id, tag), count: count)
  }

  func links(ofBucket id: UInt64, _ tag: Tag) throws(VaultError) -> BucketLinks {
    try BucketLinks(of: open(.bucket, id, tag))
  }

  func check(_ large: ItemRecord.LargeSecret) throws(VaultError) { _ = try secret(large) }
}
