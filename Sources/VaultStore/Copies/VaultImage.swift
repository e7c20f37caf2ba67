import VaultReports
import Glibc
import SealedTree
import VaultCrypto
import VaultModel

/// The state of a vault after a restore: a checked copy of a backup beside it, which is a draft
/// until it is renamed.
final class VaultImage {
  private let draft: Draft
  var path: VaultPath { draft.path }
  /// The file; nil once it was closed.
  private var file: VaultFile?
  private let backup: Head

  /// Copies a backup and checks the copy.
  ///
  /// - Parameters:
  ///   - backup: The backup, unlocked.
  ///   - target: The path beside which the copy is made.
  ///   - progress: Called with the share of the check that is done, 0 to 1.
  /// - Throws: ``VaultError/Code/damaged`` if anything in the backup is damaged.
  init(
    of backup: VaultFile, beside target: VaultPath, progress: @escaping (Double) -> Void
  ) throws(VaultError) {
    let keys = try backup.requireUnlocked().keys
    draft = try Draft(for: target)
    let path = draft.path
    do throws(VaultError) {
      backup.forgetLabel()
      // Byte for byte: VACUUM INTO takes four times as long, and a backup has no free pages.
      try backup.read { (_) throws(VaultError) in try backup.connection.copyFile(to: path.path) }
      let file = try VaultFile(path: path, stateFolder: nil, lockTimeout: .zero, role: .draft)
      // An unfinished image need not survive a crash; `close` makes it durable.
      try file.connection.execute("PRAGMA journal_mode = MEMORY")
      try file.connection.execute("PRAGMA synchronous = OFF")
      // Every page is read three times: for its seals, for its structure, and to be written. Nobody
      // else truncates this file, which is the reason against mapping a vault.
      try file.connection.execute("PRAGMA mmap_size = 1073741824")
      try file.unlock(with: keys)
      self.backup = try file.checkCopy(progress: progress).head
      self.file = file
    } catch {
      throw backup.path.naming(error)
    }
  }

  func open() throws(VaultError) -> VaultFile {
    guard let file else { throw VaultError(.internalError, "the image was closed") }
    return file
  }

  /// Closes the file and makes it durable, for a new name.
  func close() throws(VaultError) {
    file = nil
    try Posix.synchronize(file: path.path)
  }

  /// Reseals everything under other keys.
  func reseal(
    with keys: EpochKeys, slots: [VaultFile.SlotRow], roster: Roster? = nil
  ) throws(VaultError) {
    let file = try open()
    try file.inTransaction { (now, connection) throws(VaultError) in
      let head = try file.reseal(now, with: keys, slots: slots, roster: roster) { _ in }
      let sealed = keys.seal(head.encoded, as: .head, id: 0)
      try connection.run(.updateIdent, .blob(head.ident), .blob(sealed))
      return (file.newlyUnlocked(keys, nil), head, sealed)
    }
  }

  /// Reseals its head as the successor of everything known about the vault.
  ///
  /// - Parameters:
  ///   - old: The replaced file; nil if there was none.
  ///   - seen: The recorded state of the vault.
  ///   - now: The time of the restore.
  /// - Throws: The errors of writing the image.
  func follow(
    _ old: ReplacedFile?, _ seen: RollbackRecord.Memory?, at now: Timestamp
  ) throws(VaultError) {
    let file = try open()
    let replaced = try old?.head(with: file.requireUnlocked().keys)
    let known = [
      backup.generation, replaced?.head.generation ?? 0, seen?.plausible.generation ?? 0,
    ]
    let generation = try SealedNumber.sum(known.max() ?? 0, 1, "the generation")
    try file.inTransaction { (present, connection) throws(VaultError) in
      var head = present.head
      try connection.remove(present.reader.ancestors(of: head))
      head.ancestors = .none
      for id in try present.reader.commitRows(of: head) { try connection.remove(id) }
      // The commits that were published before are not of this history.
      if head.commit != nil { head.commit = Commit() }
      head.generation = generation
      head.committed = max(now, backup.committed, replaced?.head.committed ?? backup.committed)
      head.recent = []
      head.merged = []
      // Each entry names the head of one generation. If the generations between are unknown, none
      // is named: a wrong one would look like a fork to a machine that saw the right one.
      if let old, let replaced, replaced.head.generation + 1 == generation {
        head.recent = [replaced.tag] + replaced.head.recent.prefix(Head.recentCount - 1)
        head.merged = replaced.head.merged
        let ancestors = try old.ancestors(of: replaced.head, present.keys)
        head.ancestors = try connection.put(ancestors, present.keys)
        try head.completeAncestors(sealing: present.keys, to: connection)
      }
      let sealed = present.keys.seal(head.encoded, as: .head, id: 0)
      try connection.run(.updateHead, .blob(sealed))
      return (present, head, sealed)
    }
  }

  /// Adds the restore to the log, in a write of its own, whose generation is the backup's next.
  func log() throws(VaultError) {
    try open().write { (transaction) throws(VaultError) in try transaction.log(.vaultRestored) }
  }
}

extension RollbackRecord.Memory {
  /// The state without numbers that no vault reaches, and that could not be incremented.
  var plausible: RollbackRecord.Memory {
    let highest = SealedNumber.end
    return RollbackRecord.Memory(
      epoch: epoch < highest ? epoch : 0, generation: generation < highest ? generation : 0,
      head: head)
  }
}
