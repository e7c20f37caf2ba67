import VaultCrypto
import VaultModel

/// Finds what can still be opened in a wreck: along its tree as far as that is good, then by each row's own seal.
struct Salvager {
  /// A record that was saved.
  struct Saved {
    let record: Record
    /// Nil of other kinds.
    let item: InternetPassword?
    let isVerified: Bool
  }

  private struct Tree {
    let place: TreePlace
    let directory: Directory
    /// The buckets that cannot be read.
    var lost: Set<UInt32> = []
  }

  let wreck: Wreck
  let keys: EpochKeys
  let head: Head?
  private(set) var saved: [Saved] = []
  private(set) var problems: [VaultProblem] = []
  /// Records that are noted in a directory and were not found.
  private(set) var missing = 0
  private var trees: [UInt32: Tree] = [:]
  /// The tree of a heavy group, by its level and key: where its records are looked for.
  private var groups: [GroupKey: UInt32] = [:]
  private var readRows: Set<UInt64> = []

  private struct GroupKey: Hashable {
    let parent: UInt32
    let key: [UInt8]
  }

  init(_ wreck: Wreck, _ keys: EpochKeys) throws(VaultError) {
    self.wreck = wreck
    self.keys = keys
    head = wreck.head(keys)
    if let head {
      try visit(TreePlace(number: 0, level: 0), head.directory)
    } else {
      problems.append(VaultProblem(.chunk, "the head is lost: nothing can be proven to be current"))
    }
    if head == nil || !problems.isEmpty { try takeUnverified() }
  }

  // MARK: Along the tree

  private mutating func visit(_ place: TreePlace, _ directory: Directory) throws(VaultError) {
    guard trees[place.number] == nil else { return }
    trees[place.number] = Tree(place: place, directory: directory)
    var load: UInt64 = 0
    var inner: [TreeRecord] = []
    for number in 0..<directory.bucketCount {
      guard let tag = tag(number, place, directory), tag == .none || readBucket(number, place, tag)
      else {
        lose(number, place)
        continue
      }
      guard tag != .none,
        let content = wreck.content(.bucket, NodeID.bucket(number, tree: place.number), tag, keys)
      else { continue }
      let records = Self.records(in: content)
      load += UInt64(records.count)
      for record in records {
        if record.kind == RecordKind.tree {
          inner.append(contentsOf: Self.tree(record))
        } else {
          take(record, isVerified: true)
        }
      }
    }
    missing += max(0, Int(clamping: directory.load) - Int(clamping: load))
    for record in inner where record.level == place.level + 1 {
      groups[GroupKey(parent: place.number, key: record.groupKey)] = record.number
      try visit(TreePlace(record), record.directory)
    }
  }

  private mutating func readBucket(_ number: UInt32, _ place: TreePlace, _ tag: Tag) -> Bool {
    let id = NodeID.bucket(number, tree: place.number)
    guard wreck.content(.bucket, id, tag, keys) != nil else { return false }
    readRows.insert(id)
    return true
  }

  /// A bucket's tag; nil if its chunk is lost.
  private func tag(_ number: UInt32, _ place: TreePlace, _ directory: Directory) -> Tag? {
    guard directory.isChunked else { return directory.tags[Int(number)] }
    let chunk = Int(number) / Directory.tagsPerChunk
    let id = NodeID.chunk(chunk, tree: place.number)
    let count = Chunk.tagCount(chunk, bucketCount: directory.bucketCount)
    guard let content = wreck.content(.chunk, id, directory.tags[chunk], keys),
      content.count == count * Tag.byteCount
    else { return nil }
    return Tag(content, at: Int(number) % Directory.tagsPerChunk * Tag.byteCount)
  }

  /// Notes a lost bucket; those of one tree that lie together are one problem.
  private mutating func lose(_ number: UInt32, _ place: TreePlace) {
    trees[place.number]?.lost.insert(number)
    if let last = problems.last, last.tree == Int(place.number), let buckets = last.buckets,
      buckets.upperBound == Int(number) - 1
    {
      problems[problems.count - 1].buckets = buckets.lowerBound...Int(number)
      return
    }
    var problem = VaultProblem(.bucket, "no row is the one that the tree names")
    problem.tree = Int(place.number)
    problem.buckets = Int(number)...Int(number)
    problem.server = place.server
    problem.account = place.account
    problems.append(problem)
  }

  // MARK: By their own seal

  /// Takes the records of buckets that nothing vouches for, where no good bucket proves that they are gone.
  private mutating func takeUnverified() throws(VaultError) {
    var candidates: [Saved] = []
    for (id, _) in wreck.nodes.sorted(by: { $0.key < $1.key })
    where id < NodeID.firstLargeSecret && id & 1 << 32 == 0 && !readRows.contains(id) {
      for sealed in wreck.nodes[id] ?? [] {
        let content: [UInt8]
        do throws(VaultError) {
          content = try keys.open(sealed, as: .bucket, id: id)
        } catch {
          continue
        }
        for record in Self.records(in: content) {
          guard record.kind != RecordKind.tree else {
            // It counts as found: what matters are the records of its tree.
            missing -= 1
            continue
          }
          guard try !isProvenAbsent(record) else { continue }
          candidates.append(Saved(record: record, item: Self.item(record), isVerified: false))
        }
      }
    }
    // The newest state of an item first: the others are older ones.
    candidates.sort { $0.item?.revision ?? 0 > $1.item?.revision ?? 0 }
    for candidate in candidates { add(candidate) }
  }

  /// Whether a good bucket is the one place where a record could be.
  private func isProvenAbsent(_ record: Record) throws(VaultError) -> Bool {
    guard var tree = trees[0] else { return false }
    let route = try Route(kind: record.kind, record.body, 0..<record.body.count)
    while true {
      let key = route.key(level: tree.place.level)
      if let inner = groups[GroupKey(parent: tree.place.number, key: key)], let next = trees[inner]
      {
        tree = next
        continue
      }
      let hash = keys.indexHash(level: UInt8(tree.place.level), key: key)
      let number = Directory.address(hash, bucketCount: tree.directory.bucketCount)
      return !tree.lost.contains(number)
    }
  }

  // MARK: Records

  private mutating func take(_ record: Record, isVerified: Bool) {
    add(Saved(record: record, item: Self.item(record), isVerified: isVerified))
  }

  private var known: Set<Identity> = []

  /// What two records must not share; the first one stays.
  private enum Identity: Hashable {
    case id(ItemID)
    case key(InternetPassword.Key)
    case space([UInt8])
    case rule(ItemID)
    case ruleName([UInt8])
    case previous(PreviousSecret.ID, removed: Timestamp?)
    case removed(RemovedItem.ID)
    case body(UInt8, [UInt8])
  }

  private mutating func add(_ saved: Saved) {
    let identities = Self.identities(saved)
    guard known.isDisjoint(with: identities) else { return }
    known.formUnion(identities)
    self.saved.append(saved)
    if !saved.isVerified { missing -= 1 }
  }

  private static func identities(_ saved: Saved) -> Set<Identity> {
    if let item = saved.item { return [.id(item.id), .key(item.key)] }
    let body = saved.record.body
    do throws(VaultError) {
      if saved.record.kind == RecordKind.policyRule {
        let rule = try PolicyRuleRecord(decoding: body, 0..<body.count).rule
        // Two of one name would be no policy, and nothing could be stored.
        return [.rule(rule.id), .ruleName(Array(rule.name.utf8))]
      }
      if saved.record.kind == RecordKind.previousSecret {
        // An older state of a bucket may have it under an older key.
        let previous = try PreviousRecord(decoding: body, 0..<body.count)
        return [.previous(previous.id, removed: previous.removed)]
      }
      if saved.record.kind == RecordKind.removedItem {
        return [.removed(try RemovedRecord(decoding: body, 0..<body.count).id)]
      }
      guard saved.record.kind == RecordKind.defaultUser else {
        return [.body(saved.record.kind, body)]
      }
      let route = try Route(kind: RecordKind.defaultUser, body, 0..<body.count)
      return [.space(route.key(level: 0) + [0] + route.key(level: 2))]
    } catch {
      return [.body(saved.record.kind, body)]
    }
  }

  private static func records(in content: [UInt8]) -> [Record] {
    var records: [Record] = []
    var reader = RecordReader(content)
    do throws(VaultError) {
      while let record = try reader.next() {
        records.append(Record(kind: record.kind, body: Array(content[record.body])))
      }
    } catch {
      // Behind a wrong length nothing is where it seems to be.
      return records
    }
    return records
  }

  private static func item(_ record: Record) -> InternetPassword? {
    guard record.kind == RecordKind.item else { return nil }
    do throws(VaultError) {
      return try ItemRecord(decoding: record.body, 0..<record.body.count).item
    } catch {
      return nil
    }
  }

  private static func tree(_ record: Record) -> [TreeRecord] {
    do throws(VaultError) {
      return [try TreeRecord(decoding: record.body, 0..<record.body.count)]
    } catch {
      return []
    }
  }
}
