package import VaultCrypto
package import VaultModel

/// The order in which the trees of a vault are read: the main one first, and after each tree those
/// whose records it holds.
///
/// Everything that reads more than one bucket uses it, whether damage ends the walk or is noted.
/// Each tree is visited once, whatever the records say.
package struct TreeWalk {
  /// A tree of the walk.
  package struct Tree {
    package let number: UInt32
    package let level: Int
    package let directory: Directory
    /// The record in another tree that names it; nil for the main tree.
    package let record: TreeRecord?

    /// Its place, for messages.
    package var place: TreePlace { record.map(TreePlace.init) ?? TreePlace(number: 0, level: 0) }
  }

  /// Separate from ``waiting``: a lookup usually visits no other tree, and then allocates nothing.
  private var main: Tree?
  /// In reverse order: the next one is the last.
  private var waiting: [Tree] = []
  /// Those named by the current tree, in the order of its buckets.
  private var found: [Tree] = []
  private var known: Set<UInt32> = []
  /// The number of bytes of rows that may still be chunks, since each tree has chunks of its own;
  /// nil until it is needed.
  private var room: Int?

  package init(_ root: Directory) {
    main = Tree(number: 0, level: 0, directory: root, record: nil)
  }

  /// Returns the next tree, or nil after the last.
  package mutating func next() -> Tree? {
    if let main {
      self.main = nil
      return main
    }
    waiting += found.reversed()
    found.removeAll()
    return waiting.popLast()
  }

  /// Adds a tree that a record names.
  ///
  /// - Parameters:
  ///   - record: A record of the level below the current tree.
  ///   - directory: The directory, if the tree was changed after the record was written.
  /// - Returns: False if another record names the same tree: its records would be read twice, or
  ///   forever.
  package mutating func insert(_ record: TreeRecord, _ directory: Directory? = nil) -> Bool {
    guard known.insert(record.number).inserted else { return false }
    found.append(
      Tree(
        number: record.number, level: record.level, directory: directory ?? record.directory,
        record: record))
    return true
  }

  /// Adds a tree that a record names, as ``insert(_:_:)`` does.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if it is at the wrong level, or another record names the
  ///   same tree.
  mutating func enter(
    _ record: TreeRecord, from tree: Tree, _ directory: Directory? = nil
  ) throws(VaultError) {
    guard record.level == tree.level + 1 else {
      throw VaultError(.damaged, "a tree record is at the wrong level")
    }
    guard insert(record, directory) else { throw TreeEditor.twoRecords }
  }

  /// Returns whether it is the main tree, or one that a record names.
  package func knows(_ number: UInt32) -> Bool { number == 0 || known.contains(number) }

  /// Reserves bytes for the chunks of a tree, beside those of earlier trees; false if too few are
  /// left.
  ///
  /// A directory can claim more chunks than there are rows. Without the limit, a reader would look
  /// for each of them.
  package mutating func takeRoom(
    for tree: Tree, of byteCount: () throws(VaultError) -> Int
  ) throws(VaultError) -> Bool {
    let needed = tree.directory.lowestChunkByteCount
    guard needed > 0 else { return true }
    let free = if let room { room } else { try byteCount() }
    guard needed <= free else { return false }
    room = free - needed
    return true
  }
}

extension TreeWalk.Tree {
  /// Calls `body` with the number and tag of each bucket, chunk by chunk.
  ///
  /// - Parameters:
  ///   - chunk: Returns the tags of a chunk; nil skips its buckets.
  ///   - body: Called for empty buckets too: their tag is ``Tag/none``.
  /// - Throws: Any error of `chunk` and `body`.
  package func eachTag(
    of chunk: (Int) throws(VaultError) -> [Tag]?,
    _ body: (UInt32, Tag) throws(VaultError) -> Void
  ) throws(VaultError) {
    guard directory.isChunked else {
      for (number, tag) in zip(UInt32(0)..., directory.tags) { try body(number, tag) }
      return
    }
    for number in 0..<Directory.chunkCount(directory.bucketCount) {
      guard let tags = try chunk(number) else { continue }
      for (bucket, tag) in zip(Directory.firstBucket(of: number)..., tags) { try body(bucket, tag) }
    }
  }
}

/// A tree with the group whose records it holds, for messages.
package struct TreePlace {
  package let number: UInt32
  package let level: Int
  /// The server of the group; nil in tree 0.
  package var host: HostName?
  /// The account of the group; nil above level 2.
  package var account: String?

  /// The host for messages; nil for the policy's rules.
  package var server: HostName? {
    host.flatMap { $0.name.utf8.elementsEqual(Route.rulesHost) ? nil : $0 }
  }

  fileprivate init(number: UInt32, level: Int) {
    self.number = number
    self.level = level
  }

  package init(_ group: TreeRecord) {
    self.init(number: group.number, level: group.level)
    host = HostName(canonical: String(decoding: group.host, as: UTF8.self))
    if level == 2 { account = String(decoding: group.account, as: UTF8.self) }
  }
}
