import SealedTree
import SecureMemory
import VaultModel
import VaultReports

/// A comparison of two vaults of which neither is a copy of the other, such as a vault and one into
/// which its export was imported.
///
/// Ids, revisions and times are each vault's own: items are matched by their keys, removed ones by
/// the time of removal too.
struct VaultComparison {
  /// One of the two vaults.
  struct Side {
    let reader: TreeReader
    let trashDays: Int
  }

  private typealias Owner = PreviousRecord.Owner

  let comparison: MergeComparison
  let ours: Side
  let theirs: Side
  let now: Timestamp

  /// Returns every difference, items first, in the order of their keys; no side is taken.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if a secret does not open.
  func differences() throws(VaultError) -> [MergeChange] {
    var changes: [MergeChange] = []
    for pair in comparison.pairs {
      if let change = try change(of: kept(pair)) { changes.append(change) }
    }
    changes += try trash()
    changes.sort { left, right in
      guard let one = left.key, let other = right.key else { return false }
      return one < other
    }
    changes += (comparison.defaults() + comparison.rules()).map(\.change) + orderOfRules()
    for index in changes.indices { changes[index].side = nil }
    return changes
  }

  // MARK: Items

  /// Leaves out an item that its policy does not let a vault keep any longer.
  private func kept(_ pair: MergeComparison.Pair) -> MergeComparison.Pair {
    func kept(_ record: ItemRecord?) -> ItemRecord? {
      guard let end = record?.item.keptUntil, end <= now else { return record }
      return nil
    }
    return (kept(pair.ours), kept(pair.theirs))
  }

  private func change(of pair: MergeComparison.Pair) throws(VaultError) -> MergeChange? {
    guard case (let mine?, let other?) = pair else { return try comparison.step(of: pair)?.change }
    let attributes = try attributes(
      mine, Owner(item: mine.item.id, removed: nil), other,
      Owner(item: other.item.id, removed: nil))
    guard !attributes.isEmpty else { return nil }
    return MergeChange(
      .item, .changedInBoth, id: mine.item.id, key: mine.item.key, attributes: attributes,
      modifiedHere: mine.item.modified, modifiedThere: other.item.modified)
  }

  /// Returns the names of what differs between two items, live or removed.
  private func attributes(
    _ mine: ItemRecord, _ owner: Owner, _ other: ItemRecord, _ otherOwner: Owner
  ) throws(VaultError) -> [String] {
    let history = try MergedPrevious.all(of: owner, mine.item.key, from: ours.reader)
    let otherHistory = try MergedPrevious.all(of: otherOwner, other.item.key, from: theirs.reader)
    let isSame =
      history.count == otherHistory.count
      && zip(history, otherHistory).allSatisfy { $0.isSame(as: $1) }
    return try comparison.attributes(mine, differingFrom: other)
      + (isSame ? [] : [MergeChange.previousSecrets])
  }

  // MARK: Trash

  /// The identity of a removed item in both vaults.
  private struct Removal: Hashable {
    let key: Item.Key
    let removed: Timestamp

    init(_ record: RemovedRecord) {
      (key, removed) = (record.record.item.key, record.removed)
    }
  }

  /// Returns the removed items that only one of the vaults has so.
  private func trash() throws(VaultError) -> [MergeChange] {
    func kept(_ content: MergeContent, _ side: Side) -> [RemovedRecord] {
      content.removed.values.filter { $0.end(days: side.trashDays) > now }
    }
    var others = Dictionary(grouping: kept(comparison.theirs, theirs), by: Removal.init)
    var changes: [MergeChange] = []
    for mine in kept(comparison.ours, ours) {
      if let other = try same(as: mine, among: others[Removal(mine)] ?? []) {
        others[Removal(mine)]?.removeAll { $0.id == other.id }
      } else {
        changes.append(change(.removedHere, mine))
      }
    }
    return changes + others.values.joined().map { change(.removedThere, $0) }
  }

  private func same(
    as mine: RemovedRecord, among others: [RemovedRecord]
  ) throws(VaultError) -> RemovedRecord? {
    for other in others {
      let attributes = try attributes(
        mine.record, Owner(item: mine.id.item, removed: mine.removed), other.record,
        Owner(item: other.id.item, removed: other.removed))
      if attributes.isEmpty { return other }
    }
    return nil
  }

  private func change(_ kind: MergeChange.Kind, _ removed: RemovedRecord) -> MergeChange {
    MergeChange(
      .item, kind, id: removed.id.item, key: removed.record.item.key,
      modifiedHere: kind == .removedHere ? removed.removed : nil,
      modifiedThere: kind == .removedThere ? removed.removed : nil)
  }

  // MARK: Policy

  /// Returns the rules that both vaults have, but not in one order: the first that matches counts.
  private func orderOfRules() -> [MergeChange] {
    let (mine, other) = (comparison.ours.rules, comparison.theirs.rules)
    let (known, otherKnown) = (Set(mine.map(\.id)), Set(other.map(\.id)))
    return zip(mine.filter { otherKnown.contains($0.id) }, other.filter { known.contains($0.id) })
      .filter { $0.id != $1.id }.map { rule, _ in
        MergeChange(
          .rule, .changedInBoth, id: rule.id, ruleName: rule.name, attributes: ["order"])
      }
  }
}

extension MergedPrevious {
  /// Returns whether two previous secrets have the same content.
  fileprivate func isSame(as other: MergedPrevious) -> Bool {
    let (mine, theirs) = (record.value(secret: secret), other.record.value(secret: other.secret))
    return secret.isEqual(to: other.secret) && mine.kind == theirs.kind
      && mine.expires == theirs.expires && mine.certificates == theirs.certificates
  }
}
