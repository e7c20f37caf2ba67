import Glibc
import SealedTree
package import VaultCrypto
package import VaultModel

/// The result of a restore.
package struct Restored: Sendable {
  /// The path at which the replaced file is kept; nil if there was none.
  package fileprivate(set) var keptPath: String?
  package let itemCount: Int
  /// The epoch, which differs from the backup's if the vault was rekeyed since.
  package let epoch: UInt64
  package let backupEpoch: UInt64
  package let generation: UInt64
  /// The time of the backup's last commit.
  package let committed: Timestamp
  package let slots: [Slot]
  /// The slots of the replaced file, as far as they can be read.
  package let replacedSlots: [Slot]
}

/// Restoring a backup.
///
/// The image is written *into* the vault, never renamed over it: open connections to the vault
/// continue to work, and a dead writer's journal is applied before and not after. Source:
/// `Documentation/format.md` §9.2.
struct Restoration {
  /// The backup, unlocked.
  let backup: VaultFile
  let key: UnlockKey
  /// The backup's slot that the key opened.
  let slot: Slot
  let target: VaultPath
  /// Whether a new vault key was requested, which only `key` opens.
  let removesSlots: Bool
  let seen: RollbackRecord
  let place: PlaceRecord
  let lockTimeout: Duration
  let now: Timestamp
  /// Called with the share that is done, 0 to 1.
  let progress: (Double) -> Void

  func run() throws(VaultError) -> Restored {
    // Writing it takes a quarter of the time.
    let image = try VaultImage(of: backup, beside: target) { [progress] in progress($0 * 0.75) }
    guard try Posix.information(target.path) != nil else { return try publish(image) }
    _ = try target.checkExisting()
    do throws(VaultError) {
      return try overwrite(with: image)
    } catch {
      // SQLite must not write into a file whose header is damaged.
      guard error.code == .damaged else { throw error }
    }
    return try exchange(image)
  }

  /// Writes the image into the file, of which a copy is kept.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if the file's container is not a vault's; nothing was
  ///   changed then.
  private func overwrite(with image: VaultImage) throws(VaultError) -> Restored {
    let connection = try Connection(
      path: target.path, busyWait: BusyWait(timeout: lockTimeout), chain: .current)
    try connection.checkTarget(hasJournal: target.hasJournal())
    // Every page is written: with SQLite's 2 MB, it would synchronize its journal repeatedly.
    try connection.execute("PRAGMA cache_size = -65536")
    var prepared: Prepared?
    do throws(VaultError) {
      try connection.overwrite(with: image.open().connection) { (file) throws(VaultError) in
        // On success it has been renamed.
        let draft = try Draft(for: target)
        try file.copy(to: draft.path.path)
        prepared = try prepare(image, replacing: ReplacedFile(draft.path.path))
        prepared?.restored.keptPath = try target.keep(draft.path.path)
        try Posix.synchronize(folder: target.folder)
      }
    } catch {
      guard let kept = prepared?.restored.keptPath else { throw error }
      guard try connection.holds(image.open(), after: error) else {
        unsafe unlink(kept)
        throw error
      }
    }
    return try finish(prepared)
  }

  /// Renames the image to the vault's path, where no file exists.
  private func publish(_ image: VaultImage) throws(VaultError) -> Restored {
    let prepared = try prepare(image, replacing: nil)
    try image.close()
    // A journal without its vault would be applied to the image.
    try moveJournalAside()
    try Posix.publish(image.path.path, as: target.path)
    try Posix.synchronize(folder: target.folder)
    return try finish(prepared)
  }

  /// Replaces a file that is not a database by the image, because nothing can be written into it.
  private func exchange(_ image: VaultImage) throws(VaultError) -> Restored {
    var prepared = try prepare(image, replacing: nil)
    try image.close()
    // The order matters at a kill or a power failure. The journal goes first: it cannot be applied
    // to this file, and must never be applied to another one. The image takes the name under which
    // the old file is to be kept. Then the two exchange names in one step, so that there is a file
    // at the vault's path at every moment.
    try moveJournalAside()
    let kept = try target.keep(image.path.path)
    try Posix.synchronize(folder: target.folder)
    try Posix.exchange(kept, with: target.path)
    try Posix.synchronize(folder: target.folder)
    prepared.restored.keptPath = kept
    return try finish(prepared)
  }

  private func moveJournalAside() throws(VaultError) {
    let journal = target.path + "-journal"
    guard try Posix.information(journal) != nil else { return }
    _ = try target.keep(journal, suffix: "-journal")
    try Posix.synchronize(folder: target.folder)
  }

  // MARK: Result

  private struct Prepared {
    var restored: Restored
    let memory: RollbackRecord.Memory
  }

  private func prepare(
    _ image: VaultImage, replacing replaced: ReplacedFile?
  ) throws(VaultError) -> Prepared {
    if let ident = replaced?.ident, ident.vaultID != backup.ident.vaultID {
      throw VaultError(
        .invalidArgument,
        "\(target.path) is another vault than the one that \(backup.path.path) is a copy of")
    }
    try renew(image, replacing: replaced)
    try image.log()
    let file = try image.open()
    try image.follow(replaced, seen.memory(recordKey()), at: now)
    let present = try file.requireUnlocked()
    let epoch = present.keys.ident.epoch
    let restored = try Restored(
      itemCount: Int(present.head.itemCount), epoch: epoch, backupEpoch: backup.ident.epoch,
      generation: present.head.generation, committed: backup.requireUnlocked().head.committed,
      slots: file.slots(),
      replacedSlots: replaced?.slots ?? [])
    return Prepared(
      restored: restored,
      memory: RollbackRecord.Memory(
        epoch: epoch, generation: present.head.generation, head: present.headTag))
  }

  /// Leaves the backup's epoch if the vault is proven to have left it.
  ///
  /// Otherwise the holder of a key that the vault was rekeyed against could read everything stored
  /// from now on. The ident is not encrypted, and anyone who can write the file can change it, so
  /// its claim must not cost a slot. So the key is also tried at the recorded epoch.
  private func renew(
    _ image: VaultImage, replacing replaced: ReplacedFile?
  ) throws(VaultError) {
    let own = try image.open().ident
    let seen = try seen.memory(recordKey())?.plausible.epoch ?? 0
    let claimed = replaced?.ident?.epoch ?? 0
    let later = Set([claimed, seen].filter { $0 > own.epoch })
    let proof = try replaced?.proof(by: key, of: own.vaultID, later.sorted(by: >)) ?? .nothing
    let proven = max(seen, proof.epoch)
    if !removesSlots {
      if case .vault(let keys, let slots, let roster) = proof, keys.ident.epoch >= seen {
        return try image.reseal(with: keys, slots: slots, roster: roster)
      }
      guard proven > own.epoch else {
        guard claimed <= own.epoch else { throw unproven(claimed) }
        return
      }
    }
    // A merely claimed number is also passed, so that machines that know that it is right report no
    // rollback.
    let counted = claimed < Self.leastAbsurdEpoch ? claimed : 0
    let epoch = try SealedNumber.sum(max(own.epoch, proven, counted), 1, "epoch")
    let keys = EpochKeys(VaultKey(), ident: Ident(vaultID: own.vaultID, epoch: epoch))
    guard slot.kind != .machine else {
      throw VaultError(
        .invalidArgument,
        "the vault gets a new key, and only an admin of the vault makes one for machines: restore it"
          + " with another key")
    }
    let slot = try Slot(renewing: slot, for: key, to: keys, cost: .policy)
    try image.reseal(with: keys, slots: [(slot.id, slot.encoded)])
  }

  /// The limit for claims: more than any vault was ever rekeyed; a claim must not use up the
  /// numbers.
  private static let leastAbsurdEpoch: UInt64 = 1 << 32

  private func unproven(_ epoch: UInt64) -> VaultError {
    VaultError(
      .rolledBack,
      "\(target.path) says that the vault was rekeyed since the backup, to epoch \(epoch) after "
        + "\(backup.ident.epoch), and nothing proves it: the key opens no slot of the file")
  }

  /// Returns the key under which the vault is remembered: the backup's, since it never changes.
  private func recordKey() throws(VaultError) -> RecordKey {
    try backup.requireUnlocked().requireRecordKey()
  }

  private func finish(_ prepared: Prepared?) throws(VaultError) -> Restored {
    guard let prepared else { throw VaultError(.internalError, "nothing was restored") }
    seen.replace(with: prepared.memory, try recordKey())
    place.confirm(backup.ident.vaultID, try recordKey())
    return prepared.restored
  }
}

extension Connection {
  /// Checks a file that is to be overwritten.
  ///
  /// - Throws: ``VaultError/Code/damaged`` for a file that SQLite must not write into;
  ///   ``VaultError/Code/notAVault`` for another program's database; ``VaultError/Code/tooNew``.
  fileprivate func checkTarget(hasJournal: Bool) throws(VaultError) {
    do throws(VaultError) {
      try checkContainer(hasJournal: hasJournal)
    } catch {
      // A file without even a database's first bytes may be the remains of a vault.
      guard error.code == .notAVault, try !header().hasMagic else { throw error }
      throw VaultError(.damaged, error.context, underlying: error.underlying)
    }
  }

  /// Returns whether the image was written although an error was reported.
  ///
  /// - Throws: ``VaultError/Code/outcomeUnknown`` if that cannot be read back.
  fileprivate func holds(
    _ image: VaultFile, after failure: VaultError
  ) throws(VaultError) -> Bool {
    guard failure.code == .inputOutput else { return false }
    do throws(VaultError) {
      var head: [UInt8] = []
      try run(.selectVault) { row in head = row.blob(1) }
      return try head == image.requireUnlocked().headRow
    } catch {
      // As damaged as before.
      guard error.code != .damaged else { return false }
      throw VaultError(
        .outcomeUnknown, "writing the vault failed, and whether it took place cannot be read back",
        underlying: failure.underlying)
    }
  }
}
