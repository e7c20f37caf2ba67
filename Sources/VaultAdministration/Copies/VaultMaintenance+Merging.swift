public import VaultReports
public import CredentialVault
import VaultCrypto
import VaultStore
public import VaultModel

/// The result of a merge.
public struct MergeReport: Sendable {
  /// Every difference between the two copies, and the side that the vault has now.
  public let changes: [MergeChange]
  /// The relation of the other copy to the vault before the merge.
  public let relation: CopyRelation
  /// The number of items that the vault has now.
  public let itemCount: Int
  /// The vault's generation now.
  public let generation: UInt64
  /// Whether the other copy has other slots; the vault keeps its own.
  public let slotsDiffer: Bool
  /// Whether the merge was written: not in a dry run, and not if the vault continues the copy.
  public let isWritten: Bool

  /// The differences that have to be decided.
  public var conflicts: [MergeChange] { changes.filter { $0.isConflict && $0.side == nil } }
}

extension VaultMaintenance {
  /// Merges another copy of a vault into it, after both were changed separately.
  ///
  /// Items are compared one by one. The merged vault has what either copy added, changed or
  /// removed since they diverged. Both histories are kept: a secret that is not taken becomes a
  /// previous one, and a removed item is in the trash, as it was in the copy that removed it.
  /// Slots, and the limits of history and trash, are the vault's. Nothing proves the removal of a
  /// default, a rule or an item that is in no trash: it comes back from the copy that has it,
  /// unless only the other copy was changed and removed a default or rule. Everything is written in
  /// one transaction, after which this machine and all others accept the vault. A vault whose file
  /// was replaced by another copy, and is refused as ``VaultError/Code/rolledBack`` or
  /// ``VaultError/Code/forked``, accepts the merge of the copy that was seen before.
  ///
  /// A dry run also compares the vault with one that is no copy of it, such as one into which its
  /// export was imported: ``MergeReport/relation`` is then ``CopyRelation/anotherVault``. Items are
  /// matched by their keys, and ids, revisions and times are not compared.
  ///
  /// - Parameters:
  ///   - source: The other copy, which is only read.
  ///   - path: The vault's file; nil takes ``VaultLocation/find()``.
  ///   - key: The vault's key; nil takes ``KeySource/find()``.
  ///   - otherKey: The other copy's key; nil takes the vault's, and else the other key files that
  ///     were found: a copy may be from before this machine had a key of its own.
  ///   - preference: The side to take if both changed the same thing; nil then refuses the merge.
  ///   - dryRun: Whether only the differences are returned.
  ///   - lockTimeout: How long to wait for other processes' locks.
  /// - Returns: The differences, and what became of them.
  /// - Throws: ``VaultError/Code/conflict`` with the items that both changed, or two that would
  ///   have one key; ``VaultError/Code/missingInput`` if there is no other copy;
  ///   ``VaultError/Code/invalidArgument`` if it is the vault's own file, or, unless this is a dry
  ///   run, of another vault;
  ///   ``VaultError/Code/rolledBack`` if only the other copy was rekeyed;
  ///   ``VaultError/Code/damaged``; any error of opening and writing. Nothing was changed then,
  ///   except perhaps for ``VaultError/Code/outcomeUnknown``.
  @discardableResult
  public static func merge(
    _ source: String, into path: String? = nil, key: KeySource? = nil, otherKey: KeySource? = nil,
    preferring preference: MergePreference? = nil, dryRun: Bool = false,
    lockTimeout: Duration = .seconds(10)
  ) throws(VaultError) -> MergeReport {
    guard let key = try key.orFound() else {
      throw VaultError(.locked, "there is no key to open the vault with")
    }
    let vault = try Vault.openLocked(path: path, lockTimeout: lockTimeout)
    let loaded = try key.loaded()
    let report = try loaded.firstThatOpens { (key) throws(VaultError) in
      try vault.maintenance.merge(
        source, key: key, otherKey: otherKey, found: loaded.keyFileSources, preferring: preference,
        dryRun: dryRun, lockTimeout: lockTimeout)
    }
    guard let report else {
      throw VaultError(.locked, "no key that was found opens the vault and the other copy")
    }
    return report
  }

  /// Merges another copy into this vault, which is unlocked for it, as
  /// ``merge(_:into:key:otherKey:preferring:dryRun:lockTimeout:)`` does.
  ///
  /// `choose` returns a side for a conflict that no preference decides, nil to leave it undecided;
  /// it must not use the vault. `found` are keys that may open the copy if the vault's does not,
  /// and no other is named; key files at their usual places are also tried. `askOther` returns one
  /// more, nil if there is none. `progress` gets the share that is written, 0 to 1.
  package func merge(
    _ source: String, key: KeySource, otherKey: KeySource?, found: [KeySource] = [],
    preferring preference: MergePreference?, dryRun: Bool, lockTimeout: Duration,
    choose: @escaping (MergeChange) throws(VaultError) -> MergeSide? = { _ in nil },
    askOther: () throws(VaultError) -> KeySource? = { nil },
    progress: @escaping (Double) -> Void = { _ in }
  ) throws(VaultError) -> MergeReport {
    let key = try key.loaded()
    var others = [otherKey ?? key]
    var (mayFind, mayAsk) = (otherKey == nil, true)
    let merged = try vault.requireFile().merge(
      source, key: key.read(), keyFile: key.keyFileReader, lockTimeout: lockTimeout,
      otherKey: { (failure) throws(VaultError) in
        if others.isEmpty, mayFind {
          mayFind = false
          others = try (found + KeySource.inFiles()).filter { $0.faultOfFile() == nil }
        }
        if !others.isEmpty { return try others.removeFirst().read() }
        let asked = try mayAsk ? askOther() : nil
        mayAsk = false
        guard let asked else {
          throw failure ?? VaultError(.locked, "there is no key for \(source)")
        }
        return try asked.read()
      },
      decisions: MergeDecisions(isDryRun: dryRun, preference: preference, choose: choose),
      progress: progress)
    return MergeReport(
      changes: merged.changes, relation: merged.relation, itemCount: merged.itemCount,
      generation: merged.generation, slotsDiffer: merged.slotsDiffer, isWritten: merged.isWritten)
  }
}
