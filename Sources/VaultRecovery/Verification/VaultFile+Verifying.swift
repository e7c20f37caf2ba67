import SealedTree
import VaultCrypto
package import VaultFile
package import VaultModel

/// What a full look at a vault found.
package struct Verification: Sendable {
  package var itemCount = 0
  package var bucketCount = 0
  package var problems: [VaultProblem] = []
}

extension FileStore {
  /// Opens everything and runs SQLite's integrity check.
  ///
  /// - Parameter backup: A copy of the same epoch, which names the items that lay in lost buckets.
  /// - Returns: What was found.
  /// - Throws: ``VaultError/Code/locked``; ``VaultError/Code/damaged`` if not even the head opens, or
  ///   not the backup; ``VaultError/Code/invalidArgument`` if that is none of this vault.
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
  /// - Parameter backup: Names the items that lay in lost buckets.
  /// - Returns: What was found.
  /// - Throws: ``VaultError/Code/damaged`` if not even the head opens.
  func verify(
    against backup: BackupNames? = nil
  ) throws(VaultError) -> Verification {
    try forgetContents()
    // A disk that reads badly once may read well the next time.
    defer { connection.forgetPages() }
    return try read { (reader) throws(VaultError) in
      let head = try requireUnlocked().head
      let verifier = Verifier(reader: reader, rows: connection)
      try verifier.visitTrees()
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
