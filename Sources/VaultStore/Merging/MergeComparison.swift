import SealedTree
import VaultModel
import VaultReports

/// A comparison of two copies of one vault, item by item.
///
/// An item's revision is the generation that last wrote it. If the other copy is known to continue
/// that generation, this copy has not changed the item since the two diverged.
///
/// Source: `Documentation/format.md` §9.4.
struct MergeComparison {
  /// The states of one copy that the other has seen.
  private struct Base {
    let generation: UInt64
    let merges: Set<UInt64>

    /// Returns whether an item was last written after these states.
    ///
    /// A merge includes the state of the merged head, which may be one of them.
    func isChanged(_ record: ItemRecord) -> Bool {
      record.item.revision > generation && !merges.contains(record.item.revision)
    }
  }

  let ours: MergeContent
  let theirs: MergeContent
  /// Whether the other copy continues the vault's own head, so that only that copy was changed.
  let isContinued: Bool
  let pairs: [Pair]
  /// Opens and compares two records; returns those of their secrets that differ.
  private let differingSecrets: (ItemRecord, ItemRecord) throws(VaultError) -> [Attribute]
  private let here: Base
  private let there: Base

  /// Creates a comparison.
  ///
  /// - Parameters:
  ///   - ours: The vault.
  ///   - theirs: The other copy.
  ///   - here: The vault's history, as far as the other copy continues it.
  ///   - there: The other copy's history, as far as the vault continues it.
  ///   - isContinued: Whether the other copy continues the vault's own head.
  ///   - differingSecrets: Opens and compares two records; returns those of their secrets that
  ///     differ.
  init(
    ours: MergeContent, theirs: MergeContent, here: SharedHistory, there: SharedHistory,
    isContinued: Bool,
    differingSecrets: @escaping (ItemRecord, ItemRecord) throws(VaultError) -> [Attribute]
  ) {
    self.ours = ours
    self.theirs = theirs
    self.isContinued = isContinued
    pairs = Self.pairs(ours, theirs)
    self.differingSecrets = differingSecrets
    // The ancestors may not reach back to the last common head. An item that both copies have from
    // one write was written before they diverged, and so was everything with a lower revision.
    let shared =
      ours.items.values.lazy.filter { record in
        theirs.items[record.item.id].map { record.isSameWrite(as: $0) } ?? false
      }.map(\.item.revision).max() ?? 0
    func base(_ history: SharedHistory) -> Base {
      Base(
        generation: history.generation > 0 ? history.generation : shared,
        merges: history.merges)
    }
    self.here = base(here)
    self.there = base(there)
  }

  /// Returns every difference, items first, in the order of their keys.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if a secret does not open.
  func differences() throws(VaultError) -> [MergePlan.Step] {
    try items() + defaults() + rules()
  }

  // MARK: Items

  typealias Pair = (ours: ItemRecord?, theirs: ItemRecord?)

  /// Returns the items of both copies, matched by id and then by key.
  private static func pairs(_ ours: MergeContent, _ theirs: MergeContent) -> [Pair] {
    var pairs: [Pair] = []
    var alone: [Item.Key: ItemRecord] = [:]
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
    for pair in pairs {
      if let step = try step(of: pair) { steps.append(step) }
    }
    steps += trash(except: Set(steps.compactMap(\.removed)))
    return steps.sorted { left, right in
      guard let one = left.change.key, let other = right.change.key, one != other else {
        return (left.change.id ?? Self.noID) < (right.change.id ?? Self.noID)
      }
      return one < other
    }
  }

  private static let noID = ItemID(high: 0, low: 0)

  func step(of pair: Pair) throws(VaultError) -> MergePlan.Step? {
    switch pair {
    case (let mine?, let other?):
      let attributes = try attributes(mine, differingFrom: other)
      guard !attributes.isEmpty else { return nil }
      let kind: MergeChange.Kind =
        switch (here.isChanged(mine), there.isChanged(other)) {
        case (true, false): .changedHere
        case (false, true): .changedThere
        // Neither was changed: each copy decided a conflict differently, or was put back to an
        // older state.
        case (true, true), (false, false): .changedInBoth
        }
      return step(pair, kind, attributes)
    // Only the trash proves a removal: a revision does not say whether the other copy ever had the
    // item, since a third copy's items come with a revision of their merge.
    case (let mine?, nil):
      guard let removal = theirs.lastRemoved[mine.item.id] else { return step(pair, .addedHere) }
      let isKnown = ours.removed[removal.id] != nil
      switch (here.isChanged(mine), isKnown) {
      case (false, false): return step(removal, of: mine, .removedThere)
      // The vault has decided against this removal.
      case (true, true): return step(pair, .addedHere)
      case (true, false), (false, true): return step(removal, of: mine, .changedHereRemovedThere)
      }
    case (nil, let other?):
      guard let removal = ours.lastRemoved[other.item.id] else { return step(pair, .addedThere) }
      let isKnown = theirs.removed[removal.id] != nil
      switch (there.isChanged(other), isKnown) {
      case (false, false): return step(pair, .removedHere, removed: removal.removed)
      case (true, true): return step(pair, .addedThere)
      case (true, false), (false, true):
        return step(pair, .removedHereChangedThere, removed: removal.removed)
      }
    case (nil, nil): return nil
    }
  }

  /// Returns the names of the attributes that differ, secrets among them.
  func attributes(
    _ mine: ItemRecord, differingFrom other: ItemRecord
  ) throws(VaultError) -> [String] {
    try mine.item.attributes(differingFrom: other.item, differingSecrets(mine, other))
  }

  private func step(
    _ pair: Pair, _ kind: MergeChange.Kind, _ attributes: [String] = [], removed: Timestamp? = nil
  ) -> MergePlan.Step? {
    guard let item = (pair.ours ?? pair.theirs)?.item else { return nil }
    return MergePlan.Step(
      MergeChange(
        .item, kind, id: item.id, key: item.key, attributes: attributes,
        modifiedHere: pair.ours?.item.modified ?? removed,
        modifiedThere: pair.theirs?.item.modified),
      .item(ours: pair.ours, theirs: pair.theirs))
  }

  // MARK: Trash

  /// Returns the removed items of the other copy that were changed there before their removal, so
  /// that the vault lacks their last state.
  private func trash(except named: Set<RemovedItem.ID>) -> [MergePlan.Step] {
    theirs.removed.values.lazy.filter { removal in
      ours.removed[removal.id] == nil && !named.contains(removal.id)
        && there.isChanged(removal.record)
    }.map { step($0, of: nil, .removedThere) }
  }

  private func step(
    _ removal: RemovedRecord, of mine: ItemRecord?, _ kind: MergeChange.Kind
  ) -> MergePlan.Step {
    let item = (mine ?? removal.record).item
    return MergePlan.Step(
      MergeChange(
        .item, kind, id: item.id, key: item.key, modifiedHere: mine?.item.modified,
        modifiedThere: removal.removed),
      .removed(ours: mine, theirs: removal))
  }
}

extension ItemRecord {
  /// Returns whether both copies have the item from the same write: only then are the sealed bytes
  /// of its secret equal.
  fileprivate func isSameWrite(as other: ItemRecord) -> Bool {
    item.revision == other.item.revision && item.modified == other.item.modified
      && (!sealedSecret.isEmpty || largeSecret != nil) && hasSameSeals(as: other)
      && item.hasSameContent(as: other.item)
  }

  /// Returns whether two records have the same sealed bytes: an unchanged secret is not opened.
  func hasSameSeals(as other: ItemRecord) -> Bool {
    sealedSecret == other.sealedSecret && largeSecret == other.largeSecret
      && furtherSecrets == other.furtherSecrets
  }
}

extension Item {
  /// Returns the names of the changeable attributes that differ, and those of `secrets`.
  fileprivate func attributes(
    differingFrom other: Item, _ secrets: [Attribute]
  ) -> [String] {
    // Most items of two copies are the same.
    let candidates = hasSameContent(as: other) ? [] : Attribute.all
    let differing = candidates.filter { attribute in
      guard !attribute.isReadOnly, attribute.form != .secret else { return false }
      switch (self[attribute], other[attribute]) {
      case (nil, nil): return false
      case (let mine?, let theirs?): return !mine.isSame(as: theirs)
      default: return true
      }
    }
    return differing.map(\.json) + secrets.map(\.json)
  }
}
