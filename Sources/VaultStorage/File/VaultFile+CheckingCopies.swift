import VaultCrypto
import VaultModel

/// Checking that a copy is complete.
extension VaultFile {
  /// Opens every row along the tree and runs SQLite's own integrity check.
  ///
  /// Secrets in buckets are not opened: the seal of the bucket authenticates all of its bytes, and
  /// this takes a third of the time of ``verify()``.
  ///
  /// - Returns: The copy's head and its tag.
  /// - Throws: ``VaultError/Code/damaged`` with the first fault.
  func checkCopy() throws(VaultError) -> (head: Head, tag: Tag) {
    forgetLabel()
    return try read { (reader) throws(VaultError) in
      let unlocked = try requireUnlocked()
      // A vault that never had a large secret names none.
      let mayNameRows = unlocked.head.nextLargeSecret > 1
      var items: UInt64 = 0
      try reader.eachBucket { (content) throws(VaultError) in
        var records = RecordReader(content)
        while let record = try records.next() {
          if record.kind == RecordKind.item { items += 1 }
          if record.kind == RecordKind.policyRule {
            // An unreadable rule would prevent everything from being stored.
            _ = try PolicyRuleRecord(decoding: content, record.body)
          }
          guard mayNameRows, let large = try Self.largeSecret(record, content) else { continue }
          _ = try reader.secret(large)
        }
      }
      guard items == unlocked.head.itemCount else {
        throw VaultError(.damaged, "\(items) items, and the head says \(unlocked.head.itemCount)")
      }
      _ = try slots()
      try connection.run(.integrityCheck) { (row) throws(VaultError) in
        let line = row.text(0)
        guard line == "ok" else { throw VaultError(.damaged, "SQLite: \(line)") }
      }
      return (unlocked.head, unlocked.headTag)
    }
  }

  /// Returns the row that a record names in addition to its bucket, if any.
  private static func largeSecret(
    _ record: (kind: UInt8, body: Range<Int>), _ content: [UInt8]
  ) throws(VaultError) -> ItemRecord.LargeSecret? {
    switch record.kind {
    case RecordKind.item, RecordKind.previousSecret, RecordKind.removedItem: break
    default: return nil
    }
    var fields = FieldReader(content, record.body)
    while let field = try fields.next(), field.tag <= FieldTag.largeSecret.rawValue {
      guard field.tag == FieldTag.largeSecret.rawValue else { continue }
      return try ItemRecord.LargeSecret(decoding: content, field.range)
    }
    return nil
  }
}
