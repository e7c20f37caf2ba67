import SealedTree
package import VaultCrypto
package import VaultFile
package import VaultModel
import VaultSession

/// The result of a merge.
package struct Merged: Sendable {
  /// Every difference, with the side that the vault has now.
  package let changes: [MergeChange]
  /// The relation of the other copy to the vault before.
  package let relation: CopyRelation
  package let itemCount: Int
  package let generation: UInt64
  /// Whether the other copy has other slots.
  package let slotsDiffer: Bool
  /// Whether anything was written.
  package let isWritten: Bool
}

/// The decisions of a merge.
package struct MergeDecisions {
  /// Whether nothing is written.
  package let isDryRun: Bool
  package let preference: MergePreference?
  /// Asked about each conflict that the preference does not decide; nil leaves it undecided.
  package let choose: (MergeChange) throws(VaultError) -> MergeSide?

  package init(
    isDryRun: Bool, preference: MergePreference?,
    choose: @escaping (MergeChange) throws(VaultError) -> MergeSide?
  ) {
    self.isDryRun = isDryRun
    self.preference = preference
    self.choose = choose
  }
}

extension FileStore {
  /// Merges another copy of the vault into this one, in one transaction, and leaves the file
  /// unlocked.
  ///
  /// The file may be one that the rollback record refuses, if the other copy is what was seen here.
  ///
  /// - Parameters:
  ///   - source: The other copy, which is only read.
  ///   - key: The key of this vault.
  ///   - keyFile: Reads the key again after a rotation by another process.
  ///   - lockTimeout: The time limit of waiting for programs that use the other copy.
  ///   - otherKey: Returns a key for the other copy, after the error of the previous one if there
  ///     was one; it throws that error if there is no further key.
  ///   - decisions: Decides the conflicts. The vault must not be called within.
  /// - Returns: The differences, and what became of them.
  /// - Throws: As `VaultMaintenance.merge` says.
  package func merge(
    _ source: String, key: UnlockKey, keyFile: KeyFileReader?, lockTimeout: Duration,
    otherKey: (VaultError?) throws(VaultError) -> UnlockKey, decisions: MergeDecisions
  ) throws(VaultError) -> Merged {
    let other = try openCopy(source, lockTimeout: lockTimeout, key: otherKey)
    let state = try other.requireUnlocked()
    let copy = MergedCopy(
      head: state.head, tag: state.headTag, epoch: state.keys.ident.epoch)
    return try merging(copy, with: key, keyFile: keyFile) { (file) throws(VaultError) in
      let epoch = try file.requireUnlocked().keys.ident.epoch
      guard epoch >= copy.epoch else {
        throw VaultError(
          .rolledBack,
          "\(path.path) is from before the vault was rekeyed, and \(other.path.path) from after:"
            + " merge this one into that one"
        ).about(.backup)
      }
      return try Merging(file: file, other: other, decisions: decisions).run()
    }
  }

  /// Opens the other copy of this vault.
  private func openCopy(
    _ source: String, lockTimeout: Duration, key: (VaultError?) throws(VaultError) -> UnlockKey
  ) throws(VaultError) -> VaultFile {
    let place = try VaultPath(backup: source)
    let (id, identity) = try locked { (file) throws(VaultError) in
      (file.ident.vaultID, file.identity)
    }
    // A second connection to the vault's own file would drop its locks when it is closed.
    guard try Posix.information(place.path)?.identity != identity else {
      throw VaultError(.invalidArgument, "the other copy is the vault's own file")
    }
    do throws(VaultError) {
      let other = try VaultFile(
        path: place, stateFolder: nil, lockTimeout: lockTimeout, role: .backup)
      guard other.ident.vaultID == id else {
        throw VaultError(
          .invalidArgument,
          "\(place.path) is another vault, not a copy of \(path.path); an export and an import"
            + " bring its items")
      }
      var failure: VaultError?
      while true {
        do throws(VaultError) {
          try other.unlock(with: key(failure))
          return other
        } catch {
          guard [.authenticationFailed, .locked].contains(error.code), failure == nil else {
            throw error
          }
          failure = error
        }
      }
    } catch {
      throw place.naming(error)
    }
  }
}

/// One merge of an open copy into an unlocked vault.
private struct Merging {
  let file: VaultFile
  let other: VaultFile
  let decisions: MergeDecisions

  func run() throws(VaultError) -> Merged {
    let slotsDiffer = try other.slots().map(SlotFacts.init) != file.slots().map(SlotFacts.init)
    let (vault, copy, planned, now) = try compare()
    var isWritten = false
    var changes: [MergeChange] = []
    // No file is locked while somebody is asked.
    if var plan = planned {
      try plan.decide { (step) throws(VaultError) in try decisions.side(of: step.change) }
      try plan.apply(plan.policy(), at: now)
      try plan.requireUniqueKeys()
      changes = plan.steps.map(\.change)
      if !decisions.isDryRun {
        try plan.requireDecided()
        changes = try write(plan, of: copy)
        isWritten = true
      }
    }
    let after = try file.requireUnlocked().head
    return Merged(
      changes: changes, relation: Self.relation(of: copy, to: vault),
      itemCount: Int(after.itemCount), generation: after.generation, slotsDiffer: slotsDiffer,
      isWritten: isWritten)
  }

  /// Compares the two copies; the plan is nil if the vault continues the other one.
  private func compare() throws(VaultError) -> (
    vault: VaultFile.Unlocked, copy: VaultFile.Unlocked, plan: MergePlan?, now: Timestamp
  ) {
    try other.read { (theirs) throws(VaultError) in
      try file.read { (ours) throws(VaultError) in
        let (vault, copy) = (try file.requireUnlocked(), try other.requireUnlocked())
        let isKnown = vault.head.continues(copy.known, tag: vault.headTag)
        return (vault, copy, isKnown ? nil : try plan(ours, theirs), ours.clock.now())
      }
    }
  }

  /// Writes the merge; it is compared again, because somebody may have changed the vault since.
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
        var plan = try plan(transaction.unchanged, theirs)
        plan.decide { step in sides[step.id] ?? nil }
        try plan.requireDecided()
        transaction.join(copy.head, tag: copy.headTag)
        let policy = try plan.policy()
        plan.apply(policy, at: transaction.now)
        try plan.requireUniqueKeys()
        try transaction.setPolicy(policy)
        try plan.write(to: transaction, from: theirs)
        return plan.steps.map(\.change)
      }
    }
  }

  private func plan(_ ours: TreeReader, _ theirs: TreeReader) throws(VaultError) -> MergePlan {
    let (vault, copy) = (try file.requireUnlocked(), try other.requireUnlocked())
    let isSameEpoch = vault.keys.ident.epoch == copy.keys.ident.epoch
    let knownHere = vault.head.newest(of: copy.head.ownHeads(copy.headTag), tag: vault.headTag)
    let knownThere = copy.head.newest(of: vault.head.ownHeads(vault.headTag), tag: copy.headTag)
    let comparison = try MergeComparison(
      ours: MergeContent(ours), theirs: MergeContent(theirs),
      here: .init(generation: knownThere?.head.generation ?? 0, merge: knownHere?.merged),
      there: .init(generation: knownHere?.head.generation ?? 0, merge: knownThere?.merged)
    ) { (mine, other) throws(VaultError) in
      if isSameEpoch, mine.item.id == other.item.id, mine.hasSameSeals(as: other) { return true }
      let (one, two) = (try ours.opened(mine), try theirs.opened(other))
      return one.hasSameSecret(as: two) && one.hasSameRefreshToken(as: two)
    }
    return try MergePlan(comparison)
  }

  private static func relation(
    of copy: VaultFile.Unlocked, to vault: VaultFile.Unlocked
  ) -> CopyRelation {
    if copy.headTag == vault.headTag { return .same }
    if copy.keys.ident.epoch != vault.keys.ident.epoch { return .olderEpoch }
    if vault.head.continues(copy.known, tag: vault.headTag) {
      return .older(vault.head.generation - copy.head.generation)
    }
    if copy.head.continues(vault.known, tag: copy.headTag) {
      return .newer(copy.head.generation - vault.head.generation)
    }
    return .forked
  }
}

/// What a rekey keeps of a slot.
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

extension VaultFile.Unlocked {
  fileprivate var known: KnownHead { KnownHead(generation: head.generation, tag: headTag) }
}

extension ItemRecord {
  /// Returns whether two records have the same sealed bytes: an unchanged secret is not opened.
  fileprivate func hasSameSeals(as other: ItemRecord) -> Bool {
    sealedSecret == other.sealedSecret && largeSecret == other.largeSecret
      && sealedRefreshToken == other.sealedRefreshToken
  }
}

extension InternetPassword {
  fileprivate func hasSameRefreshToken(as other: InternetPassword) -> Bool {
    var (mine, theirs) = (self, other)
    (mine.secret, theirs.secret) = (refreshToken, other.refreshToken)
    return mine.hasSameSecret(as: theirs)
  }
}
