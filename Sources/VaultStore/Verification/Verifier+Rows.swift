import SealedTree
import VaultModel
import VaultReports

/// Checking the rows beside trees: those of ancestors and commits, and those that nothing refers
/// to.
extension Verifier {
  /// Checks the blocks of ancestors.
  func visitAncestors(of head: Head) throws(VaultError) {
    let problem = VaultProblem(.ancestors, "a copy that was changed apart might not be noticed")
    try note(problem) { () throws(VaultError) in
      do throws(VaultError) {
        let blocks = try reader.ancestors(of: head)
        expectedRows.formUnion(blocks.map { NodeID.ancestors($0.number) })
      } catch {
        // Nothing else names the older ones.
        let kept = AncestorBlock.kept(at: head.generation)
        unknownRows.append(NodeID.ancestors(kept.lowerBound)...NodeID.ancestors(kept.upperBound))
        throw error
      }
    }
  }

  /// Checks the commits of a fleet's vault.
  func visitCommits(of head: Head, _ check: () throws(VaultError) -> Void) throws(VaultError) {
    let problem = VaultProblem(.ancestors, "a commit by nobody of the fleet might not be noticed")
    try note(problem) { () throws(VaultError) in
      do throws(VaultError) {
        expectedRows.formUnion(try reader.commitRows(of: head))
      } catch {
        unknownRows.append(NodeID.commits)
        throw error
      }
      // A backup that was put at another path begins a history, which nobody could sign.
      guard head.roster == nil || head.commit?.previous ?? 0 > 0 else { return }
      try check()
    }
  }

  /// Reports rows that nothing refers to: of trees and secrets whose bucket is lost, or foreign
  /// ones.
  ///
  /// They do not affect the readable data, but they do not belong in the file.
  func compareRows() throws(VaultError) {
    var ids: [UInt64] = []
    try note(VaultProblem(.structure, "not every row can be counted")) { () throws(VaultError) in
      try rows.eachRowID { ids.append($0) }
    }
    unknownRows.sort { $0.lowerBound < $1.lowerBound }
    let strays = ids.filter { !expectedRows.contains($0) && !unknownRows.holds($0) }
    let trees = Dictionary(grouping: strays.filter { $0 < NodeID.firstLargeSecret }) {
      UInt32(truncatingIfNeeded: $0 >> 33)
    }
    var foreign = strays.filter { $0 >= NodeID.firstAncestors }
    var unreached: [(number: UInt32, rows: [UInt64])] = []
    for (number, rows) in trees.sorted(by: { $0.key < $1.key }) {
      if lost.isEmpty || walk.knows(number) {
        foreign += rows
      } else {
        unreached.append((number, rows))
      }
    }
    for (number, rows) in unreached.prefix(Self.mostNamed) { add(try unreachable(number, rows)) }
    if unreached.count > Self.mostNamed {
      add(VaultProblem(.tree, "\(unreached.count - Self.mostNamed) more, whose records are lost"))
    }
    let secrets = strays.filter { (NodeID.firstLargeSecret..<NodeID.firstAncestors).contains($0) }
    if lost.isEmpty {
      foreign += secrets
    } else if !secrets.isEmpty {
      add(VaultProblem(.row, "large secrets whose items are lost: \(secrets.count)"))
    }
    for id in foreign.prefix(Self.mostNamed) {
      add(VaultProblem(.row, "row \(id) belongs to nothing"))
    }
    if foreign.count > Self.mostNamed {
      add(VaultProblem(.row, "\(foreign.count - Self.mostNamed) more rows belong to nothing"))
    }
  }

  /// The number of foreign rows, and of trees without a record, that are named: a page holds
  /// hundreds of either.
  private static let mostNamed = 100

  /// Returns the problem of a tree whose record is lost; its own rows identify its server.
  private func unreachable(_ number: UInt32, _ rows: [UInt64]) throws(VaultError) -> VaultProblem {
    var problem = VaultProblem(
      .tree, "its record is lost, and with it the way to its \(rows.count) rows")
    problem.tree = Int(number)
    for id in rows {
      guard let bucket = try unproven(id), let server = bucket.server else { continue }
      problem.server = server
      break
    }
    return problem
  }
}

extension Array {
  /// Returns whether one of the ranges, which are sorted and disjoint, contains a number.
  func holds<Number: Comparable>(_ number: Number) -> Bool where Element == ClosedRange<Number> {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].contains(number)
  }
}
