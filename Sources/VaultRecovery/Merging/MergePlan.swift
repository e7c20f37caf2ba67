import SealedTree
import VaultFile
import VaultModel
import VaultSession

/// The differences between two copies, with the side that each is to have.
struct MergePlan {
  /// A difference with its two states.
  struct Step {
    enum Part {
      case item(ours: ItemRecord?, theirs: ItemRecord?)
      case defaultUser(ProtectionSpace, ours: String?, theirs: String?)
      case rule(ours: PersistencePolicy.Rule?, theirs: PersistencePolicy.Rule?)
    }

    var change: MergeChange
    /// The side that was decided, whether or not the policy allows it.
    var chosen: MergeSide?
    let part: Part
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
      let key: InternetPassword.Key?
      let revisions: [UInt64?]
    }

    var id: ID {
      var revisions: [UInt64?] = []
      if case .item(let ours, let theirs) = part {
        revisions = [ours?.item.revision, theirs?.item.revision]
      }
      return ID(subject: change.subject, id: change.id, key: change.key, revisions: revisions)
    }
  }

  private(set) var steps: [Step]
  private let ours: MergeContent
  private let theirs: MergeContent

  init(_ comparison: MergeComparison) throws(VaultError) {
    steps = try comparison.differences()
    (ours, theirs) = (comparison.ours, comparison.theirs)
  }

  // MARK: Deciding

  /// Gives each conflict the side that `choose` returns; nil leaves it undecided.
  mutating func decide<E: Error>(_ choose: (Step) throws(E) -> MergeSide?) throws(E) {
    for index in steps.indices where steps[index].change.side == nil {
      let side = try choose(steps[index])
      steps[index].change.side = side
      steps[index].chosen = side
    }
  }

  /// Requires a side for every difference.
  ///
  /// - Throws: ``VaultError/Code/conflict`` with the items that have none.
  func requireDecided() throws(VaultError) {
    let open = steps.filter { $0.change.side == nil }
    guard !open.isEmpty else { return }
    let items = open.compactMap { step -> InternetPassword? in
      guard case .item(let ours, let theirs) = step.part else { return nil }
      return (ours ?? theirs)?.item
    }
    throw VaultError(
      .conflict,
      open.count == 1
        ? "one difference has to be decided: both copies changed it"
        : "\(open.count) differences have to be decided: both copies changed them",
      candidates: items)
  }

  // MARK: The policy

  /// The rules of the merged vault: those of the vault in their order, and each further one of the
  /// other copy behind the rule that it follows there.
  ///
  /// - Throws: ``VaultError/Code/tooLarge`` for too many rules.
  func policy() throws(VaultError) -> PersistencePolicy {
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

  /// Leaves out the items of the other copy, and their secrets, that the merged vault's policy does
  /// not let it keep.
  mutating func apply(_ policy: PersistencePolicy, at now: Timestamp) {
    for index in steps.indices {
      let change = steps[index].change
      guard change.side == .theirs || change.isConflict,
        case .item(_, let other?) = steps[index].part
      else { continue }
      let item = other.item
      let decision = policy.decide(item.key, requested: .permanent, now: item.secretChanged)
      let end = Timestamp.earliest(item.keptUntil, decision.expires)
      if decision.granted == .permanent, !decision.isRefused, end.map({ $0 > now }) ?? true {
        steps[index].keptUntil = end
        continue
      }
      steps[index].isRefused = true
      guard change.side == .theirs else { continue }
      steps[index].change.side = .ours
      steps[index].change.refusedBy = decision.rule?.name ?? ""
    }
  }

  // MARK: Keys

  /// Checks that no two items of the merged vault have one key.
  ///
  /// - Throws: ``VaultError/Code/conflict`` with two that do: one was renamed in a copy, or added,
  ///   where the other copy has the other.
  func requireUniqueKeys() throws(VaultError) {
    var result = ours.items.mapValues(\.item)
    for step in steps where step.change.side == .theirs {
      guard case .item(let mine, let other) = step.part else { continue }
      if let mine { result[mine.item.id] = nil }
      if let other { result[mine?.item.id ?? other.item.id] = other.item }
    }
    var seen: [InternetPassword.Key: InternetPassword] = [:]
    for item in result.values {
      guard let other = seen.updateValue(item, forKey: item.key) else { continue }
      throw VaultError(
        .conflict, "two items would have one key: give one of them another key before",
        candidates: [item, other])
    }
  }
}
