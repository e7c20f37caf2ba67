public import CredentialVault
import VaultCrypto
import VaultStore
public import VaultModel

extension VaultMaintenance {
  /// Writes a complete, compact copy of the file while the vault is in use, verified as
  /// ``verify(backup:)`` does.
  ///
  /// The copy is durable when this returns, and 0600 if the file system keeps modes.
  ///
  /// - Parameters:
  ///   - path: A file that does not exist yet, or a folder. In a folder, the copy is named after
  ///     the vault and the time in UTC, `default-20260131T235959Z.vault`.
  ///   - count: How many such copies of this vault to leave in that folder, 1 or more; nil for all.
  ///     Each one is opened and verified before it counts.
  ///   - progress: Called now and then with the share that is done, 0 to 1.
  /// - Returns: The path of the copy and the counts of its content.
  /// - Throws: ``VaultError/Code/cannotCreate``; ``VaultError/Code/unsafePermissions`` if others
  ///   can write the folder; ``VaultError/Code/invalidArgument`` for a count below 1, or one for a
  ///   file; ``VaultError/Code/damaged`` if the vault or its copy does not verify.
  @discardableResult
  public func backup(
    to path: String, keeping count: Int? = nil,
    progress: @escaping (Double) -> Void = { _ in }
  ) throws(VaultError) -> BackupReport {
    let backup = try vault.requireFile().backUp(to: path, keeping: count, progress: progress)
    return BackupReport(
      path: backup.path, itemCount: backup.itemCount, generation: backup.generation,
      removed: backup.removed,
      uncounted: backup.uncounted.map { UncountedBackup(path: $0.path, reason: $0.reason) })
  }

  /// Restores a vault from a backup.
  ///
  /// The vault may be missing, damaged, locked or in use. Programs that have it open see the
  /// backup's content at their next operation. The backup is verified first and never written to.
  /// The file that is replaced is kept beside the vault.
  ///
  /// Afterwards the vault has the backup's policies and, as a rule, the backup's slots. If the
  /// vault is proven to have been rekeyed since, the backup's content is re-encrypted: with the key
  /// and the slots of the file at the path if the given key opens that file, else with a new key
  /// and one slot for the given key.
  ///
  /// - Parameters:
  ///   - source: The backup: any copy of a vault that was made while nobody wrote to it.
  ///   - path: The vault's file; nil takes ``VaultLocation/find()``.
  ///   - key: The key that opens the backup; nil takes ``KeySource/find()``.
  ///   - removingSlots: Whether the vault gets a new key that only the given key opens, whatever
  ///     was known of the vault.
  ///   - lockTimeout: How long to wait for other processes' locks.
  ///   - progress: Called now and then with the share that is done, 0 to 1.
  /// - Returns: The state of the vault, and the path of the file that was replaced.
  /// - Throws: ``VaultError/Code/missingInput`` if there is no backup; ``VaultError/Code/damaged``
  ///   if anything in it is; ``VaultError/Code/invalidArgument`` if it is of another vault than the
  ///   one at the path, or that file itself; ``VaultError/Code/rolledBack`` if the file at the path
  ///   claims to have been rekeyed since and nothing proves it; ``VaultError/Code/locked`` without
  ///   a key; ``VaultError/Code/readOnly`` if the backup has a journal beside it; any error of
  ///   unlocking it and of writing the vault. Nothing was changed then, except perhaps for
  ///   ``VaultError/Code/outcomeUnknown``.
  @discardableResult
  public static func restore(
    from source: String, to path: String? = nil, key: KeySource? = nil, removingSlots: Bool = false,
    lockTimeout: Duration = .seconds(10), progress: @escaping (Double) -> Void = { _ in }
  ) throws(VaultError) -> RestoreReport {
    let target = try Vault.placeToWrite(path)
    let restored = try withBackupKey(key) { (key) throws(VaultError) in
      try FileStore.restore(
        from: source, to: target, key: key, removingSlots: removingSlots,
        stateFolder: VaultLocation.stateFolder(), lockTimeout: lockTimeout, progress: progress)
    }
    return RestoreReport(
      keptPath: restored.keptPath, itemCount: restored.itemCount, epoch: restored.epoch,
      backupEpoch: restored.backupEpoch, generation: restored.generation,
      committed: restored.committed,
      slots: restored.slots.map(SlotInformation.init),
      replacedSlots: restored.replacedSlots.map(SlotInformation.init),
      slotsDiffer: restored.keptPath != nil && restored.slots != restored.replacedSlots)
  }

  /// Opens everything in a backup and compares it with a vault; nothing is written.
  ///
  /// - Parameters:
  ///   - source: The backup.
  ///   - path: The vault's file; nil takes ``VaultLocation/find()``.
  ///   - key: The key that opens the backup; nil takes ``KeySource/find()``.
  ///   - lockTimeout: How long to wait for other processes' locks.
  ///   - progress: Called now and then with the share that is done, 0 to 1.
  /// - Returns: The backup's content, and its relation to the vault.
  /// - Throws: ``VaultError/Code/damaged`` if anything in it is, naming it; else as
  ///   ``restore(from:to:key:removingSlots:lockTimeout:progress:)``.
  public static func check(
    backup source: String, against path: String? = nil, key: KeySource? = nil,
    lockTimeout: Duration = .seconds(10), progress: @escaping (Double) -> Void = { _ in }
  ) throws(VaultError) -> BackupInformation {
    let vault = try Vault.place(path)
    let found = try withBackupKey(key) { (key) throws(VaultError) in
      try FileStore.check(
        source, against: vault, key: key, lockTimeout: lockTimeout, progress: progress)
    }
    return BackupInformation(
      vaultID: found.backup.ident.vaultID.hex, itemCount: found.backup.itemCount,
      epoch: found.backup.ident.epoch, generation: found.backup.generation,
      committed: found.backup.committed, slots: found.backup.slots.map(SlotInformation.init),
      relation: found.relation,
      changes: found.differences.map { differences in
        RestoreChanges(
          removed: differences.removed, added: differences.added, changed: differences.changed)
      })
  }

  /// Returns the slots of a backup, which need no key.
  ///
  /// - Throws: As ``check(backup:against:key:lockTimeout:progress:)``, without the errors of
  ///   unlocking.
  package static func slots(
    ofBackup source: String, lockTimeout: Duration
  ) throws(VaultError) -> [SlotInformation] {
    try FileStore.slots(ofBackup: source, lockTimeout: lockTimeout).map(SlotInformation.init)
  }

  private static func withBackupKey<R>(
    _ key: KeySource?, _ open: (UnlockKey) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    let opened = try key.orFound()?.firstThatOpens { (key) throws(VaultError) in
      try open(key.read())
    }
    guard let opened else {
      throw VaultError(.locked, "there is no key to open the backup with")
    }
    return opened
  }

  /// Restores one item from a backup into this vault.
  ///
  /// An item with the same key gets the backup's secret and attributes, and keeps its id and
  /// creation date. Otherwise the item is added, with its id unless another item has that by now.
  /// The item's previous secrets in the backup are not restored; a secret that is replaced becomes
  /// a previous one here.
  ///
  /// - Parameters:
  ///   - source: The backup; only the data that leads to the item is verified.
  ///   - key: The key that opens the backup; not needed if the vault was not rekeyed since.
  ///   - select: Chooses the item. It gets a lookup in the backup, which returns items without
  ///     secrets.
  /// - Returns: The item as it is now, and what the policy granted to a secret of its age.
  /// - Throws: Any error of `select`; ``VaultError/Code/policyRefused``;
  ///   ``VaultError/Code/missingInput`` if there is no backup; ``VaultError/Code/locked`` if it
  ///   needs a key; ``VaultError/Code/damaged``, and any error of writing.
  @discardableResult
  public func restoreItem(
    from source: String, key: KeySource? = nil,
    select: (
      _ find: @escaping (ItemQuery) throws(VaultError) -> [Item]
    ) throws -> Item
  ) throws -> StoreResult {
    try UserClosure.within { (closure) throws(VaultError) in
      try bringBack(from: source, key: key) { (find) throws(VaultError) in
        try closure.call { try select(find) }
      }
    }
  }

  /// Restores an item as ``restoreItem(from:key:select:)`` does, for a closure that throws only
  /// ``VaultError``.
  @discardableResult
  package func bringBack(
    from source: String, key: KeySource? = nil,
    select: (
      _ find: @escaping (ItemQuery) throws(VaultError) -> [Item]
    ) throws(VaultError) -> Item
  ) throws(VaultError) -> StoreResult {
    try vault.requireUnlocked()
    var decision = PersistencePolicy.Decision(requested: .permanent)
    var portVariant: Item?
    let restored = try vault.requireFile().restoreItem(
      from: source,
      key: { () throws(VaultError) in
        guard let key else { return nil }
        return try key.read()
      }, select: select,
      place: { (item, transaction) throws(VaultError) in
        let gate = PolicyGate(vault.session.within(transaction), transaction)
        decision = try gate.decide(item.key, requested: .permanent, since: item.secretChanged)
        portVariant = try gate.portVariant(of: item.key, in: transaction)
        // It was kept before, so a server had accepted it if a rule required that.
        return decision.granted == .permanent ? .here(until: decision.expires) : .elsewhere
      })
    guard !restored.isHere else {
      var stored = StoreResult(restored.item, decision)
      stored.portVariant = portVariant
      return stored
    }
    let granted = decision.granted
    return try vault.storing(.session) { (gate) throws(VaultError) in
      // Decided again: another process may have changed the policy since.
      let decision = try gate.decide(
        restored.item.key, requested: granted, since: restored.item.secretChanged)
      let stored = try gate.settle(restored, decision)
      return try gate.withPortVariant(StoreResult(stored.item, decision.asked(for: .permanent)))
    }
  }

  /// Restores the item with an id from a backup, as ``restoreItem(from:key:select:)`` does.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if the backup does not have it.
  @discardableResult
  public func restoreItem(
    _ id: ItemID, from source: String, key: KeySource? = nil
  ) throws(VaultError) -> StoreResult {
    try bringBack(from: source, key: key) { (find) throws(VaultError) in
      var query = ItemQuery.everything
      query.id = id
      guard let item = try find(query).first else {
        throw VaultError(.itemNotFound, "the backup has no item with the id \(id)")
      }
      return item
    }
  }
}
