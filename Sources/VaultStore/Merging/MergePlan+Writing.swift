import VaultReports
import SealedTree
import VaultModel

/// Writing a merge.
extension MergePlan {
  /// Writes the merged state.
  ///
  /// - Parameters:
  ///   - transaction: The vault's.
  ///   - reader: The other copy.
  ///   - progress: Called after each step with the share that is done, 0 to 1.
  /// - Throws: ``VaultError/Code/damaged`` if a bucket or secret of either does not open.
  func write(
    to transaction: FileTransaction, from reader: TreeReader, progress: (Double) -> Void
  ) throws(VaultError) {
    let total = Double(histories.count + steps.count)
    // Before the items, whose records the steps change.
    for (index, history) in histories.enumerated() {
      try history.write(to: transaction, from: reader)
      progress(Double(index + 1) / total)
    }
    for (index, step) in steps.enumerated() {
      try step.write(to: transaction, from: reader)
      progress(Double(histories.count + index + 1) / total)
    }
  }
}

extension MergePlan.History {
  fileprivate func write(
    to transaction: FileTransaction, from reader: TreeReader
  ) throws(VaultError) {
    let previous = try MergedPrevious.all(of: theirs.id, theirs.record.item.key, from: reader)
    try transaction.addHistory(previous, to: ours.record, ours.id)
  }
}

extension MergePlan.Step {
  fileprivate func write(
    to transaction: FileTransaction, from reader: TreeReader
  ) throws(VaultError) {
    switch part {
    case .item(let ours, let theirs?):
      try write(ours?.item, theirs, to: transaction, from: reader)
    case .removed(let ours, let theirs):
      try write(ours?.item, theirs, to: transaction, from: reader)
    case .defaultUser(let space, _, let user):
      if change.side == .theirs { try transaction.setDefaultUser(user, for: space) }
    // Only the vault has it, or it is a rule: the policy is written as a whole.
    case .item(_, nil), .rule: break
    }
  }

  private func write(
    _ ours: Item?, _ theirs: ItemRecord, to transaction: FileTransaction,
    from reader: TreeReader
  ) throws(VaultError) {
    let isTaken = change.side == .theirs
    // A change of the vault alone, or one that the policy refuses, leaves the vault as it is.
    guard isTaken || change.isConflict, !isRefused else { return }
    let other = try MergedItem(theirs, from: reader)
    guard ours == nil, !isTaken else {
      try transaction.merge(
        other, with: ours, isTaken: isTaken, isConflict: change.isConflict, until: keptUntil)
      return
    }
    // The vault removed it: the other copy's later state goes to the trash.
    try transaction.addToTrash(other, removed: nil, until: keptUntil)
  }

  private func write(
    _ ours: Item?, _ theirs: RemovedRecord, to transaction: FileTransaction,
    from reader: TreeReader
  ) throws(VaultError) {
    let isTaken = change.side == .theirs
    let isOver = theirs.end(days: transaction.trashDays) <= transaction.now
    if let ours, isTaken, change.isConflict || isRefused || isOver {
      // The vault's last state can be brought back too.
      try transaction.remove(ours.id, hint: ours.key, removal: .recoverable)
    }
    guard !isRefused, !isOver, isTaken || ours != nil else { return }
    let other = try MergedItem(theirs, from: reader)
    guard let ours, isTaken, !change.isConflict else {
      try transaction.addToTrash(other, removed: theirs.removed, until: keptUntil)
      return
    }
    // The vault has no state of its own: one removed item has the histories of both.
    try transaction.merge(other, with: ours, isTaken: true, until: keptUntil)
    try transaction.remove(
      ours.id, hint: theirs.record.item.key, removal: .recoverable,
      removed: theirs.removed)
  }
}
