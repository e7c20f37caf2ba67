import SealedTree
import VaultModel
import VaultReports

/// The differences between two copies, each with the side that wins.
struct MergePlan {
  /// A difference with its two states.
  struct Step {
    enum Part {
      case item(ours: ItemRecord?, theirs: ItemRecord?)
      /// An item in the other copy's trash.
      case removed(ours: ItemRecord?, theirs: RemovedRecord)
      case defaultUser(ProtectionSpace, ours: String?, theirs: String?)
      case rule(ours: PersistencePolicy.Rule?, theirs: PersistencePolicy.Rule?)
    }

    var change: MergeChange
    /// The side that was decided, whether or not the policy allows it.
    var chosen: MergeSide?
    let part: Part
    /// The identity of the item in the other copy's trash; nil for anything else.
    var removed: RemovedItem.ID? {
      if case .removed(_, let theirs) = part { theirs.id } else { nil }
    }
    /// The end of the retention of the other copy's item.
    var keptUntil: Timestamp?
    /// Whether the policy does not let the vault keep the other copy's item.
    var isRefused = false

    init(_ change: MergeChange, _ part: Part) {
      self.change = change
      chosen = change.side
      self.part = part
    }

    /// Identifies the difference, as long as neither copy changes it.
    struct ID: Hashable {
      let subject: MergeChange.Subject
      let id: ItemID?
      let key: Item.Key?
      let revisions: [UInt64?]
    }

    var id: ID {
      let revisions: [UInt64?] =
        switch part {
        case .item(let ours, let theirs): [ours?.item.revision, theirs?.item.revision]
        case .removed(let ours, let theirs):
          [ours?.item.revision, theirs.record.item.revision]
        case .defaultUser, .rule: []
        }
      return ID(subject: change.subject, id: change.id, key: change.key, revisions: revisions)
    }
  }

  /// Previous secrets of the other copy that the vault lacks, though its item does not differ.
  struct History {
    enum Owner {
      case item(ItemRecord)
      case removed(RemovedRecord)

      var record: ItemRecord {
        switch self {
        case .item(let record): record
        case .removed(let removed): removed.record
        }
      }

      var id: PreviousRecord.Owner {
        switch self {
        case .item(let record): PreviousRecord.Owner(item: record.item.id, removed: nil)
        case .removed(let removed):
          PreviousRecord.Owner(item: removed.id.item, removed: removed.removed)
        }
      }
    }

    let ours: Owner
    let theirs: Owner
  }

  private(set) var steps: [Step]
  private(set) var histories: [History]
  private let ours: MergeContent
  private let theirs: MergeContent
  private let isContinued: Bool

  init(_ comparison: MergeComparison) throws(VaultError) {
    steps = try comparison.differences()
    histories = comparison.histories()
    (ours, theirs) = (comparison.ours, comparison.theirs)
    isContinued = comparison.isContinued
  }

  /// All differences, among them items that differ only in previous secrets of the other copy.
  var changes: [MergeChange] {
    let changed = Set(steps.compactMap(\.change.id))
    let added = histories.map(\.ours.record.item).filter { !changed.contains($0.id) }
    return steps.map(\.change)
      + added.map {
        MergeChange(
          .item, .changedThere, id: $0.id, key: $0.key, attributes: [MergeChange.previousSecrets])
      }
  }

  // MARK: Deciding

  /// Decides each conflict for the side that `choose` returns; nil leaves it undecided.
  mutating func decide<E: Error>(_ choose: (Step) throws(E) -> MergeSide?) throws(E) {
    for index in steps.indices where steps[index].change.side == nil {
      let side = try choose(steps[index])
      steps[index].change.side = side
      steps[index].chosen = side
    }
  }

  /// Requires a side for every difference.
  ///
  /// - Throws: ``VaultError/Code/conflict`` with the undecided items.
  func requireDecided() throws(VaultError) {
    let open = steps.filter { $0.change.side == nil }
    guard !open.isEmpty else { return }
    let items = open.compactMap { step -> Item? in
      switch step.part {
      case .item(let ours, let theirs): return (ours ?? theirs)?.item
      case .removed(let ours, let theirs): return (ours ?? theirs.record).item
      case .defaultUser, .rule: return nil
      }
    }
    throw VaultError(
      .conflict,
      open.count == 1
        ? "one difference has to be decided: both copies changed it"
        : "\(open.count) differences have to be decided: both copies changed them",
      candidates: items)
  }

  // MARK: The policy

  /// Returns the rules of the merged vault.
  ///
  /// If the other copy continues the vault, they are its rules. Otherwise they are the vault's in
  /// their order, each further rule of the other copy behind the one that it follows there.
  ///
  /// - Throws: ``VaultError/Code/tooLarge`` for too many rules.
  func policy() throws(VaultError) -> PersistencePolicy {
    if isContinued { return try PersistencePolicy(stored: theirs.rules) }
    var rules = ours.rules
    var added: [PersistencePolicy.Rule] = []
    for step in steps where step.change.side == .theirs {
      guard case .rule(let mine, let other?) = step.part else { continue }
      if let index = rules.firstIndex(where: { $0.id == mine?.id }) {
        rules[index] = other
      } else {
        added.append(other)
      }
    }
    for rule in added {
      let before = theirs.rules.prefix { $0.id != rule.id }
      let index = before.reversed().lazy.compactMap { known in
        rules.firstIndex { $0.id == known.id || $0.name.hasSameBytes(as: known.name) }
      }.first
      rules.insert(rule, at: index.map { $0 + 1 } ?? 0)
    }
    return try PersistencePolicy(stored: rules)
  }

  /// Drops the other copy's items and secrets that the merged vault's policy and trash do not let
  /// it keep.
  mutating func apply(_ policy: PersistencePolicy, trashDays days: Int, at now: Timestamp) {
    steps.removeAll { step in
      guard case .removed(nil, let removed) = step.part else { return false }
      return removed.end(days: days) <= now
    }
    for index in steps.indices {
      let change = steps[index].change
      guard change.side == .theirs || change.isConflict, let other = steps[index].part.other else {
        continue
      }
      let retention = policy.retention(of: other, at: now)
      steps[index].keptUntil = retention.end
      guard retention.isRefused else { continue }
      steps[index].isRefused = true
      guard change.side == .theirs, !steps[index].part.isRemovalHere else { continue }
      steps[index].change.side = .ours
      steps[index].change.refusedBy = retention.rule
    }
    histories.removeAll { policy.retention(of: $0.theirs.record.item, at: now).isRefused }
  }

  // MARK: Keys

  /// Checks that no two items of the merged vault have the same key.
  ///
  /// - Throws: ``VaultError/Code/conflict`` with two items that do: one copy renamed or added one
  ///   of them, and the other copy has the other.
  func requireUniqueKeys() throws(VaultError) {
    var result = ours.items.mapValues(\.item)
    for step in steps where step.change.side == .theirs {
      switch step.part {
      case .item(let mine, let other):
        if let mine { result[mine.item.id] = nil }
        if let other { result[mine?.item.id ?? other.item.id] = other.item }
      case .removed(let mine, _):
        if let mine { result[mine.item.id] = nil }
      case .defaultUser, .rule: continue
      }
    }
    var seen: [Item.Key: Item] = [:]
    for item in result.values {
      guard let other = seen.updateValue(item, forKey: item.key) else { continue }
      throw VaultError(
        .conflict, "two items would have one key: give one of them another key before",
        candidates: [item, other])
    }
  }
}

extension MergePlan.Step.Part {
  /// The other copy's item, live or removed; nil for anything else.
  fileprivate var other: Item? {
    switch self {
    case .item(_, let theirs): theirs?.item
    case .removed(_, let theirs): theirs.record.item
    case .defaultUser, .rule: nil
    }
  }

  /// Whether it removes an item that the vault has, which no policy refuses.
  fileprivate var isRemovalHere: Bool {
    if case .removed(.some, _) = self { true } else { false }
  }
}

extension PersistencePolicy {
  /// Returns the rule that refuses an item, or the end of the item's retention.
  fileprivate func retention(
    of item: Item, at now: Timestamp
  ) -> (isRefused: Bool, rule: String, end: Timestamp?) {
    let decision = decide(item.key, requested: .permanent, now: item.secretChanged)
    let end = Timestamp.earliest(item.keptUntil, decision.expires)
    let isKept =
      decision.granted == .permanent && !decision.isRefused && end.map { $0 > now } ?? true
    return (!isKept, decision.rule?.name ?? "", end)
  }
}
