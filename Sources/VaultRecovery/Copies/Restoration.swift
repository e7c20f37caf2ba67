import Glibc
import SealedTree
package import VaultCrypto
import VaultFile
package import VaultModel

/// What a restore did.
package struct Restored: Sendable {
  /// Where the file that was replaced is kept; nil if there was none.
  package fileprivate(set) var keptPath: String?
  package let itemCount: Int
  /// Another one than the backup's if the vault was rekeyed since.
  package let epoch: UInt64
  package let backupEpoch: UInt64
  package let generation: UInt64
  /// When the backup's last write was committed.
  package let committed: Timestamp
  package let slots: [Slot]
  /// Those of the file that was replaced, as far as they can be read.
  package let replacedSlots: [Slot]
}

/// Bringing back what a backup holds.
///
/// The image is written *into* the vault, never renamed over it: whoever has the vault open goes on with it,
/// and a dead writer's journal is applied before and not after. Source: `Documentation/format.md` §9.2.
struct Restoration {
  /// Unlocked.
  let backup: VaultFile
  let key: UnlockKey
  /// The backup's slot that the key opened.
  let slot: Slot
  let target: VaultPath
  /// Whether a new vault key was asked for, that `key` alone opens.
  let dropsSlots: Bool
  let seen: RollbackRecord
  let place: PlaceRecord
  let lockTimeout: Duration
  let now: Timestamp

  func run() throws(VaultError) -> Restored {
    let image = try VaultImage(of: backup, beside: target)
    guard try Posix.information(target.path) != nil else { return try publish(image) }
    _ = try target.checkExisting()
    do throws(VaultError) {
      return try overwrite(with: image)
    } catch {
      // Of a file that is damaged where it says what it is, SQLite is to make nothing.
      guard error.code == .damaged else { throw error }
    }
    return try exchange(image)
  }

  /// Writes the image into the file, of which a copy is kept.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if the file's container is not a vault's, and nothing was changed.
  private func overwrite(with image: VaultImage) throws(VaultError) -> Restored {
    let connection = try Connection(
      path: target.path, busyWait: BusyWait(timeout: lockTimeout), chain: .current)
    try connection.checkTarget(hasJournal: target.hasJournal())
    // Every page is written: with SQLite's 2 MB it would synchronize its journal again and again.
    try connection.execute("PRAGMA cache_size = -65536")
    var prepared: Prepared?
    do throws(VaultError) {
      try connection.overwrite(with: image.open().connection) { (file) throws(VaultError) in
        let copy = target.temporary()
        // It has another name when this ends well.
        defer { unsafe unlink(copy) }
        try Posix.createFile(copy)
        try file.copy(to: copy)
        prepared = try prepare(image, replacing: ReplacedFile(copy))
        prepared?.restored.keptPath = try target.keep(copy)
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

  /// Gives the image the vault's name where no file has it.
  private func publish(_ image: VaultImage) throws(VaultError) -> Restored {
    let prepared = try prepare(image, replacing: nil)
    try image.close()
    // A journal without its vault would be applied to the image.
    try moveJournalAside()
    try Posix.publish(image.path.path, as: target.path)
    try Posix.synchronize(folder: target.folder)
    return try finish(prepared)
  }

  /// Puts the image in the place of a file that is no database, so that nothing can be written into it.
  private func exchange(_ image: VaultImage) throws(VaultError) -> Restored {
    var prepared = try prepare(image, replacing: nil)
    try image.close()
    // The order matters at a kill or a power cut. The journal goes first: it cannot be applied to this file, and
    // must never be to another. The image takes the name under which the old file is to be kept, and then
    // the two change names in one step, so that there is a file at the vault's at every moment.
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

  // MARK: What comes of it

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
    let file = try image.open()
    try image.follow(
      replaced?.head(with: file.requireUnlocked().keys), seen.memory(recordKey()), at: now)
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

  /// Leaves the backup's epoch behind if the vault is proven to have left it: whoever had its key, for whose sake
  /// the vault was rekeyed, could read what is stored from now on.
  ///
  /// The ident is in clear, and whoever writes the file writes it: what it says costs no slot. So the key is tried at the
  /// epoch that is remembered, too.
  private func renew(
    _ image: VaultImage, replacing replaced: ReplacedFile?
  ) throws(VaultError) {
    let own = try image.open().ident
    let seen = try seen.memory(recordKey())?.plausible.epoch ?? 0
    let claimed = replaced?.ident?.epoch ?? 0
    let later = Set([claimed, seen].filter { $0 > own.epoch })
    let proof = try replaced?.proof(by: key, of: own.vaultID, later.sorted(by: >)) ?? .nothing
    let proven = max(seen, proof.epoch)
    if !dropsSlots {
      if case .vault(let keys, let slots) = proof, keys.ident.epoch >= seen {
        return try image.reseal(with: keys, slots: slots)
      }
      guard proven > own.epoch else {
        guard claimed <= own.epoch else { throw unproven(claimed) }
        return
      }
    }
    // A number that is only claimed is passed, too, so that machines which know that it is right are not alarmed.
    let counted = claimed < Self.leastAbsurdEpoch ? claimed : 0
    let epoch = try SealedNumber.sum(max(own.epoch, proven, counted), 1, "epoch")
    let keys = EpochKeys(VaultKey(), ident: Ident(vaultID: own.vaultID, epoch: epoch))
    let slot = try Slot(renewing: slot, for: key, to: keys, cost: .policy)
    try image.reseal(with: keys, slots: [(slot.id, slot.encoded)])
  }

  /// More than any vault was ever rekeyed; a claim must not use up the numbers.
  private static let leastAbsurdEpoch: UInt64 = 1 << 32

  private func unproven(_ epoch: UInt64) -> VaultError {
    VaultError(
      .rolledBack,
      "\(target.path) says that the vault was rekeyed since the backup, to epoch \(epoch) after "
        + "\(backup.ident.epoch), and nothing proves it: the key opens no slot of the file")
  }

  /// What the vault is remembered under: the backup's, since it is the same for life.
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
  /// Checks a file that is to be written over.
  ///
  /// - Throws: ``VaultError/Code/damaged`` for what SQLite is not to write into; ``VaultError/Code/notAVault`` for another
  ///   program's database; ``VaultError/Code/tooNew``.
  fileprivate func checkTarget(hasJournal: Bool) throws(VaultError) {
    do throws(VaultError) {
      try checkContainer(hasJournal: hasJournal)
    } catch {
      // What has not even a database's first bytes may be all that is left of a vault.
      guard error.code == .notAVault, try !header().hasMagic else { throw error }
      throw VaultError(.damaged, error.context, underlying: error.underlying)
    }
  }

  /// Whether the image was written although an error was reported.
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
      // Damaged as it was before.
      guard error.code != .damaged else { return false }
      throw VaultError(
        .outcomeUnknown, "writing the vault failed, and whether it took place cannot be read back",
        underlying: failure.underlying)
    }
  }
}
