package import SealedTree
package import VaultStore
package import VaultModel

/// The structure of a vault's trees.
package struct VaultShape {
  package struct Tree {
    package let level: Int
    package let number: UInt32
    package let host: [UInt8]
    package let account: [UInt8]
    package let directory: Directory
    /// The number of tree records in it.
    package var groupCount = 0
    /// The maximum number of records of a bucket with a common key.
    package var heaviest = 0
  }

  package var trees: [Tree] = []
  package var rows: [UInt64] = []
  /// The records of all trees except tree records.
  package var records: [Record] = []

  /// Returns the trees of a level.
  package func trees(level: Int) -> [Tree] { trees.filter { $0.level == level } }

  package var root: Directory { trees(level: 0)[0].directory }

  /// The number of chunks that have rows.
  package var chunkCount: Int { rows.count { $0 < NodeID.firstLargeSecret && $0 & 1 << 32 != 0 } }

  /// The number of large secrets that have rows.
  package var largeSecretCount: Int {
    rows.count { (NodeID.firstLargeSecret..<NodeID.firstAncestors).contains($0) }
  }

  /// Returns the bodies of the records of a kind, in no order.
  package func bodies(_ kind: UInt8) -> Set<[UInt8]> {
    Set(records.filter { $0.kind == kind }.map(\.body))
  }
}

extension FileStore {
  /// Reads the structure of the vault from its rows.
  package func shape() throws(VaultError) -> VaultShape {
    try locked { (file) throws(VaultError) in
      file.forgetLabel()
      return try file.read { (reader) throws(VaultError) in
        var shape = VaultShape()
        try shape.add(
          VaultShape.Tree(level: 0, number: 0, host: [], account: [], directory: reader.root),
          reader)
        try file.connection.run(.selectNodeIDs) { shape.rows.append($0.integer(0)) }
        return shape
      }
    }
  }
}

extension VaultShape {
  fileprivate mutating func add(_ tree: Tree, _ reader: TreeReader) throws(VaultError) {
    var tree = tree
    var groups: [TreeRecord] = []
    for number in 0..<tree.directory.bucketCount {
      var keys: [[UInt8]: Int] = [:]
      var bucket = RecordReader(try reader.bucket(number, of: tree.number, in: tree.directory))
      while let (kind, body) = try bucket.next() {
        let route = try Route(kind: kind, bucket.bytes, body)
        keys[route.key(level: tree.level), default: 0] += 1
        if kind == RecordKind.tree {
          groups.append(try TreeRecord(decoding: bucket.bytes, body))
        } else {
          records.append(Record(kind: kind, body: Array(bucket.bytes[body])))
        }
      }
      tree.heaviest = max(tree.heaviest, keys.values.max() ?? 0)
    }
    tree.groupCount = groups.count
    trees.append(tree)
    for group in groups {
      try add(
        Tree(
          level: group.level, number: group.number, host: group.host, account: group.account,
          directory: group.directory), reader)
    }
  }
}
