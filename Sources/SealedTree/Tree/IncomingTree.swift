package import VaultCrypto
package import VaultModel

/// The nodes of a whole tree that come one after another, as for a new replica.
///
/// Each is opened when it comes, while the next ones are under way, and what it names is noted. So
/// none has to be read again when the head's tags are compared at the end.
package struct IncomingTree: Sendable {
  private let keys: EpochKeys
  private let mayLink: Bool
  private var tags: [UInt64: Tag] = [:]
  private var chunks: [UInt64: [UInt8]] = [:]
  /// Those that name anything.
  private var links: [UInt64: BucketLinks] = [:]
  private var secrets: [UInt64: ItemRecord.LargeSecret] = [:]
  private var last: UInt64?
  private var (blockCount, commitCount): (UInt64, UInt64) = (0, 0)

  /// Creates a tree without nodes.
  ///
  /// - Parameters:
  ///   - keys: Open the nodes.
  ///   - head: The head, of which only what it says of all its buckets is used before the end.
  package init(_ keys: EpochKeys, below head: Head) {
    self.keys = keys
    mayLink = head.mayLink
  }

  /// Opens a node, and notes what it names.
  ///
  /// - Parameters:
  ///   - id: The row's id, higher than those before: so every bucket comes before the chunk and the
  ///     large secrets that belong to it.
  ///   - sealed: The row.
  /// - Throws: ``VaultError/Code/damaged`` if it does not open, if nothing names it, or if no vault
  ///   has so many of its kind: the server could go on sending without end.
  package mutating func take(_ id: UInt64, _ sealed: [UInt8]) throws(VaultError) {
    guard last.map({ $0 < id }) ?? true else {
      throw VaultError(.damaged, "row \(id) came twice, or too late")
    }
    last = id
    let tag = Tag(ofSealed: sealed)
    tags[id] = tag
    switch NodeID.kind(of: id) {
    case .chunk: chunks[id] = try keys.open(sealed, as: .chunk, id: id)
    case .bucket:
      guard mayLink else {
        // A third of the time of opening it, and what it has is of no use here.
        return try keys.requireAuthentic(sealed, as: .bucket, id: id)
      }
      let found = try BucketLinks(of: keys.open(sealed, as: .bucket, id: id))
      guard !found.isEmpty else { return }
      links[id] = found
      for secret in found.secrets { secrets[secret.id] = secret }
    case .largeSecret:
      guard let large = secrets[id] else { throw Self.stray(id) }
      _ = try keys.openLargeSecret(sealed, id: id, count: Int(large.count))
    // Their chains are read from the head on.
    case .ancestors:
      blockCount += 1
      guard blockCount <= AncestorBlock.keptCount else { throw Self.stray(id) }
    case .commit:
      commitCount += 1
      guard commitCount <= PastCommit.keptCount else { throw Self.stray(id) }
    case .head: throw Self.stray(id)
    }
  }

  /// Requires that a head names exactly the rows that came.
  ///
  /// - Parameters:
  ///   - head: The head.
  ///   - reader: Reads the rows that came.
  /// - Throws: ``VaultError/Code/damaged``.
  package func check(_ head: Head, with reader: TreeReader) throws(VaultError) {
    var named = try checkNodes(below: head.directory)
    named.formUnion(try reader.ancestors(of: head).map { NodeID.ancestors($0.number) })
    named.formUnion(try reader.commitRows(of: head))
    guard let stray = tags.keys.filter({ !named.contains($0) }).min() else { return }
    throw Self.stray(stray)
  }

  static func stray(_ id: UInt64) -> VaultError {
    VaultError(.damaged, "row \(id) is named by no other")
  }
}

extension IncomingTree: NodeContents {
  func tags(ofChunk id: UInt64, _ tag: Tag, count: Int) throws(VaultError) -> [Tag] {
    try require(id, tag)
    return try Chunk.decode(chunks[id] ?? [], count: count)
  }

  func links(ofBucket id: UInt64, _ tag: Tag) throws(VaultError) -> BucketLinks {
    try require(id, tag)
    return links[id] ?? BucketLinks()
  }

  func check(_ large: ItemRecord.LargeSecret) throws(VaultError) {
    try require(large.id, large.tag)
    // Two records that name one row must agree about it.
    guard secrets[large.id] == large else { throw Self.isAnother(large.id) }
  }

  private func require(_ id: UInt64, _ tag: Tag) throws(VaultError) {
    guard let found = tags[id] else { throw VaultError(.damaged, "row \(id) is missing") }
    guard found == tag else { throw Self.isAnother(id) }
  }

  private static func isAnother(_ id: UInt64) -> VaultError {
    VaultError(.damaged, "row \(id) is not the one that its parent names")
  }
}
