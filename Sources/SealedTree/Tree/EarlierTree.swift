package import VaultCrypto
import VaultModel

/// The tree of a file before rows of newer commits came: what it names is known to be right.
///
/// With it, a change of one bucket is checked without the 127 others of its chunk.
package struct EarlierTree {
  package let head: Head
  private let keys: EpochKeys
  private let rows: [UInt64: [UInt8]]

  /// Creates the tree before some rows were written.
  ///
  /// - Parameters:
  ///   - head: Its head.
  ///   - keys: The keys of its epoch.
  ///   - rows: The rows that were replaced or removed, by their ids.
  package init(_ head: Head, _ keys: EpochKeys, replaced rows: [UInt64: [UInt8]]) {
    (self.head, self.keys, self.rows) = (head, keys, rows)
  }

  /// Returns the tags of the buckets of a chunk; none if they are not known.
  func tags(ofChunk number: Int, of tree: UInt32, in directory: Directory) -> [Tag] {
    guard directory.isChunked else { return number == 0 ? directory.tags : [] }
    guard number < directory.tags.count,
      let content = content(.chunk, NodeID.chunk(number, tree: tree), directory.tags[number])
    else { return [] }
    return (0..<content.count / Tag.byteCount).map { Tag(content, at: $0 * Tag.byteCount) }
  }

  /// Looks for the directory that a group's tree had.
  ///
  /// - Parameters:
  ///   - group: The group's record now.
  ///   - id: The row of the bucket with the record.
  ///   - tag: The tag of that bucket before.
  /// - Returns: The directory; nil if it is not known.
  func directory(of group: TreeRecord, inBucket id: UInt64, _ tag: Tag) -> Directory? {
    guard let content = content(.bucket, id, tag) else { return nil }
    do throws(VaultError) {
      return try BucketLinks(of: content).groups.first { $0.number == group.number }?.directory
    } catch {
      return nil
    }
  }

  /// Returns the content of a row that was replaced, if it is the one that its parent named; damage
  /// here is not a reason to refuse what mends it.
  private func content(_ kind: NodeKind, _ id: UInt64, _ tag: Tag) -> [UInt8]? {
    guard let row = rows[id], Tag(ofSealed: row) == tag else { return nil }
    do throws(VaultError) {
      return try keys.open(row, as: kind, id: id)
    } catch {
      return nil
    }
  }
}
