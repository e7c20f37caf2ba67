import VaultCrypto
import VaultModel

/// A tree that a transaction changes, with the buckets and tags that it touched.
final class EditableTree {
  let number: UInt32
  let level: Int
  /// The parent tree, which has this tree's record in a bucket.
  let parent: EditableTree?
  let groupKey: [UInt8]
  /// The directory in the file.
  let stored: Directory
  /// The current bucket count and load; the tags are computed when the tree is written.
  var directory: Directory
  var buckets: [UInt32: EditableBucket] = [:]
  var chunks: [Int: [Tag]] = [:]
  /// The chunks whose tags differ from the file's.
  var editedChunks: Set<Int> = []

  init(
    number: UInt32, level: Int, parent: EditableTree?, groupKey: [UInt8], directory: Directory
  ) {
    self.number = number
    self.level = level
    self.parent = parent
    self.groupKey = groupKey
    stored = directory
    self.directory = directory
  }

  var isEdited: Bool { buckets.values.contains(where: \.isEdited) }
}

/// A bucket that a transaction reads or changes, record by record.
final class EditableBucket {
  struct Entry {
    let record: Record
    /// The hash of the record's key at the tree's level; computed when it is needed.
    var hash: UInt64?
  }

  var entries: [Entry] = []
  var isEdited = false

  init() {}

  init(decoding content: [UInt8]) throws(VaultError) {
    var records = RecordReader(content)
    while let record = try records.next() {
      entries.append(
        Entry(record: Record(kind: record.kind, body: Array(content[record.body])), hash: nil))
    }
  }

  /// The content as bytes.
  ///
  /// Source: `Documentation/format.md` §5.6.
  var content: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entries.reduce(0) { $0 + $1.record.body.count + 6 })
    for entry in entries {
      bytes.append(entry.record.kind)
      bytes.append(varint: UInt32(entry.record.body.count))
      bytes.append(contentsOf: entry.record.body)
    }
    return bytes
  }

  /// Returns the tree record of the group with a key, if the bucket has one.
  func group(_ key: [UInt8]) throws(VaultError) -> TreeRecord? {
    // Indices, because a loop over the entries retains and releases every record's body.
    for index in entries.indices where entries[index].record.kind == RecordKind.tree {
      let body = entries[index].record.body
      let group = try TreeRecord(decoding: body, 0..<body.count)
      if group.groupKey == key { return group }
    }
    return nil
  }
}
