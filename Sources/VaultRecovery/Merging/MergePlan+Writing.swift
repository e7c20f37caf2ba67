import SealedTree
import VaultFile
import VaultModel
import VaultSession

/// Writing a merge.
extension MergePlan {
  /// Writes the merged state.
  ///
  /// - Parameters:
  ///   - transaction: The vault's.
  ///   - reader: The other copy.
  /// - Throws: ``VaultError/Code/damaged`` if a bucket or secret of either does not open.
  func write(
    to transaction: FileTransaction, from reader: TreeReader
  ) throws(VaultError) {
    for step in steps {
      switch step.part {
      case .item(let ours, let theirs):
        try write(step, ours?.item, theirs, to: transaction, from: reader)
      case .defaultUser(let space, _, let user):
        if step.change.side == .theirs { try transaction.setDefaultUser(user, for: space) }
      case .rule: break
      }
    }
  }

  private func write(
    _ step: Step, _ ours: InternetPassword?, _ theirs: ItemRecord?,
    to transaction: FileTransaction, from reader: TreeReader
  ) throws(VaultError) {
    let isTaken = step.change.side == .theirs
    guard let theirs else {
      // Only the vault has it.
      if isTaken, let ours { try transaction.remove(ours.id, hint: ours.key) }
      return
    }
    // What only the vault changed, and what nobody may keep, stays as it is.
    guard isTaken || step.change.isConflict, !step.isRefused else { return }
    let other = try MergedItem(theirs, from: reader)
    try transaction.merge(other, with: ours, isTaken: isTaken, until: step.keptUntil)
    guard ours == nil, !isTaken else { return }
    // The vault removed it: the other copy's later state can be brought back from the trash.
    try transaction.remove(theirs.item.id, hint: theirs.item.key)
  }
}
