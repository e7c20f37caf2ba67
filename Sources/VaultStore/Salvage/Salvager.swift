import SealedTree
import SecureMemory
import VaultCrypto
import VaultModel
import VaultReports

/// A search for everything in a damaged vault that can still be opened: along its tree as far as
/// that is intact, then by each row's own seal.
///
/// Records are judged one by one: a problem is recorded, and the search continues with the next
/// record. For a saved record, only its place is kept, with hashes of the values that no other may
/// share.
final class Salvager {
  /// The place of a saved record.
  struct Saved {
    /// The index of its row.
    let node: UInt32
    /// Its offset in the row's content.
    let offset: UInt32
    let kind: UInt8
    let isVerified: Bool
  }

  /// A previous secret, which needs its item, or the removed item that it belongs to.
  struct Previous {
    /// A hash of the owner.
    let owner: UInt64
    let replaced: Timestamp
    let saved: Saved
  }

  private struct Tree {
    let place: TreePlace
    let directory: Directory
    /// The buckets that cannot be read, in ascending order.
    var lost: [ClosedRange<UInt32>] = []
  }

  private struct GroupKey: Hashable {
    let parent: UInt32
    let key: [UInt8]
  }

  let rows: RawRows
  let keys: EpochKeys
  var head: Head? { rows.head }
  /// The saved records, finally in the order of their rows, so that each row is opened once for all
  /// of its records.
  var saved: [Saved] = []
  /// The index of the item in ``saved``, for each previous secret there.
  var owners: [Int: Int] = [:]
  /// The counts and problems for the report.
  private var account = SalvageAccount()
  var report: SalvageReport { account.report }
  /// The newest modification time and revision of a saved item.
  private(set) var modified = Timestamp(milliseconds: .min)
  private(set) var revision: UInt64 = 0
  var previous: [Previous] = []
  private var trees: [UInt32: Tree] = [:]
  /// The tree of a heavy group, by its level and key, in which its records are looked up.
  private var groups: [GroupKey: UInt32] = [:]
  private var readNodes: Set<Int> = []
  let hashes: RecordHashes
  private var known: Set<UInt64> = []
  private var ruleCount = 0
  /// Opens the secrets that would be resealed, and discards the result.
  private let probe: Resealer

  /// Searches all rows; `progress` is called with the share of them that was read, 0 to 1.
  init(
    _ rows: RawRows, _ keys: EpochKeys, progress: (Double) -> Void
  ) throws(VaultError) {
    self.rows = rows
    self.keys = keys
    hashes = RecordHashes(keys: keys)
    rows.find(with: keys)
    probe = Resealer(old: keys, new: keys) { (large) throws(VaultError) in
      _ = try Self.largeSecret(large, rows, keys)
      return large
    }
    if let head = rows.head {
      try visitTrees(TreeWalk(head.directory), progress)
    } else {
      account.note(
        VaultProblem(.chunk, "the head is lost: nothing can be proven to be current"))
    }
    if head == nil || !report.problems.isEmpty { try takeUnverified() }
    takeHistories()
    sortSaved()
    account.conclude(itemCount: saved.count { $0.kind == RecordKind.item }, head: head)
  }

  /// Returns a secret that has its own row.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if the row is lost.
  static func largeSecret(
    _ large: ItemRecord.LargeSecret, _ rows: RawRows, _ keys: EpochKeys
  ) throws(VaultError) -> Secret {
    guard let node = rows.node(large.id, large.tag) else {
      throw VaultError(.damaged, "the row of its secret is lost")
    }
    return try keys.openLargeSecret(
      rows.sealed(rows.nodes[node]), id: large.id, count: Int(large.count))
  }

  /// Returns a saved record from its bucket, with kind and length.
  func record(_ saved: Saved) throws(VaultError) -> [UInt8] {
    let content = try rows.content(rows.nodes[Int(saved.node)], keys)
    var position = Int(saved.offset) + 1
    let count = Int(try content.varint(at: &position, end: content.count))
    return Array(content[Int(saved.offset)..<position + count])
  }

  // MARK: Along the tree

  private func visitTrees(
    _ start: TreeWalk, _ progress: (Double) -> Void
  ) throws(VaultError) {
    let total = Double(max(1, rows.nodes.count))
    var walk = start
    while let tree = walk.next() {
      let place = tree.place
      trees[tree.number] = Tree(place: place, directory: tree.directory)
      var load: UInt64 = 0
      var inner: [TreeRecord] = []
      if try walk.takeRoom(for: tree, of: { rows.byteCount }) {
        let tags = { self.tags($0, place, tree.directory) }
        try tree.eachTag(of: tags) { (number, tag) throws(VaultError) in
          if tag != .none { load += try visit(number, tag, of: place, into: &inner) }
          progress(Double(readNodes.count) / total)
        }
      } else {
        lose(0...tree.directory.bucketCount - 1, place)
      }
      account.missing += max(0, Int(clamping: tree.directory.load) - Int(clamping: load))
      for record in inner where record.level == tree.level + 1 {
        groups[GroupKey(parent: tree.number, key: record.groupKey)] = record.number
        _ = walk.insert(record)
      }
    }
  }

  private func content(_ node: Int) -> [UInt8]? {
    do throws(VaultError) {
      return try rows.content(rows.nodes[node], keys)
    } catch {
      return nil
    }
  }

  /// Takes the records of a bucket.
  ///
  /// - Returns: The number of records.
  private func visit(
    _ number: UInt32, _ tag: Tag, of place: TreePlace, into inner: inout [TreeRecord]
  ) throws(VaultError) -> UInt64 {
    guard let node = rows.node(NodeID.bucket(number, tree: place.number), tag),
      let content = content(node)
    else {
      lose(number...number, place)
      return 0
    }
    readNodes.insert(node)
    return try eachRecord(of: node, content, isVerified: true) {
      (record, saved) throws(VaultError) in
      if case .tree(let tree) = record { inner.append(tree) } else { try take(record, saved) }
    }
  }

  /// Returns the tags of a chunk; nil if it is lost, and its buckets are noted.
  private func tags(_ chunk: Int, _ place: TreePlace, _ directory: Directory) -> [Tag]? {
    let id = NodeID.chunk(chunk, tree: place.number)
    let numbers = directory.buckets(of: chunk)
    guard let node = rows.node(id, directory.tags[chunk]), let content = content(node),
      content.count == numbers.count * Tag.byteCount
    else {
      lose(numbers, place)
      return nil
    }
    return (0..<numbers.count).map { Tag(content, at: $0 * Tag.byteCount) }
  }

  /// Records lost buckets; adjacent ones of one tree are one problem.
  private func lose(_ numbers: ClosedRange<UInt32>, _ place: TreePlace) {
    if let last = trees[place.number]?.lost.last, last.upperBound + 1 == numbers.lowerBound {
      trees[place.number]?.lost.removeLast()
      trees[place.number]?.lost.append(last.lowerBound...numbers.upperBound)
    } else {
      trees[place.number]?.lost.append(numbers)
    }
    account.lose(numbers, of: place)
  }

  // MARK: By their own seal

  /// Takes the records of buckets that no parent verifies, unless an intact bucket proves that they
  /// were removed.
  private func takeUnverified() throws(VaultError) {
    var candidates: [(revision: UInt64, saved: Saved)] = []
    for (index, node) in rows.nodes.enumerated()
    where node.id < NodeID.firstLargeSecret && node.id & 1 << 32 == 0 && !readNodes.contains(index)
    {
      guard let content = content(index) else { continue }
      _ = try eachRecord(of: index, content, isVerified: false) {
        (record, saved) throws(VaultError) in
        if case .tree = record {
          // It counts as found: what matters are the records of its tree.
          account.missing -= 1
          return
        }
        guard try !isProvenAbsent(saved) else { return }
        var revision: UInt64 = 0
        if case .item(let item) = record { revision = item.item.revision }
        candidates.append((revision, saved))
      }
    }
    // The newest state of an item first: the others are older.
    candidates.sort { $0.revision > $1.revision }
    for candidate in candidates {
      let bytes = try record(candidate.saved)
      let isTaken = try take(
        AnyRecord(kind: bytes[0], bytes, Self.body(bytes)), candidate.saved)
      if isTaken { account.missing -= 1 }
    }
  }

  /// Returns whether the only bucket that could have a record is intact.
  private func isProvenAbsent(_ saved: Saved) throws(VaultError) -> Bool {
    guard var tree = trees[0] else { return false }
    let bytes = try record(saved)
    let route = try Route(kind: saved.kind, bytes, Self.body(bytes))
    while true {
      let key = route.key(level: tree.place.level)
      if tree.place.level < 2,
        let inner = groups[GroupKey(parent: tree.place.number, key: key)], let next = trees[inner],
        next.place.level == tree.place.level + 1
      {
        tree = next
        continue
      }
      let hash = keys.indexHash(level: UInt8(tree.place.level), key: key)
      let number = Directory.address(hash, bucketCount: tree.directory.bucketCount)
      return !tree.lost.holds(number)
    }
  }

  // MARK: Records

  /// Returns the range of a record's body, behind its kind and length.
  static func body(_ record: [UInt8]) throws(VaultError) -> Range<Int> {
    var position = 1
    _ = try record.varint(at: &position, end: record.count)
    return position..<record.count
  }

  /// Calls `body` with the well-formed records of a bucket, and records problems with the others.
  ///
  /// - Returns: The number of both.
  private func eachRecord(
    of node: Int, _ content: [UInt8], isVerified: Bool,
    _ body: (AnyRecord, Saved) throws(VaultError) -> Void
  ) throws(VaultError) -> UInt64 {
    var count: UInt64 = 0
    let take = { (offset: Int, kind: UInt8, range: Range<Int>) throws(VaultError) in
      count += 1
      let saved = Saved(
        node: UInt32(node), offset: UInt32(offset), kind: kind, isVerified: isVerified)
      try body(AnyRecord(kind: kind, content, range), saved)
    }
    try RecordReader.each(of: content, take) { (error, kind, isLost) throws(VaultError) in
      guard [.damaged, .tooNew].contains(error.code) else { throw error }
      // Its length is wrong, so it was not given.
      if isLost { count += 1 }
      account.lose(recordOf: kind, error)
    }
    return count
  }

  /// Saves a record unless another one has its identity, or its secrets do not open.
  ///
  /// - Returns: Whether it was taken, saved or lost; false if another record has its identity.
  @discardableResult
  private func take(_ record: AnyRecord, _ saved: Saved) throws(VaultError) -> Bool {
    let bytes = try self.record(saved)
    let identities = hashes.identities(of: record, bytes)
    guard known.isDisjoint(with: identities) else { return false }
    known.formUnion(identities)
    do throws(VaultError) {
      var copy = bytes
      try probe.reseal(&copy)
    } catch {
      guard [.damaged, .tooNew].contains(error.code) else { throw error }
      // An item without its secret would answer with a wrong one.
      account.lose(record, error)
      return true
    }
    if case .rule = record {
      guard ruleCount < PersistencePolicy.mostRules else {
        account.lose(record, VaultError(.tooLarge, "more rules than a policy may have"))
        return true
      }
      ruleCount += 1
    }
    if case .previousSecret(let past) = record {
      previous.append(
        Previous(owner: hashes.hash(of: past.owner), replaced: past.replaced, saved: saved))
      return true
    }
    self.saved.append(saved)
    if case .item(let item) = record {
      modified = max(modified, item.item.modified)
      // No vault has been changed half as often as the largest number.
      if item.item.revision < SealedNumber.end / 2 { revision = max(revision, item.item.revision) }
    }
    if !saved.isVerified { account.note(unverified: record) }
    return true
  }
}
