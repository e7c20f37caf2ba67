package import SecureMemory
package import VaultCrypto
package import VaultModel

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
  /// Visits every record that may have the known keys: one bucket per level if a key is known, else
  /// all.
  ///
  /// It also visits records of other routes, since several share a bucket: the kind and the prefix
  /// spare the call for most of them.
  ///
  /// - Parameters:
  ///   - known: The known parts of the records' route.
  ///   - kind: The kind of the records; nil means any.
  ///   - prefix: The bytes with which a record's body begins.
  ///   - body: Gets a record's kind, a bucket's content, and the range of the record's body in it.
  /// - Throws: Any error of `body`, and ``VaultError/Code/damaged`` for a record that cannot be read.
  package func visit(
    _ known: PartialRoute, kind: UInt8? = nil, prefix: [UInt8] = [],
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

  /// The buckets of a tree that may hold records with a key at its level.
  private func buckets(of tree: TreeWalk.Tree, _ key: [UInt8]?) -> Range<UInt32> {
    let count = tree.directory.bucketCount
    guard let key else { return 0..<count }
    let hash = keys.indexHash(level: UInt8(tree.level), key: key)
    let address = Directory.address(hash, bucketCount: count)
    return address..<address + 1
  }
}
