import SealedTree
import VaultCrypto
package import VaultFile
package import VaultModel

/// The result of a full verification of a vault.
package struct Verification: Sendable {
  package var itemCount = 0
  package var bucketCount = 0
  package var problems: [VaultProblem] = []
}

extension FileStore {
  /// Opens everything and runs SQLite's integrity check.
  ///
  /// - Parameter backup: A copy of the same epoch, which names the items of lost buckets.
  /// - Returns: The result.
  /// - Throws: ``VaultError/Code/locked``; ``VaultError/Code/damaged`` if not even the head opens,
  ///   or the backup does not; ``VaultError/Code/invalidArgument`` if that is not a backup of this
  ///   vault.
  package func verify(backup: VaultPath? = nil) throws(VaultError) -> Verification {
    try locked { (file) throws(VaultError) in
      guard let backup else { return try file.verify() }
      return try file.verify(against: BackupNames(of: file, in: backup))
    }
  }
}

extension VaultFile {
  /// Opens every node, item and secret, and runs SQLite's own integrity check.
  ///
  /// - Parameter backup: Names the items of lost buckets.
  /// - Returns: The result.
  /// - Throws: ``VaultError/Code/damaged`` if not even the head opens.
  func verify(
    against backup: BackupNames? = nil
  ) throws(VaultError) -> Verification {
    try forgetContents()
    // A disk with a temporary read error may read correctly the next time.
    defer { connection.forgetPages() }
    return try read { (reader) throws(VaultError) in
      let head = try requireUnlocked().head
      let verifier = Verifier(reader: reader, rows: connection)
      try verifier.visitTrees()
      verifier.compare(itemCount: head.itemCount)
      try verifier.visitAncestors(of: head)
      try verifier.visitCommits(of: head) { () throws(VaultError) in try checkCommits() }
      try verifier.compareRows()
      try verifier.note(VaultProblem(.structure, "SQLite's check ended early")) {
        () throws(VaultError) in
        try connection.run(.integrityCheck) { row in
          let line = row.text(0)
          if line != "ok" { verifier.add(VaultProblem(.structure, "SQLite: \(line)")) }
        }
      }
      for row in try slotRows() {
        do throws(VaultError) {
          _ = try Slot(decoding: row.body, id: row.id)
        } catch {
          verifier.add(VaultProblem(.slot, error.context))
        }
      }
      if let backup { try verifier.name(itemsOf: backup) }
      return verifier.found
    }
  }
}

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
          guard mayNameRows,
            let large = try ItemRecord.LargeSecret(namedBy: record.kind, content, record.body)
          else { continue }
          _ = try reader.secret(large)
        }
      }
      guard items == unlocked.head.itemCount else {
        throw VaultError(.damaged, "\(items) items, and the head says \(unlocked.head.itemCount)")
      }
      _ = try reader.ancestors(of: unlocked.head)
      _ = try reader.commits(before: unlocked.head)
      _ = try slots()
      try connection.run(.integrityCheck) { (row) throws(VaultError) in
        let line = row.text(0)
        guard line == "ok" else { throw VaultError(.damaged, "SQLite: \(line)") }
      }
      return (unlocked.head, unlocked.headTag)
    }
  }
}
