import SealedTree
import VaultCrypto
package import VaultModel
package import VaultReports

/// The result of a full verification of a vault.
package struct Verification: Sendable {
  package var itemCount = 0
  package var bucketCount = 0
  package var problems: [VaultProblem] = []
}

extension FileStore {
  /// Opens everything and runs SQLite's integrity check.
  ///
  /// - Parameters:
  ///   - backup: A copy of the same epoch, which names the items of lost buckets.
  ///   - progress: Called with the share of the items that is done, 0 to 1.
  /// - Returns: The result.
  /// - Throws: ``VaultError/Code/locked``; ``VaultError/Code/damaged`` if not even the head opens,
  ///   or the backup does not; ``VaultError/Code/invalidArgument`` if that is not a backup of this
  ///   vault.
  package func verify(
    backup: VaultPath? = nil, progress: @escaping (Double) -> Void = { _ in }
  ) throws(VaultError) -> Verification {
    try locked { (file) throws(VaultError) in
      guard let backup else { return try file.verify(progress: progress) }
      return try file.verify(against: BackupNames(of: file, in: backup), progress: progress)
    }
  }
}

extension VaultFile {
  /// Opens every node, item and secret, and runs SQLite's own integrity check.
  ///
  /// - Parameters:
  ///   - backup: Names the items of lost buckets.
  ///   - progress: Called with the share of the items that is done, 0 to 1.
  ///   - item: Called with the state of each item that can be read.
  /// - Returns: The result.
  /// - Throws: ``VaultError/Code/damaged`` if not even the head opens.
  func verify(
    against backup: BackupNames? = nil, progress: @escaping (Double) -> Void = { _ in },
    item: ((ItemState) -> Void)? = nil
  ) throws(VaultError) -> Verification {
    try forgetContents()
    // A disk with a temporary read error may read correctly the next time.
    defer { connection.forgetPages() }
    return try read { (reader) throws(VaultError) in
      let head = try requireUnlocked().head
      let verifier = Verifier(reader: reader, rows: connection)
      let total = Double(max(1, head.itemCount))
      verifier.visited = { count in progress(min(1, Double(count) / total)) }
      verifier.visitedItem = item
      let faults = try connection.structureFaults()
      connection.allowance = faults.isEmpty ? nil : Self.mostBytesOfDamagedFile
      defer { connection.allowance = nil }
      try verifier.visitTrees()
      verifier.checkPolicy()
      verifier.compare(itemCount: head.itemCount)
      try verifier.visitAncestors(of: head)
      try verifier.visitCommits(of: head) { () throws(VaultError) in try checkCommits() }
      try verifier.compareRows()
      for fault in faults { verifier.add(VaultProblem(.structure, "SQLite: \(fault)")) }
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
  /// The limit on the rows that are read of a file whose structure is damaged: there, any number of
  /// rows may claim the same pages.
  private static let mostBytesOfDamagedFile = 1 << 30

  /// Verifies a copy before it counts as one, as ``verify(against:)`` does.
  ///
  /// - Parameters:
  ///   - progress: As that function says.
  ///   - item: As that function says.
  /// - Returns: The copy's head and its tag.
  /// - Throws: ``VaultError/Code/damaged`` with the problems.
  @discardableResult
  func checkCopy(
    progress: @escaping (Double) -> Void = { _ in }, item: ((ItemState) -> Void)? = nil
  ) throws(VaultError) -> (head: Head, tag: Tag) {
    let problems = try verify(progress: progress, item: item).problems
    guard problems.isEmpty else {
      let named = problems.prefix(10).map(\.description)
      let rest = problems.count > named.count ? ["\(problems.count - named.count) more"] : []
      throw VaultError(.damaged, (named + rest).joined(separator: "; "))
    }
    let verified = try requireUnlocked()
    return (verified.head, verified.headTag)
  }
}
