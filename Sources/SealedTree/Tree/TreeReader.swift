package import SecureMemory
package import VaultCrypto
package import VaultModel

/// Reads nodes from their rows, each proven by the tag that its parent names.
///
/// Source: `Documentation/format.md` §5.2, "the integrity rule".
package final class TreeReader: BucketSource {
  package let keys: EpochKeys
  package var root: Directory
  package let clock: VaultClock
  private let rows: any RowSource
  private var cache = NodeCache()
  /// Called before a row is read, so that it is read in the same transaction as the head.
  private let beforeReading: () throws(VaultError) -> Void

  package init(
    keys: EpochKeys, root: Directory, rows: any RowSource, clock: VaultClock,
    beforeReading: @escaping () throws(VaultError) -> Void
  ) {
    self.keys = keys
    self.root = root
    self.rows = rows
    self.clock = clock
    self.beforeReading = beforeReading
  }

  package func forgetNodes() {
    cache.removeAll()
  }

  package func directory(of tree: TreeRecord) throws(VaultError) -> Directory {
    tree.directory
  }

  package func bucket(
    _ number: UInt32, of tree: UInt32, in directory: Directory
  ) throws(VaultError) -> [UInt8] {
    try bucketContent(number, of: tree, tag: tag(number, of: tree, in: directory))
  }

  package func bucketContent(
    _ number: UInt32, of tree: UInt32, tag: Tag
  ) throws(VaultError) -> [UInt8] {
    guard tag != .none else { return [] }
    return try node(.bucket, NodeID.bucket(number, tree: tree), tag)
  }

  /// Returns the tags of a chunk.
  package func chunk(
    _ number: Int, of tree: UInt32, in directory: Directory
  ) throws(VaultError) -> [Tag] {
    let content = try chunkContent(number, of: tree, in: directory)
    return try Chunk.decode(
      content, count: Chunk.tagCount(number, bucketCount: directory.bucketCount))
  }

  func tag(
    _ bucket: UInt32, of tree: UInt32, in directory: Directory
  ) throws(VaultError) -> Tag {
    guard directory.isChunked else { return directory.tags[Int(bucket)] }
    let chunk = Int(bucket) / Directory.tagsPerChunk
    let content = try chunkContent(chunk, of: tree, in: directory)
    return Tag(content, at: Int(bucket) % Directory.tagsPerChunk * Tag.byteCount)
  }

  private func chunkContent(
    _ number: Int, of tree: UInt32, in directory: Directory
  ) throws(VaultError) -> [UInt8] {
    let content = try node(.chunk, NodeID.chunk(number, tree: tree), directory.tags[number])
    let count = Chunk.tagCount(number, bucketCount: directory.bucketCount)
    guard content.count == count * Tag.byteCount else {
      throw VaultError(.damaged, "a chunk has the wrong length")
    }
    return content
  }

  private func node(_ kind: NodeKind, _ id: UInt64, _ tag: Tag) throws(VaultError) -> [UInt8] {
    if let content = cache.content(id, tag: tag) { return content }
    let content = try open(kind, id, tag)
    cache.insert(content, id, tag: tag)
    return content
  }

  /// Returns the content of a row that is the one that its parent names, without the cache.
  func open(_ kind: NodeKind, _ id: UInt64, _ tag: Tag) throws(VaultError) -> [UInt8] {
    try keys.open(row(id, tag), as: kind, id: id)
  }

  /// Returns a node's row, if it is the one that its parent names.
  private func row(_ id: UInt64, _ tag: Tag) throws(VaultError) -> [UInt8] {
    try beforeReading()
    guard let sealed = try rows.row(id) else { throw VaultError(.damaged, "row \(id) is missing") }
    // Checked before anything is opened: a row that was authentic once is rejected here.
    guard Tag(ofSealed: sealed) == tag else {
      throw VaultError(.damaged, "row \(id) is not the one that its parent names")
    }
    return sealed
  }

  // MARK: Whole tree

  /// Calls `body` once with the content of every bucket of every tree, without the cache.
  ///
  /// - Parameter body: May change its copy. The buckets of a heavy group come after all buckets of
  ///   the tree with its record.
  /// - Throws: ``VaultError/Code/damaged``, and what `body` throws.
  package func eachBucket(
    _ body: (inout [UInt8]) throws(VaultError) -> Void
  ) throws(VaultError) {
    var walk = TreeWalk(root)
    while let tree = walk.next() {
      var load: UInt64 = 0
      let tags = { (chunk) throws(VaultError) in
        try self.chunk(chunk, of: tree.number, in: tree.directory)
      }
      try tree.eachTag(of: tags) { (number, tag) throws(VaultError) in
        guard tag != .none else { return }
        let id = NodeID.bucket(number, tree: tree.number)
        var content = try keys.open(row(id, tag), as: .bucket, id: id)
        var records = RecordReader(content)
        while let record = try records.next() {
          load += 1
          guard record.kind == RecordKind.tree else { continue }
          try walk.enter(TreeRecord(decoding: content, record.body), from: tree)
        }
        try body(&content)
      }
      guard load == tree.directory.load else {
        throw VaultError(
          .damaged, "tree \(tree.number) does not have as many records as its directory says")
      }
    }
  }

  // MARK: Secrets

  /// Returns the secret of an item.
  package func secret(of record: ItemRecord) throws(VaultError) -> Secret {
    if let large = record.largeSecret { return try secret(large) }
    guard !record.sealedSecret.isEmpty else { return Secret("") }
    return try keys.open(
      record.sealedSecret, use: .secret, item: record.item.id)
  }

  /// Returns a secret that has its own row.
  package func secret(_ large: ItemRecord.LargeSecret) throws(VaultError) -> Secret {
    try keys.openLargeSecret(row(large.id, large.tag), id: large.id, count: Int(large.count))
  }

  /// Returns an item for a caller; an expired one never has secrets.
  package func item(
    of record: ItemRecord, withSecrets: Bool
  ) throws(VaultError) -> Item {
    withSecrets && !record.item.isExpired(by: clock) ? try opened(record) : record.item
  }

  /// Returns the item with its secrets opened, expired or not.
  package func opened(_ record: ItemRecord) throws(VaultError) -> Item {
    try opened(record, secret: secret(of: record))
  }

  /// Returns the item with a secret that was opened elsewhere, and its further secrets.
  package func opened(
    _ record: ItemRecord, secret: Secret
  ) throws(VaultError) -> Item {
    var item = record.item
    item.storedSecret = secret
    for attribute in record.furtherSecrets.keys {
      item[secret: attribute] = try opened(attribute, of: record)
    }
    return item
  }

  /// Returns the refresh token of an item, also if the item's own time is over; nil if it has none,
  /// or the time that a policy gives both is over.
  package func refreshToken(of record: ItemRecord) throws(VaultError) -> Secret? {
    if let keptUntil = record.item.keptUntil, keptUntil <= clock.now() { return nil }
    return try opened(.refreshToken, of: record)
  }

  private func opened(
    _ attribute: Attribute, of record: ItemRecord
  ) throws(VaultError) -> Secret? {
    guard let sealed = record.furtherSecrets[attribute] else { return nil }
    return try keys.open(sealed, use: SecretUse(attribute), item: record.item.id)
  }
}

/// Opened nodes, each under the tag that verifies it.
///
/// A node is looked up by the tag from its parent, so an entry is never stale: a different tag is a
/// different node. Contents are attributes; the secrets in them are still sealed.
package struct NodeCache {
  private struct Node {
    let tag: Tag
    let content: [UInt8]
  }

  private let highestByteCount: Int
  private var nodes: [UInt64: Node] = [:]
  private var byteCount = 0

  package init(highestByteCount: Int = 64 << 20) {
    self.highestByteCount = highestByteCount
  }

  package func content(_ id: UInt64, tag: Tag) -> [UInt8]? {
    guard let node = nodes[id], node.tag == tag else { return nil }
    return node.content
  }

  package mutating func insert(_ content: [UInt8], _ id: UInt64, tag: Tag) {
    if byteCount + content.count > highestByteCount { removeAll() }
    byteCount += content.count
    if let old = nodes.updateValue(Node(tag: tag, content: content), forKey: id) {
      byteCount -= old.content.count
    }
  }

  package mutating func removeAll() {
    nodes.removeAll()
    byteCount = 0
  }
}
