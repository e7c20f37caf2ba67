import SealedTree
package import VaultCrypto
package import VaultModel
package import VaultReports

/// Copies, and restoring from them.
extension FileStore {
  /// Writes a verified copy to a new file, or into a folder under a name with the time.
  ///
  /// - Parameters:
  ///   - target: A new file, or a folder.
  ///   - count: The number of the vault's backups to leave in the folder; nil for all.
  ///   - progress: Called with the share that is done, 0 to 1.
  /// - Returns: The path and contents of the copy.
  /// - Throws: ``VaultError/Code/cannotCreate`` if the target exists;
  ///   ``VaultError/Code/invalidArgument`` for a count below 1, or a count for a file.
  package func backUp(
    to target: String, keeping count: Int? = nil,
    progress: @escaping (Double) -> Void = { _ in }
  ) throws(VaultError) -> Backup {
    if let count {
      guard count > 0 else { throw VaultError(.invalidArgument, "at least one backup is kept") }
      guard try Posix.isFolder(target) else {
        throw VaultError(
          .invalidArgument, "old backups are only removed from a folder, and \(target) is not one")
      }
    }
    return try locked { (file) throws(VaultError) in
      let backup = try file.backUp(to: target, progress: progress)
      guard let count else { return backup }
      return try file.removeBackups(beside: backup, keeping: count)
    }
  }

  /// Restores a backup, replacing any file at the target.
  ///
  /// If slots are removed, the vault gets a new key, which only the given key opens, whatever the
  /// file proves.
  ///
  /// - Throws: As `Vault.restore` says.
  package static func restore(
    from source: String, to target: String, key: UnlockKey, removingSlots: Bool = false,
    stateFolder: String?, lockTimeout: Duration, time: TimeSource = .system,
    progress: @escaping (Double) -> Void = { _ in }
  ) throws(VaultError) -> Restored {
    var slot: Slot?
    let backup = try openBackup(source, lockTimeout: lockTimeout) { (file) throws(VaultError) in
      let opened = try file.keys(for: key)
      try file.unlock(with: opened.keys, as: CommitSigner(key, of: opened.slot))
      slot = opened.slot
    }
    guard let slot else { throw VaultError(.internalError, "the backup was not unlocked") }
    try VaultPath.makeFolder(of: target)
    let target = try VaultPath(target)
    try target.checkFolder()
    guard try Posix.information(target.path)?.identity != backup.identity else {
      throw VaultError(.invalidArgument, "the backup is the vault's own file")
    }
    try requireNoReplica(at: target, backup.ident, lockTimeout)
    let seen = RollbackRecord(folder: stateFolder, vault: backup.ident.vaultID, at: target.path)
    return try Restoration(
      backup: backup, key: key, slot: slot, target: target, removesSlots: removingSlots, seen: seen,
      place: PlaceRecord(folder: stateFolder, at: target.path), lockTimeout: lockTimeout,
      now: time.now(), progress: progress
    ).run()
  }

  /// Requires that no replica of a fleet's vault is at a path, nor one that is becoming a replica:
  /// its server, and with it every other replica, would keep the state that a restore replaces.
  private static func requireNoReplica(
    at target: VaultPath, _ backup: Ident, _ lockTimeout: Duration
  ) throws(VaultError) {
    guard try Posix.information(target.path) != nil else { return }
    var isReplica = backup.isArbitrated
    do throws(VaultError) {
      if !isReplica {
        let file = try VaultFile(
          path: target, stateFolder: nil, lockTimeout: lockTimeout, role: .backup)
        isReplica = file.ident.isArbitrated
      }
    } catch {
      // A file that cannot be opened is not a replica that anybody uses, but one that is being
      // written may be.
      guard ![.busy, .interrupted].contains(error.code) else { throw error }
    }
    guard isReplica else { return try target.requireNotPublished() }
    throw VaultError(
      .unsupported,
      "\(target.path) is a replica of a fleet's vault, of which the server keeps the newest state:"
        + " put the backup at another path, and take items from it")
  }

  /// Verifies a backup completely, and compares it with the vault at a path.
  ///
  /// - Parameters:
  ///   - source: The backup.
  ///   - target: The vault's path.
  ///   - key: The key that opens the backup.
  ///   - lockTimeout: How long to wait for other processes' locks.
  ///   - progress: Called with the share that is done, 0 to 1.
  /// - Returns: Information about the backup, its relation to the vault, and the items that differ;
  ///   nil if the vault's cannot be read with the key.
  /// - Throws: ``VaultError/Code/damaged`` with all problems of the backup.
  package static func check(
    _ source: String, against target: String, key: UnlockKey, lockTimeout: Duration,
    progress: @escaping (Double) -> Void = { _ in }
  ) throws(VaultError) -> (
    backup: FileInformation, relation: CopyRelation, differences: CopyDifferences?
  ) {
    let backup = try openBackup(source, lockTimeout: lockTimeout) { (file) throws(VaultError) in
      try file.unlock(with: key, keyFile: nil)
    }
    let states = ItemStates(count: try backup.requireUnlocked().head.itemCount)
    do throws(VaultError) {
      // The comparison takes less than the secrets, which alone are opened here.
      try backup.checkCopy(progress: { progress($0 * 0.6) }, item: states.add)
    } catch {
      throw backup.path.naming(error)
    }
    let information = try backup.information()
    var vault: VaultFile?
    let relation = try CopyRelation(of: backup, to: target, lockTimeout: lockTimeout, vault: &vault)
    let differences = try vault?.differences(from: backup, states, key: key) {
      progress(0.6 + $0 * 0.4)
    }
    return (information, relation, differences)
  }

  /// Restores one item from a backup into this vault.
  ///
  /// - Parameters:
  ///   - source: The backup.
  ///   - key: The key of the backup; not called if the backup is of this vault's epoch.
  ///   - select: Chooses the item by searching the backup.
  ///   - place: Returns where the item belongs, in the transaction that writes it; by default here,
  ///     with the retention in the backup.
  /// - Returns: The current item, without its secrets; with them if it belongs elsewhere.
  /// - Throws: The errors of `select` and `place`; ``VaultError/Code/locked`` if a key is needed.
  package func restoreItem(
    from source: String, key: () throws(VaultError) -> UnlockKey?,
    select: (
      _ find: @escaping (ItemQuery) throws(VaultError) -> [Item]
    ) throws(VaultError) -> Item,
    place: (Item, FileTransaction) throws(VaultError) -> Placement = { (item, _) in
      .here(until: item.keptUntil)
    }
  ) throws(VaultError) -> Modified {
    let keys = try locked { (file) throws(VaultError) in try file.requireUnlocked().keys }
    let backup = try Self.openBackup(source, lockTimeout: .seconds(10)) {
      (file) throws(VaultError) in
      if file.ident == keys.ident { return try file.unlock(with: keys) }
      guard let key = try key() else {
        throw VaultError(.locked, "it is of another epoch of the vault's key, and needs a key")
      }
      try file.unlock(with: key, keyFile: nil)
    }
    let found = try backup.read {
      (reader) throws(VaultError) -> (record: ItemRecord, item: Item) in
      let chosen = try select { (query) throws(VaultError) in
        try reader.items(matching: query) { (record) in record.item }
      }
      guard let record = try reader.item(chosen.id, hint: chosen.key) else {
        throw VaultError(.itemNotFound, "the backup has no item with this id")
      }
      return (record, try reader.opened(record))
    }
    return try write { (transaction) throws(VaultError) in
      try transaction.restore(found.record, found.item) { (item) throws(VaultError) in
        try place(item, transaction)
      }
    }
  }

  /// Returns the slots of a backup, which need no key.
  ///
  /// - Throws: As ``check(_:against:key:lockTimeout:)``, without the errors of unlocking.
  package static func slots(
    ofBackup path: String, lockTimeout: Duration
  ) throws(VaultError) -> [Slot] {
    try openBackup(path, lockTimeout: lockTimeout) { (_) throws(VaultError) in }.slots()
  }

  private static func openBackup(
    _ path: String, lockTimeout: Duration, unlock: (VaultFile) throws(VaultError) -> Void
  ) throws(VaultError) -> VaultFile {
    let path = try VaultPath(backup: path)
    do throws(VaultError) {
      let file = try VaultFile(
        path: path, stateFolder: nil, lockTimeout: lockTimeout, role: .backup)
      try unlock(file)
      return file
    } catch {
      // Two files are involved, so the error must name the right one.
      throw path.naming(error)
    }
  }
}
