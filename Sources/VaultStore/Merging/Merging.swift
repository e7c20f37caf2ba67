import SealedTree
import VaultCrypto
import VaultModel
import VaultReports

/// One merge of an open copy into an unlocked vault.
struct Merging {
  let file: VaultFile
  let other: VaultFile
  let decisions: MergeDecisions
  /// Called with the share that is done, 0 to 1.
  let progress: (Double) -> Void

  func run() throws(VaultError) -> Merged {
    let slotsDiffer = try other.slots().map(SlotFacts.init) != file.slots().map(SlotFacts.init)
    let (vault, copy, relation, planned, now) = try compare()
    var isWritten = false
    var changes: [MergeChange] = []
    // No file is locked during a prompt.
    if var plan = planned {
      try plan.decide { (step) throws(VaultError) in try decisions.side(of: step.change) }
      try plan.apply(plan.policy(), trashDays: Int(vault.head.trashDays), at: now)
      try plan.requireUniqueKeys()
      changes = plan.changes
      if !decisions.isDryRun {
        try plan.requireDecided()
        changes = try write(plan, of: copy)
        isWritten = true
      }
    }
    let after = try file.requireUnlocked().head
    return Merged(
      changes: changes, relation: relation,
      itemCount: Int(after.itemCount), generation: after.generation, slotsDiffer: slotsDiffer,
      isWritten: isWritten)
  }

  /// Compares the vault with one that it is no copy of, of which nothing can be merged.
  func compareVaults() throws(VaultError) -> Merged {
    try other.read { (theirs) throws(VaultError) in
      try file.read { (ours) throws(VaultError) in
        let (vault, another) = (try file.requireUnlocked().head, try other.requireUnlocked().head)
        let comparison = try VaultComparison(
          comparison: comparison(ours, theirs) { progress($0) },
          ours: VaultComparison.Side(reader: ours, trashDays: Int(vault.trashDays)),
          theirs: VaultComparison.Side(reader: theirs, trashDays: Int(another.trashDays)),
          now: ours.clock.now())
        return try Merged(
          changes: comparison.differences(), relation: .anotherVault,
          itemCount: Int(vault.itemCount), generation: vault.generation, slotsDiffer: false,
          isWritten: false)
      }
    }
  }

  /// Compares the two copies; the plan is nil if the vault continues the other copy.
  private func compare() throws(VaultError) -> (
    vault: VaultFile.Unlocked, copy: VaultFile.Unlocked, relation: CopyRelation,
    plan: MergePlan?, now: Timestamp
  ) {
    try other.read { (theirs) throws(VaultError) in
      try file.read { (ours) throws(VaultError) in
        let (vault, copy) = (try file.requireUnlocked(), try other.requireUnlocked())
        try requireSigned(copy, for: vault)
        let here = try ours.ancestry(of: vault.head, vault.headTag)
        let there = try theirs.ancestry(of: copy.head, copy.headTag)
        return (
          vault, copy, Self.relation(of: (copy, there), to: (vault, here)),
          here.continues(there.head) ? nil : try plan(ours, theirs, from: 0), ours.clock.now()
        )
      }
    }
  }

  /// Requires that the commits of a replica were signed by its machines, and these admitted by the
  /// vault's own admin.
  ///
  /// The key that opens the copy proves only "a member", and a member could have written it in the
  /// name of others. Of a copy that no fleet wrote, or one of another epoch, nothing more is known.
  ///
  /// - Throws: ``VaultError/Code/damaged``.
  private func requireSigned(
    _ copy: VaultFile.Unlocked, for vault: VaultFile.Unlocked
  ) throws(VaultError) {
    try other.checkCommits()
    guard vault.keys.ident.epoch == copy.keys.ident.epoch, let ours = vault.head.roster?.admins,
      let theirs = copy.head.roster?.admins, ours != theirs
    else { return }
    throw VaultError(.damaged, "\(other.path.path) has the machines of another admin")
  }

  /// Compares again, because the vault may have changed since, and writes the merge.
  private func write(
    _ decided: MergePlan, of copy: VaultFile.Unlocked
  ) throws(VaultError) -> [MergeChange] {
    let sides = Dictionary(
      decided.steps.map { ($0.id, $0.chosen) }, uniquingKeysWith: { first, _ in first })
    return try other.read { (theirs) throws(VaultError) in
      guard try other.requireUnlocked().headTag == copy.headTag else {
        throw VaultError(.conflict, "\(other.path.path) was changed meanwhile")
      }
      return try file.write { (transaction) throws(VaultError) in
        var plan = try plan(transaction.unchanged, theirs, from: 0.4)
        plan.decide { step in sides[step.id] ?? nil }
        try plan.requireDecided()
        transaction.join(copy.head, try theirs.ancestry(of: copy.head, copy.headTag))
        let policy = try plan.policy()
        plan.apply(policy, trashDays: transaction.trashDays, at: transaction.now)
        try plan.requireUniqueKeys()
        try transaction.setPolicy(policy)
        try plan.write(to: transaction, from: theirs) { progress(0.8 + $0 * 0.2) }
        try transaction.mergeLog(of: theirs)
        return plan.changes
      }
    }
  }

  /// Compares the two copies, which is two fifths of a merge, from a share of it on.
  private func plan(
    _ ours: TreeReader, _ theirs: TreeReader, from share: Double
  ) throws(VaultError) -> MergePlan {
    try MergePlan(comparison(ours, theirs) { progress(share + $0 * 0.4) })
  }

  /// Reads and compares both files; `progress` is called with the share that is read, 0 to 1.
  private func comparison(
    _ ours: TreeReader, _ theirs: TreeReader, _ progress: (Double) -> Void
  ) throws(VaultError) -> MergeComparison {
    let total = Double(
      max(
        1,
        try file.requireUnlocked().head.itemCount
          + other.requireUnlocked().head.itemCount))
    var done = 0.0
    let count = {
      done += 1
      progress(min(1, done / total))
    }
    let (vault, copy) = (try file.requireUnlocked(), try other.requireUnlocked())
    let here = try ours.ancestry(of: vault.head, vault.headTag)
    let there = try theirs.ancestry(of: copy.head, copy.headTag)
    let isSameEpoch = vault.keys.ident.epoch == copy.keys.ident.epoch
    return try MergeComparison(
      ours: MergeContent(ours, count), theirs: MergeContent(theirs, count),
      here: SharedHistory(of: here, in: there), there: SharedHistory(of: there, in: here),
      isContinued: there.continues(here.head)
    ) { (mine, other) throws(VaultError) in
      if isSameEpoch, mine.item.id == other.item.id, mine.hasSameSeals(as: other) { return [] }
      let (one, two) = (try ours.opened(mine), try theirs.opened(other))
      return (one.hasSameSecret(as: two) ? [] : [.secret]) + one.furtherSecrets(differingFrom: two)
    }
  }

  private static func relation(
    of copy: (state: VaultFile.Unlocked, history: Ancestry),
    to vault: (state: VaultFile.Unlocked, history: Ancestry)
  ) -> CopyRelation {
    let (theirs, ours) = (copy.history.head, vault.history.head)
    if theirs.tag == ours.tag { return .same }
    if copy.state.keys.ident.epoch != vault.state.keys.ident.epoch { return .olderEpoch }
    if vault.history.continues(theirs) { return .older(ours.generation - theirs.generation) }
    if copy.history.continues(ours) { return .newer(theirs.generation - ours.generation) }
    return .forked
  }
}

/// The parts of a slot that a rekey keeps.
private struct SlotFacts: Equatable {
  let id: UInt32
  let kind: Slot.Kind
  let created: Timestamp

  init(_ slot: Slot) {
    (id, kind, created) = (slot.id, slot.kind, slot.created)
  }
}

extension MergeDecisions {
  fileprivate func side(of change: MergeChange) throws(VaultError) -> MergeSide? {
    if let preference { return change.side(preferring: preference) }
    return isDryRun ? nil : try choose(change)
  }
}
