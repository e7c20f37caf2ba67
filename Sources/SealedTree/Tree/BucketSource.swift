package import SecureMemory
package import VaultCrypto
package import VaultModel
package import VaultReports

/// A source of the buckets of trees, each proven to be current.
///
/// The reader takes them from the file; the editor overlays its own changes.
package protocol BucketSource: AnyObject {
  var keys: EpochKeys { get }
  /// The clock for the expiry of items.
  var clock: VaultClock { get }
  var root: Directory { get }

  /// Returns the directory of the tree in a record: newer than the record's own if it was edited.
  func directory(of tree: TreeRecord) throws(VaultError) -> Directory

  /// Returns the content of a bucket.
  func bucket(
    _ number: UInt32, of tree: UInt32, in directory: Directory
  ) throws(VaultError) -> [UInt8]

  /// Returns a secret that has its own row.
  func secret(_ large: ItemRecord.LargeSecret) throws(VaultError) -> Secret

  /// Visits every record that may have the known keys: one bucket per level if a key is known, else
  /// all.
  ///
  /// It also visits records of other routes, since several share a bucket: the kind and the prefix
  /// spare the call for most of them. It is a requirement so that each source has its own compiled
  /// form, which calls itself directly.
  ///
  /// - Parameters:
  ///   - known: The known parts of the records' route.
  ///   - kind: The kind of the records; nil means any.
  ///   - prefix: The bytes with which a record's body begins.
  ///   - body: Gets a record's kind, a bucket's content, and the range of the record's body in it.
  /// - Throws: Any error of `body`, and ``VaultError/Code/damaged`` for a record that cannot be
  ///   read.
  func visit(
    _ known: PartialRoute, kind: UInt8?, prefix: [UInt8],
    _ body: (UInt8, [UInt8], Range<Int>) throws(VaultError) -> Void
  ) throws(VaultError)
}

/// The known parts of a route to look for; nil means any.
package struct PartialRoute {
  package var host: [UInt8]?
  package var account: [UInt8]?
  package var rest: [UInt8]?

  package init() {}

  package func key(level: Int) -> [UInt8]? {
    switch level {
    case 0: host
    case 1: account
    default: rest
    }
  }
}

extension BucketSource {
  package func visit(
    _ known: PartialRoute, kind: UInt8?, prefix: [UInt8],
    _ body: (UInt8, [UInt8], Range<Int>) throws(VaultError) -> Void
  ) throws(VaultError) {
    var walk = TreeWalk(root)
    while let tree = walk.next() {
      let key = known.key(level: tree.level)
      for number in buckets(of: tree, key) {
        var records = RecordReader(try bucket(number, of: tree.number, in: tree.directory))
        while let record = try records.next() {
          guard record.kind == RecordKind.tree else {
            if kind == nil || kind == record.kind, records.bytes.has(prefix, at: record.body) {
              try body(record.kind, records.bytes, record.body)
            }
            continue
          }
          let group = try TreeRecord(decoding: records.bytes, record.body)
          guard key == nil || key == group.groupKey || group.level != tree.level + 1 else {
            continue
          }
          try walk.enter(group, from: tree, directory(of: group))
        }
      }
    }
  }

  /// Visits every record, as ``visit(_:kind:prefix:_:)`` does.
  package func visitAll(
    _ body: (UInt8, [UInt8], Range<Int>) throws(VaultError) -> Void
  ) throws(VaultError) {
    try visit(PartialRoute(), kind: nil, prefix: [], body)
  }

  /// Returns the buckets of a tree that may hold records with a key at its level.
  private func buckets(of tree: TreeWalk.Tree, _ key: [UInt8]?) -> Range<UInt32> {
    let count = tree.directory.bucketCount
    guard let key else { return 0..<count }
    let hash = keys.indexHash(level: UInt8(tree.level), key: key)
    let address = Directory.address(hash, bucketCount: count)
    return address..<address + 1
  }
}

/// Finding the persistence policy among records.
extension BucketSource {
  /// Returns the records of the policy's rules, in the order in which they are tried.
  package func ruleRecords() throws(VaultError) -> [PolicyRuleRecord] {
    var found: [PolicyRuleRecord] = []
    var known = PartialRoute()
    known.host = Route.rulesHost
    known.account = []
    let kind = RecordKind.policyRule
    try visit(known, kind: kind, prefix: []) { (_, bytes, body) throws(VaultError) in
      found.append(try PolicyRuleRecord(decoding: bytes, body))
    }
    // No writer gives two rules one position, but a salvaged vault may contain duplicates.
    found.sort { ($0.position, $0.rule.id) < ($1.position, $1.rule.id) }
    return found
  }

  /// Returns the policy of the rules.
  ///
  /// - Throws: ``VaultError/Code/tooNew`` for a rule with an unknown field: it may forbid what the
  ///   rest of the rule grants; ``VaultError/Code/damaged``.
  package func policy() throws(VaultError) -> PersistencePolicy {
    let records = try ruleRecords()
    guard !records.isEmpty else { return .empty }
    for record in records {
      guard let tag = record.unknownTag else { continue }
      throw VaultError(
        .tooNew,
        "rule \"\(record.rule.name)\" has field \(tag), which this version does not know")
    }
    do throws(VaultError) {
      return try PersistencePolicy(stored: records.map(\.rule))
    } catch {
      throw VaultError(.damaged, "the policy's rules do not go together: \(error.context)")
    }
  }
}

/// Finding the entries of the log among records.
extension BucketSource {
  /// Returns the entries after a time that are wanted, the newest first.
  ///
  /// It never holds many more of them than the limit.
  package func log(
    after start: Timestamp, limit: Int?, where isWanted: (LoggedChange) -> Bool = { _ in true }
  ) throws(VaultError) -> [LogRecord] {
    let limit = limit ?? .max
    guard limit > 0 else { return [] }
    var found: [LogRecord] = []
    let kind = RecordKind.logEntry
    try visit(PartialRoute(), kind: kind, prefix: []) { (_, bytes, body) throws(VaultError) in
      let record = try LogRecord(decoding: bytes, body)
      guard record.change.time > start, isWanted(record.change) else { return }
      found.append(record)
      if found.count / 2 >= limit { found.keepNewest(limit) }
    }
    found.keepNewest(limit)
    return found
  }
}

extension [LogRecord] {
  fileprivate mutating func keepNewest(_ limit: Int) {
    sort { left, right in
      guard left.change.time == right.change.time,
        left.change.generation == right.change.generation
      else { return LoggedChange.isNewer(left.change, right.change) }
      // Changes of one commit are in one order, wherever they are.
      return left.body.lexicographicallyPrecedes(right.body)
    }
    if count > limit { removeSubrange(limit...) }
  }
}
