import SealedTree
import VaultModel

/// A comparison of two copies of one vault, item by item.
///
/// An item's revision is the generation that last wrote it. Up to the last generation of a copy
/// that the other one is known to continue, it means that the copy has not changed the item since.
///
/// Source: `Documentation/format.md` §9.4.
struct MergeComparison {
  /// What is known of a copy's changes since the other one last had its state.
  struct Base {
    /// The last generation that the other copy continues.
    var generation: UInt64
    /// The generation in which this copy merged the other: what that wrote is the other's state.
    var merge: UInt64?

    func isChanged(_ record: ItemRecord) -> Bool {
      record.item.revision > generation && record.item.revision != merge
    }
  }

  let ours: MergeContent
  let theirs: MergeContent
  /// Whether the secrets of two records are the same.
  let hasSameSecrets: (ItemRecord, ItemRecord) throws(VaultError) -> Bool
  private var here: Base
  private var there: Base

  /// Creates a comparison.
  ///
  /// - Parameters:
  ///   - ours: The vault.
  ///   - theirs: The other copy.
  ///   - here: What the heads say of the vault.
  ///   - there: What they say of the other copy.
  ///   - hasSameSecrets: Opens and compares the secrets of two records.
  init(
    ours: MergeContent, theirs: MergeContent, here: Base, there: Base,
    hasSameSecrets: @escaping (ItemRecord, ItemRecord) throws(VaultError) -> Bool
  ) {
    self.ours = ours
    self.theirs = theirs
    self.hasSameSecrets = hasSameSecrets
    // Heads name 64 generations. An item that was last written at one moment in both copies was
    // written before they parted, and so was everything with a lower revision.
    let known =
      ours.items.values.lazy.filter { record in
        theirs.items[record.item.id].map { record.item.isSameWrite(as: $0.item) } ?? false
      }.map(\.item.revision).max() ?? 0
    self.here = Base(generation: max(here.generation, known), merge: here.merge)
    self.there = Base(generation: max(there.generation, known), merge: there.merge)
  }

  /// Returns every difference, items first, in the order of their keys.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if a secret does not open.
  func differences() throws(VaultError) -> [MergePlan.Step] {
    try items() + defaults() + rules()
  }

  // MARK: Items

  private typealias Pair = (ours: ItemRecord?, theirs: ItemRecord?)

  /// Returns the items of both copies, matched by id and then by key.
  private func pairs() -> [Pair] {
    var pairs: [Pair] = []
    var alone: [InternetPassword.Key: ItemRecord] = [:]
    for (id, record) in theirs.items where ours.items[id] == nil { alone[record.item.key] = record }
    for (id, record) in ours.items {
      // The same account, added or replaced in one copy or both.
      pairs.append((record, theirs.items[id] ?? alone.removeValue(forKey: record.item.key)))
    }
    pairs += alone.values.map { (nil, $0) }
    return pairs
  }

  private func items() throws(VaultError) -> [MergePlan.Step] {
    var steps: [MergePlan.Step] = []
    for pair in pairs() {
      guard let change = try change(of: pair) else { continue }
      steps.append(MergePlan.Step(change, .item(ours: pair.ours, theirs: pair.theirs)))
    }
    return steps.sorted { left, right in
      guard let one = left.change.key, let other = right.change.key, one != other else {
        return (left.change.id ?? Self.noID) < (right.change.id ?? Self.noID)
      }
      return one < other
    }
  }

  private static let noID = ItemID(high: 0, low: 0)

  private func change(of pair: Pair) throws(VaultError) -> MergeChange? {
    switch pair {
    case (let mine?, let other?):
      if mine.item.isSameWrite(as: other.item), try hasSameSecrets(mine, other) { return nil }
      let isSameSecret = try hasSameSecrets(mine, other)
      let attributes = mine.item.attributes(differingFrom: other.item, isSameSecret: isSameSecret)
      guard !attributes.isEmpty else { return nil }
      let kind: MergeChange.Kind =
        switch (here.isChanged(mine), there.isChanged(other)) {
        case (true, false): .changedHere
        case (false, true): .changedThere
        // Without a change, a copy was put back to an older state.
        case (true, true), (false, false): .changedInBoth
        }
      return item(mine, kind, attributes, mine.item.modified, other.item.modified)
    // Only the trash proves a removal: a revision does not say whether the other copy ever had the
    // item, since a third copy's items come with a revision of their merge.
    case (let mine?, nil):
      guard let removal = theirs.removed[mine.item.id] else {
        return item(mine, .addedHere, [], mine.item.modified, nil)
      }
      let kind: MergeChange.Kind = here.isChanged(mine) ? .changedHereRemovedThere : .removedThere
      return item(mine, kind, [], mine.item.modified, removal)
    case (nil, let other?):
      guard let removal = ours.removed[other.item.id] else {
        return item(other, .addedThere, [], nil, other.item.modified)
      }
      let kind: MergeChange.Kind = there.isChanged(other) ? .removedHereChangedThere : .removedHere
      return item(other, kind, [], removal, other.item.modified)
    case (nil, nil): return nil
    }
  }

  private func item(
    _ record: ItemRecord, _ kind: MergeChange.Kind, _ attributes: [String], _ here: Timestamp?,
    _ there: Timestamp?
  ) -> MergeChange {
    MergeChange(
      .item, kind, id: record.item.id, key: record.item.key, attributes: attributes,
      modifiedHere: here, modifiedThere: there)
  }

  // MARK: Defaults and rules

  /// Returns the spaces whose defaults differ.
  ///
  /// A cleared default leaves no trace, so the one that is there stays.
  private func defaults() -> [MergePlan.Step] {
    let spaces = Set(ours.defaults.keys).union(theirs.defaults.keys)
    let steps = spaces.compactMap { space -> MergePlan.Step? in
      let (mine, other) = (ours.defaults[space], theirs.defaults[space])
      let kind: MergeChange.Kind
      switch (mine, other) {
      case (let mine?, let other?):
        guard !mine.utf8.elementsEqual(other.utf8) else { return nil }
        kind = .changedInBoth
      case (_?, nil): kind = .addedHere
      case (nil, _): kind = .addedThere
      }
      let key = InternetPassword(space: space, account: mine ?? other ?? "", secret: nil).key
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
  /// A removed rule leaves no trace, so the one that is there stays.
  private func rules() -> [MergePlan.Step] {
    var alone = theirs.rules
    var steps: [MergePlan.Step] = []
    for mine in ours.rules {
      let index =
        alone.firstIndex { $0.id == mine.id }
        ?? alone.firstIndex { $0.name.hasSameBytes(as: mine.name) }
      let other = index.map { alone.remove(at: $0) }
      guard mine != other else { continue }
      steps.append(step(mine, mine, other, other == nil ? .addedHere : .changedInBoth))
    }
    return steps + alone.map { step($0, nil, $0, .addedThere) }
  }

  private func step(
    _ named: PersistencePolicy.Rule, _ mine: PersistencePolicy.Rule?,
    _ other: PersistencePolicy.Rule?, _ kind: MergeChange.Kind
  ) -> MergePlan.Step {
    MergePlan.Step(
      MergeChange(.rule, kind, id: named.id, ruleName: named.name),
      .rule(ours: mine, theirs: other))
  }
}

extension InternetPassword {
  /// Returns whether two copies have the item from one and the same write, their secrets apart.
  fileprivate func isSameWrite(as other: InternetPassword) -> Bool {
    revision == other.revision && modified == other.modified && hasSameContent(as: other)
  }

  /// Returns the names of the attributes that differ, of those that a change can set.
  fileprivate func attributes(
    differingFrom other: InternetPassword, isSameSecret: Bool
  ) -> [String] {
    let differing = Attribute.all.filter { attribute in
      guard !attribute.isReadOnly, attribute != .secret, attribute != .refreshToken else {
        return false
      }
      switch (self[attribute], other[attribute]) {
      case (nil, nil): return false
      case (let mine?, let theirs?): return !mine.isSame(as: theirs)
      default: return true
      }
    }
    return differing.map(\.json) + (isSameSecret ? [] : ["secret"])
  }
}
