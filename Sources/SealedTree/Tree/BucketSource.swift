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

/// Whether a visit of records continues.
package enum Visit {
  case next
  case stop
}

extension BucketSource {
  /// Visits every record that may have the known keys: one bucket per level if a key is known, else
  /// all.
  ///
  /// `body` gets a record's kind, and the range of its body in a bucket's content. It also gets
  /// records of other routes, since several share a bucket.
  package func visit(
    _ known: PartialRoute,
    _ body: (UInt8, [UInt8], Range<Int>) throws(VaultError) -> Visit
  ) throws(VaultError) {
    var visited: Set<UInt32> = []
    _ = try visit(known, tree: 0, level: 0, root, &visited, body)
  }

  private func visit(
    _ known: PartialRoute, tree: UInt32, level: Int, _ directory: Directory,
    _ visited: inout Set<UInt32>, _ body: (UInt8, [UInt8], Range<Int>) throws(VaultError) -> Visit
  ) throws(VaultError) -> Visit {
    let key = known.key(level: level)
    var buckets = 0..<directory.bucketCount
    if let key {
      let hash = keys.indexHash(level: UInt8(level), key: key)
      let address = Directory.address(hash, bucketCount: directory.bucketCount)
      buckets = address..<address + 1
    }
    for number in buckets {
      var records = RecordReader(try bucket(number, of: tree, in: directory))
      while let record = try records.next() {
        if record.kind == RecordKind.tree {
          let group = try TreeRecord(decoding: records.bytes, record.body)
          guard group.level == level + 1 else {
            throw VaultError(.damaged, "a tree record stands at the wrong level")
          }
          guard key == nil || key == group.groupKey else { continue }
          // Its records would be visited twice, or without end.
          guard visited.insert(group.number).inserted else { throw TreeEditor.twoRecords }
          let visit = try visit(
            known, tree: group.number, level: group.level, try self.directory(of: group), &visited,
            body)
          if visit == .stop { return .stop }
        } else if try body(record.kind, records.bytes, record.body) == .stop {
          return .stop
        }
      }
    }
    return .next
  }
}
