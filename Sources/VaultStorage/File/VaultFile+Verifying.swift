import VaultCrypto
package import VaultModel

/// The result of a full verification of a vault.
package struct Verification: Sendable {
  package var itemCount = 0
  package var bucketCount = 0
  package var problems: [VaultProblem] = []
}

/// Verifying everything.
extension VaultFile {
  /// Opens every node, item and secret, and runs SQLite's own integrity check.
  ///
  /// - Parameter backup: Names the items of lost buckets.
  /// - Returns: The result.
  /// - Throws: ``VaultError/Code/damaged`` if not even the head opens.
  func verify(
    against backup: BackupNames? = nil
  ) throws(VaultError) -> Verification {
    // From the file itself, not from data that was opened before.
    var fresh = try requireUnlocked()
    fresh.reader.forgetNodes()
    fresh.headRow = []
    fresh.head.slots = []
    fresh.head.recordKey = []
    unlocked = fresh
    forgetLabel()
    connection.forgetPages()
    // A disk with a temporary read error may read correctly the next time.
    defer { connection.forgetPages() }
    return try read { (reader) throws(VaultError) in
      let head = try requireUnlocked().head
      let verifier = Verifier(reader: reader, connection: connection)
      try verifier.visit(TreePlace(number: 0, level: 0), reader.root)
      verifier.compare(itemCount: head.itemCount)
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
