package import VaultCrypto
package import VaultModel

/// The way through the trees of a vault: the main one first, and behind each tree those whose records are in it.
///
/// Everybody who reads more than one bucket takes it, whether damage ends the walk or is noted. A tree comes once,
/// whatever records say.
package struct TreeWalk {
  /// A tree on the way.
  package struct Tree {
    package let number: UInt32
    package let level: Int
    package let directory: Directory
    /// What names it in another tree; nil for the main one.
    package let record: TreeRecord?

    /// Where it is, for people.
    package var place: TreePlace { record.map(TreePlace.init) ?? TreePlace(number: 0, level: 0) }
  }

  /// Kept apart: a lookup has no other tree, as a rule, and then needs no memory.
  private var main: Tree?
  /// The next one last.
  private var waiting: [Tree] = []
  /// Those of the tree that is visited now, in the order of its buckets.
  private var found: [Tree] = []
  private var known: Set<UInt32> = []
  /// How many bytes of the rows may still be rows of tags, since every tree has its own; nil until that is asked for.
  private var room: Int?

  package init(_ root: Directory) {
    main = Tree(number: 0, level: 0, directory: root, record: nil)
  }

  /// The next tree, or nil after the last.
  package mutating func next() -> Tree? {
    if let main {
      self.main = nil
      return main
    }
    waiting += found.reversed()
    found.removeAll()
    return waiting.popLast()
  }

  /// Notes a tree that a record names.
  ///
  /// - Parameters:
  ///   - record: Of the level below the tree that is visited now.
  ///   - directory: Is newer than the record's where the tree was changed.
  /// - Returns: False if another record names the same tree: its records would come twice, or without end.
  package mutating func insert(_ record: TreeRecord, _ directory: Directory? = nil) -> Bool {
    guard known.insert(record.number).inserted else { return false }
    found.append(
      Tree(
        number: record.number, level: record.level, directory: directory ?? record.directory,
        record: record))
    return true
  }

  /// Notes a tree that a record names, as ``insert(_:_:)`` does.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if it is at the wrong level, or another record names the same tree.
  mutating func enter(
    _ record: TreeRecord, from tree: Tree, _ directory: Directory? = nil
  ) throws(VaultError) {
    guard record.level == tree.level + 1 else {
      throw VaultError(.damaged, "a tree record stands at the wrong level")
    }
    guard insert(record, directory) else { throw TreeEditor.twoRecords }
  }

  /// Whether a record was found that names a tree, or it is the main one.
  package func knows(_ number: UInt32) -> Bool { number == 0 || known.contains(number) }

  /// Takes room for the chunks of a tree beside those of the trees before it; false if there is not enough.
  ///
  /// A directory can name more chunks than there are: to look for each would take what no row stands for.
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
  /// Gives the number and tag of each bucket, chunk by chunk.
  ///
  /// - Parameters:
  ///   - chunk: Gives the tags of a chunk; nil leaves its buckets out.
  ///   - body: Gets a bucket without records, too: its tag is ``Tag/none``.
  /// - Throws: What `chunk` and `body` throw.
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

/// A tree, and whose records it holds, for people.
package struct TreePlace {
  package let number: UInt32
  package let level: Int
  /// The server of the group; nil in tree 0.
  package var host: HostName?
  /// The account of the group; nil above level 2.
  package var account: String?

  /// The host to tell people: the policy's rules have none.
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
