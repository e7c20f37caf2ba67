import SealedTree
package import VaultCrypto
package import VaultModel
package import VaultReports

/// The result of a merge.
package struct Merged: Sendable {
  /// All differences, each with the side that was taken.
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
  /// A dry run also compares the vault with another one: nothing of it can be taken.
  ///
  /// A file that the rollback record refuses is accepted if the other copy is the one that was seen
  /// here.
  ///
  /// - Parameters:
  ///   - source: The other copy, which is only read.
  ///   - key: The key of this vault.
  ///   - keyFile: Reads the key again after a rekey by another process.
  ///   - lockTimeout: The time limit of waiting for programs that use the other copy.
  ///   - otherKey: Returns the next key for the other copy, after the error of the previous one if
  ///     there was one; it throws that error if there is no further key.
  ///   - decisions: Decides the conflicts. The vault must not be called within.
  ///   - progress: Called while the merge is written, with the share that is done, 0 to 1.
  /// - Returns: The differences and their decisions.
  /// - Throws: As `VaultMaintenance.merge` says.
  package func merge(
    _ source: String, key: UnlockKey, keyFile: KeyFileReader?, lockTimeout: Duration,
    otherKey: (VaultError?) throws(VaultError) -> UnlockKey, decisions: MergeDecisions,
    progress: @escaping (Double) -> Void = { _ in }
  ) throws(VaultError) -> Merged {
    let (other, isCopy) = try openCopy(
      source, mayBeOther: decisions.isDryRun, lockTimeout: lockTimeout, key: otherKey)
    let copy = isCopy ? try MergedCopy(other) : nil
    return try merging(copy, with: key, keyFile: keyFile) { (file) throws(VaultError) in
      let merging = Merging(file: file, other: other, decisions: decisions, progress: progress)
      guard let copy else { return try merging.compareVaults() }
      let epoch = try file.requireUnlocked().keys.ident.epoch
      guard epoch >= copy.epoch else {
        throw VaultError(
          .rolledBack,
          "\(path.path) is from before the vault was rekeyed, and \(other.path.path) from after:"
            + " merge this one into that one"
        ).about(.backup)
      }
      return try merging.run()
    }
  }

  /// Opens the other copy of this vault, or another vault if it may be one.
  private func openCopy(
    _ source: String, mayBeOther: Bool, lockTimeout: Duration,
    key: (VaultError?) throws(VaultError) -> UnlockKey
  ) throws(VaultError) -> (file: VaultFile, isCopy: Bool) {
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
      let isCopy = other.ident.vaultID == id
      guard isCopy || mayBeOther else {
        throw VaultError(
          .invalidArgument,
          "\(place.path) is another vault, not a copy of \(path.path); an export and an import"
            + " bring its items, and a dry run compares the two")
      }
      var failure: VaultError?
      while true {
        let next = try key(failure)
        do throws(VaultError) {
          try other.unlock(with: next)
          try other.checkCopy()
          return (other, isCopy)
        } catch {
          guard [.authenticationFailed, .locked].contains(error.code) else { throw error }
          // The first error is about the key that was meant.
          failure = failure ?? error
        }
      }
    } catch {
      throw place.naming(error)
    }
  }
}
