import SealedTree
import VaultModel

/// Histories, to which a merge adds without a new revision of the item.
extension MergeComparison {
  /// Returns the items of the other copy, live or removed, with previous secrets that the vault's
  /// lacks.
  ///
  /// A merge there may have added them to an item that is otherwise the same.
  func histories() -> [MergePlan.History] {
    var found: [MergePlan.History] = []
    func compare(_ mine: MergePlan.History.Owner?, _ other: MergePlan.History.Owner) {
      guard let mine, theirs.hasMoreHistory(other.id, than: ours, mine.id) else { return }
      found.append(MergePlan.History(ours: mine, theirs: other))
    }
    for case (let mine, let other?) in pairs {
      compare(mine.map { .item($0) } ?? lastRemoved(other.item.id), .item(other))
    }
    for (id, removal) in theirs.removed {
      let same = ours.removed[id].map { MergePlan.History.Owner.removed($0) }
      let live = ours.items[id.item].map { MergePlan.History.Owner.item($0) }
      compare(same ?? live ?? lastRemoved(id.item), .removed(removal))
    }
    return found
  }

  private func lastRemoved(_ id: ItemID) -> MergePlan.History.Owner? {
    ours.lastRemoved[id].map { .removed($0) }
  }
}
