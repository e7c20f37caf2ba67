import SealedTree
import VaultCrypto
import VaultModel
import VaultReports

/// A check that opens everything, and continues after damage.
final class Verifier {
  let reader: TreeReader
  let rows: any RowSource
  private(set) var found = Verification()
  /// The rows that nodes and records refer to.
  var expectedRows: Set<UInt64> = []
  /// The buckets that cannot be read, with their tree.
  private(set) var lost: [LostBuckets] = []
  /// The policy's rules that can be read, without those of a later version.
  private var rules: [PersistencePolicy.Rule] = []
  private(set) var walk: TreeWalk
  /// The rows of buckets whose chunk is lost, so that they cannot be identified.
  var unknownRows: [ClosedRange<UInt64>] = []
  /// Called now and then with the number of items that were visited.
  var visited: (Int) -> Void = { _ in }
  /// Called with the state of each item whose record can be read, if there is a function.
  var visitedItem: ((ItemState) -> Void)?

  /// Buckets that cannot be read, for finding their items in a backup.
  struct LostBuckets {
    let place: TreePlace
    let bucketCount: UInt32
    let numbers: ClosedRange<UInt32>
    /// The index of the problem that reports them.
    let problem: Int
  }

  init(reader: TreeReader, rows: any RowSource) {
    self.reader = reader
    self.rows = rows
    walk = TreeWalk(reader.root)
  }

  func add(_ problem: VaultProblem) {
    found.problems.append(problem)
  }

  /// Adds items at the place of a problem, without duplicates.
  func add(items: [Item], to problem: Int) {
    let known = Set(found.problems[problem].items.map(\.id))
    found.problems[problem].items += items.filter { !known.contains($0.id) }
  }

  /// Runs a check; reports damage as the problem, and passes other errors on.
  func note(
    _ problem: @autoclosure () -> VaultProblem, _ check: () throws(VaultError) -> Void
  ) throws(VaultError) {
    do throws(VaultError) {
      try check()
    } catch {
      guard error.code == .damaged else { throw error }
      let problem = problem()
      var noted = VaultProblem(problem.kind, "\(problem.reason): \(error.context)")
      noted.item = problem.item
      noted.server = problem.server
      noted.account = problem.account
      add(noted)
    }
  }

  // MARK: Trees

  func visitTrees() throws(VaultError) {
    while let tree = walk.next() { try visit(tree) }
  }

  private func visit(_ tree: TreeWalk.Tree) throws(VaultError) {
    let (place, directory) = (tree.place, tree.directory)
    let firstLost = lost.count
    var load: UInt64 = 0
    var groups: [TreeRecord] = []
    if try walk.takeRoom(for: tree, of: rows.byteCount) {
      let tags = { (chunk) throws(VaultError) in try self.tags(chunk, of: place, directory) }
      try tree.eachTag(of: tags) { (number, tag) throws(VaultError) in
        guard let content = try bucket(number, tag, of: place, directory) else { return }
        try visit(
          content, bucket: number, at: place, of: directory, load: &load, groups: &groups)
      }
    } else {
      unknownRows.append(Self.rows(of: place.number))
      lose(
        0...directory.bucketCount - 1,
        VaultProblem(.chunk, "the file has no room for the rows of their tags"), of: place,
        directory)
    }
    compare(load: load, of: place, directory, lost[firstLost...].map(\.problem))
    for group in groups where !walk.insert(group) {
      add(problem(.tree, "another record names the same tree", TreePlace(group)))
    }
  }

  /// Returns all row ids that a tree's buckets and chunks can have.
  private static func rows(of tree: UInt32) -> ClosedRange<UInt64> {
    NodeID.bucket(0, tree: tree)...NodeID.bucket(0, tree: tree) | (1 << 33 - 1)
  }

  /// Returns the tags of a chunk; nil if it is damaged.
  private func tags(
    _ chunk: Int, of place: TreePlace, _ directory: Directory
  ) throws(VaultError) -> [Tag]? {
    expectedRows.insert(NodeID.chunk(chunk, tree: place.number))
    do throws(VaultError) {
      return try reader.chunk(chunk, of: place.number, in: directory)
    } catch {
      guard error.code == .damaged else { throw error }
      let numbers = directory.buckets(of: chunk)
      unknownRows.append(
        NodeID.bucket(
          numbers.lowerBound, tree: place.number)...NodeID.bucket(
            numbers.upperBound, tree: place.number))
      lose(
        numbers, VaultProblem(.chunk, "the row of their tags: \(error.context)"), of: place,
        directory)
      return nil
    }
  }

  /// Returns a bucket's content; nil if it is damaged.
  private func bucket(
    _ number: UInt32, _ tag: Tag, of place: TreePlace, _ directory: Directory
  ) throws(VaultError) -> [UInt8]? {
    found.bucketCount += 1
    guard tag != .none else { return [] }
    let id = NodeID.bucket(number, tree: place.number)
    expectedRows.insert(id)
    do throws(VaultError) {
      return try reader.bucketContent(number, of: place.number, tag: tag)
    } catch {
      guard error.code == .damaged else { throw error }
      let problem = lose(
        number...number, VaultProblem(.bucket, error.context), of: place, directory)
      // Sealed with this vault's key under this very number, so it was the bucket once.
      if let old = try unproven(id) { add(items: old.items, to: problem) }
      return nil
    }
  }

  @discardableResult
  private func lose(
    _ numbers: ClosedRange<UInt32>, _ problem: VaultProblem, of place: TreePlace,
    _ directory: Directory
  ) -> Int {
    var problem = self.problem(problem.kind, problem.reason, place)
    problem.buckets = Int(numbers.lowerBound)...Int(numbers.upperBound)
    add(problem)
    lost.append(
      LostBuckets(
        place: place, bucketCount: directory.bucketCount, numbers: numbers,
        problem: found.problems.count - 1))
    return found.problems.count - 1
  }

  private func problem(
    _ kind: VaultProblem.Kind, _ reason: String, _ place: TreePlace
  ) -> VaultProblem {
    var problem = VaultProblem(kind, reason)
    problem.tree = Int(place.number)
    problem.server = place.server
    problem.account = place.account
    return problem
  }

  /// Attributes a tree's missing records to its lost buckets; if there is only one, to that one.
  private func compare(
    load: UInt64, of place: TreePlace, _ directory: Directory, _ problems: [Int]
  ) {
    let missing = Int(clamping: directory.load) - Int(clamping: load)
    guard missing != 0 else { return }
    if missing > 0, problems.count == 1 {
      found.problems[problems[0]].missing = missing
    } else if missing > 0, !problems.isEmpty {
      var sum = problem(.count, "in \(problems.count) places above", place)
      sum.missing = missing
      add(sum)
    } else {
      add(
        problem(
          .count, "it has \(load) records, and its directory says \(directory.load)", place))
    }
  }

  // MARK: Records

  private func visit(
    _ content: [UInt8], bucket number: UInt32, at place: TreePlace, of directory: Directory,
    load: inout UInt64, groups: inout [TreeRecord]
  ) throws(VaultError) {
    let check = { (_: Int, kind: UInt8, body: Range<Int>) throws(VaultError) in
      load += 1
      try self.check(
        (kind, body), in: content, bucket: number, at: place, of: directory, groups: &groups)
    }
    try RecordReader.each(of: content, check) { (error, _, _) throws(VaultError) in
      guard error.code == .damaged else { throw error }
      var problem = self.problem(.record, error.context, place)
      problem.buckets = Int(number)...Int(number)
      add(problem)
    }
  }

  private func check(
    _ record: (kind: UInt8, body: Range<Int>), in content: [UInt8], bucket number: UInt32,
    at place: TreePlace, of directory: Directory, groups: inout [TreeRecord]
  ) throws(VaultError) {
    switch try AnyRecord(kind: record.kind, content, record.body) {
    case .item(let item):
      found.itemCount += 1
      if found.itemCount % 1024 == 0 { visited(found.itemCount) }
      if let visitedItem { visitedItem(try ItemState(decoding: content, record.body)) }
      try check(item, "its")
    case .removedItem(let removed): try check(removed.record, "in the trash, its")
    case .previousSecret(let previous): try check(previous)
    case .rule(let rule): if rule.unknownTag == nil { rules.append(rule.rule) }
    case .defaultUser, .logEntry, .other: break
    case .tree(let group):
      guard group.level == place.level + 1 else {
        throw VaultError(.damaged, "tree \(group.number) is at the wrong level")
      }
      groups.append(group)
    }
    let key = try Route.key(level: place.level, kind: record.kind, content, record.body)
    let hash = reader.keys.indexHash(level: UInt8(place.level), key: key)
    guard Directory.address(hash, bucketCount: directory.bucketCount) == number else {
      throw VaultError(.damaged, "a record is where no lookup finds it")
    }
  }

  /// Checks the secrets of an item; `whose` is the owner's name in messages.
  private func check(_ record: ItemRecord, _ whose: String) throws(VaultError) {
    let (keys, id) = (reader.keys, record.item.id)
    func problem(_ what: String) -> VaultProblem {
      var problem = VaultProblem(.secret, what)
      problem.item = id
      problem.server = record.item.server
      problem.account = record.item.account
      return problem
    }
    if let large = record.largeSecret {
      expectedRows.insert(large.id)
      try note(problem("\(whose) secret is lost")) { () throws(VaultError) in
        _ = try reader.secret(large)
      }
    } else if !record.sealedSecret.isEmpty {
      try note(problem("\(whose) secret is lost")) { () throws(VaultError) in
        try keys.check(record.sealedSecret, use: .secret, item: id)
      }
    }
    for (attribute, sealed) in record.furtherSecrets {
      try note(problem("\(whose) \(attribute.name) is lost")) { () throws(VaultError) in
        try keys.check(sealed, use: SecretUse(attribute), item: id)
      }
    }
  }

  private func check(_ previous: PreviousRecord) throws(VaultError) {
    var problem = VaultProblem(.secret, "a previous secret of it is lost")
    problem.item = previous.item
    problem.server = previous.key.server
    problem.account = previous.key.account
    if let large = previous.largeSecret { expectedRows.insert(large.id) }
    try note(problem) { () throws(VaultError) in try reader.check(previous) }
  }

  /// Checks that the rules go together: nothing can be stored under a policy that cannot be read.
  func checkPolicy() {
    do throws(VaultError) {
      _ = try PersistencePolicy(stored: rules)
    } catch {
      add(VaultProblem(.record, "the policy's rules do not go together: \(error.context)"))
    }
  }

  func compare(itemCount: UInt64) {
    guard found.problems.isEmpty, UInt64(found.itemCount) != itemCount else { return }
    add(VaultProblem(.count, "\(found.itemCount) items, and the head says \(itemCount)"))
  }

  func unproven(_ id: UInt64) throws(VaultError) -> UnprovenBucket? {
    try UnprovenBucket(id, in: rows, keys: reader.keys)
  }
}
