import SealedTree
import VaultModel
import VaultReports

/// Defaults and rules, which have no revision.
extension MergeComparison {
  /// Returns the spaces whose defaults differ.
  ///
  /// A cleared default leaves no trace, so a default in either copy stays unless the other copy
  /// continues the vault.
  func defaults() -> [MergePlan.Step] {
    let spaces = Set(ours.defaults.keys).union(theirs.defaults.keys)
    let steps = spaces.compactMap { space -> MergePlan.Step? in
      let (mine, other) = (ours.defaults[space], theirs.defaults[space])
      let kind: MergeChange.Kind
      switch (mine, other) {
      case (let mine?, let other?):
        guard !mine.utf8.elementsEqual(other.utf8) else { return nil }
        kind = isContinued ? .changedThere : .changedInBoth
      case (_?, nil): kind = isContinued ? .removedThere : .addedHere
      case (nil, _): kind = .addedThere
      }
      let key = Item(space: space, account: mine ?? other ?? "", secret: nil).key
      return MergePlan.Step(
        MergeChange(.defaultUser, kind, key: key),
        .defaultUser(space, ours: mine, theirs: other))
    }
    return steps.sorted { left, right in
      guard let one = left.change.key, let other = right.change.key else { return false }
      return one < other
    }
  }

  /// Returns the rules that differ, in the order of the policies.
  ///
  /// A removed rule leaves no trace either.
  func rules() -> [MergePlan.Step] {
    var alone = theirs.rules
    var steps: [MergePlan.Step] = []
    for mine in ours.rules {
      let index =
        alone.firstIndex { $0.id == mine.id }
        ?? alone.firstIndex { $0.name.hasSameBytes(as: mine.name) }
      let other = index.map { alone.remove(at: $0) }
      guard mine != other else { continue }
      let kind: MergeChange.Kind =
        switch (other == nil, isContinued) {
        case (true, true): .removedThere
        case (true, false): .addedHere
        case (false, true): .changedThere
        case (false, false): .changedInBoth
        }
      steps.append(step(mine, ours: mine, theirs: other, kind))
    }
    return steps + alone.map { step($0, ours: nil, theirs: $0, .addedThere) }
  }

  private func step(
    _ named: PersistencePolicy.Rule, ours mine: PersistencePolicy.Rule?,
    theirs other: PersistencePolicy.Rule?, _ kind: MergeChange.Kind
  ) -> MergePlan.Step {
    MergePlan.Step(
      MergeChange(.rule, kind, id: named.id, ruleName: named.name),
      .rule(ours: mine, theirs: other))
  }
}
