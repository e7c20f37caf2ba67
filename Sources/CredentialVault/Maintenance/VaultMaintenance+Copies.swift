import VaultCrypto
import VaultFile
public import VaultModel
import VaultRecovery
import VaultSession

/// A copy that was made of a vault.
public struct BackupReport: Sendable {
  /// The new file.
  public let path: String
  /// The number of items in it.
  public let itemCount: Int
  /// The generation that it is of.
  public let generation: UInt64
  /// Older backups that were removed.
  public let removed: [String]
  /// What is named like a backup of this vault and does not open and verify as one: neither counted nor removed.
  public let uncounted: [UncountedBackup]
}

/// A file that is named like a backup and was not taken for one.
public struct UncountedBackup: Sendable {
  /// The file.
  public let path: String
  /// Why: lower case, no trailing stop.
  public let reason: String
}

/// What a restore did.
public struct RestoreReport: Sendable {
  /// Where the file that was replaced is kept; nil if there was none.
  public let keptPath: String?
  /// The number of items that the vault has now.
  public let itemCount: Int
  /// The epoch of the vault's key now: another one than the backup's if the vault was rekeyed since.
  public let epoch: UInt64
  /// The epoch of the backup.
  public let backupEpoch: UInt64
  /// The generation that the vault has now: higher than all that were known.
  public let generation: UInt64
  /// When the backup's last write was committed.
  public let committed: Timestamp
  /// The ways to unlock the vault now.
  public let slots: [SlotInformation]
  /// Those of the file that was replaced, as far as they can be read.
  public let replacedSlots: [SlotInformation]
  /// Whether other keys open the vault than before.
  public let slotsDiffer: Bool
}

/// What a backup holds, and how it stands to the vault.
public struct BackupInformation: Sendable {
  /// 32 hexadecimal digits, the same in every copy.
  public let vaultID: String
  /// The number of items in it.
  public let itemCount: Int
  /// The epoch of its key.
  public let epoch: UInt64
  /// The generation that it is of.
  public let generation: UInt64
  /// When its last write was committed.
  public let committed: Timestamp
  /// The ways to unlock it.
  public let slots: [SlotInformation]
  /// How it stands to the vault.
  public let relation: CopyRelation
}

extension VaultMaintenance {
  /// Writes a whole, compact, verified copy of the file while it is in use.
  ///
  /// The copy is 0600 and durable when this returns.
  ///
  /// - Parameters:
  ///   - path: Where nothing lies yet, or a folder: there it is named after the vault and the time in UTC,
  ///     `default-20260131T235959Z.vault`.
  ///   - count: How many such copies of this vault to leave in that folder, 1 or more; nil for all. Each one is opened
  ///     and verified before it counts.
  /// - Returns: Where it lies and what is in it.
  /// - Throws: ``VaultError/Code/cannotCreate``; ``VaultError/Code/unsafePermissions`` if others can write the
  ///   folder; ``VaultError/Code/invalidArgument`` for a count below 1, or one for a file;
  ///   ``VaultError/Code/damaged`` if the vault or its copy does not verify.
  @discardableResult
  public func backup(to path: String, keeping count: Int? = nil) throws(VaultError) -> BackupReport
  {
    let backup = try vault.requireFile().backUp(to: path, keeping: count)
    return BackupReport(
      path: backup.path, itemCount: backup.itemCount, generation: backup.generation,
      removed: backup.removed,
      uncounted: backup.uncounted.map { UncountedBackup(path: $0.path, reason: $0.reason) })
  }

  /// Makes a vault what it was when a backup was made of it.
  ///
  /// The vault may be missing, damaged or locked, and in use: whoever has it open sees the backup's content at the
  /// next operation. The backup is verified first and never written to. The file that is replaced is kept beside
  /// the vault.
  ///
  /// The vault's policies are the backup's afterwards, and so are its slots, unless the vault is proven to have been
  /// rekeyed since: then what the backup holds is sealed anew, with the key and the slots of the file at the path if the
  /// given key opens it, else with a new key and one slot for the given one.
  ///
  /// - Parameters:
  ///   - source: The backup: any copy of a vault that was made while nobody wrote to it.
  ///   - path: The vault's file; nil takes ``VaultLocation/find()``.
  ///   - key: What opens the backup; nil takes ``KeySource/find()``.
  ///   - dropsSlots: Whether the vault gets a new key which the given one alone opens, whatever was known of it.
  ///   - lockTimeout: How long to wait for other processes' locks.
  /// - Returns: What the vault is now, and where the file is kept that was replaced.
  /// - Throws: ``VaultError/Code/missingInput`` if there is no backup; ``VaultError/Code/damaged`` if anything in
  ///   it is; ``VaultError/Code/invalidArgument`` if it is of another vault than the one at the path, or that
  ///   file itself; ``VaultError/Code/rolledBack`` if the file at the path claims to have been rekeyed since and
  ///   nothing proves it; ``VaultError/Code/locked`` without a key; ``VaultError/Code/readOnly`` if its journal
  ///   lies beside it; what unlocking it and writing the vault throw. Nothing was changed then, except
  ///   perhaps for ``VaultError/Code/outcomeUnknown``.
  @discardableResult
  public static func restore(
    from source: String, to path: String? = nil, key: KeySource? = nil, dropsSlots: Bool = false,
    lockTimeout: Duration = .seconds(10)
  ) throws(VaultError) -> RestoreReport {
    let restored = try FileStore.restore(
      from: source, to: Vault.place(path), key: backupKey(key), dropsSlots: dropsSlots,
      stateFolder: VaultLocation.stateFolder(), lockTimeout: lockTimeout)
    return RestoreReport(
      keptPath: restored.keptPath, itemCount: restored.itemCount, epoch: restored.epoch,
      backupEpoch: restored.backupEpoch, generation: restored.generation,
      committed: restored.committed,
      slots: restored.slots.map(SlotInformation.init),
      replacedSlots: restored.replacedSlots.map(SlotInformation.init),
      slotsDiffer: restored.keptPath != nil && restored.slots != restored.replacedSlots)
  }

  /// Opens everything in a backup, and compares it with a vault; nothing is written.
  ///
  /// - Parameters:
  ///   - source: The backup.
  ///   - path: The vault's file; nil takes ``VaultLocation/find()``.
  ///   - key: What opens the backup; nil takes ``KeySource/find()``.
  ///   - lockTimeout: How long to wait for other processes' locks.
  /// - Returns: What it holds, and how it stands to the vault.
  /// - Throws: ``VaultError/Code/damaged`` if anything in it is, with what; else as ``restore(from:to:key:dropsSlots:lockTimeout:)``.
  public static func check(
    backup source: String, against path: String? = nil, key: KeySource? = nil,
    lockTimeout: Duration = .seconds(10)
  ) throws(VaultError) -> BackupInformation {
    let found = try FileStore.check(
      source, against: Vault.place(path), key: backupKey(key), lockTimeout: lockTimeout)
    return BackupInformation(
      vaultID: found.backup.ident.vaultID.hex, itemCount: found.backup.itemCount,
      epoch: found.backup.ident.epoch, generation: found.backup.generation,
      committed: found.backup.committed, slots: found.backup.slots.map(SlotInformation.init),
      relation: found.relation)
  }

  private static func backupKey(_ key: KeySource?) throws(VaultError) -> UnlockKey {
    guard let key = key ?? KeySource.find() else {
      throw VaultError(.locked, "there is no key to open the backup with")
    }
    return try key.read()
  }

  /// Brings one item back from a backup into this vault.
  ///
  /// An item with the same key gets the backup's secret and attributes, and keeps its id and when it was made. Else
  /// the item is added, with its id if no other item has that by now. The backup's previous secrets stay there; a secret
  /// that is replaced becomes a previous one here.
  ///
  /// - Parameters:
  ///   - source: The backup; only what leads to the item is verified.
  ///   - key: What opens the backup; not needed if the vault was not rekeyed since.
  ///   - select: Chooses the item; it gets a lookup in the backup, which gives items without secrets.
  /// - Returns: The item as it is now, and what the policy granted to a secret of its age.
  /// - Throws: What `select` throws; ``VaultError/Code/policyRefused``; ``VaultError/Code/missingInput`` if there is no backup;
  ///   ``VaultError/Code/locked`` if it needs a key; ``VaultError/Code/damaged``, and what writing throws.
  @discardableResult
  public func restoreItem(
    from source: String, key: KeySource? = nil,
    select: (
      _ find: @escaping (ItemQuery) throws(VaultError) -> [InternetPassword]
    ) throws -> InternetPassword
  ) throws -> StoreResult {
    try UserClosure.within { (closure) throws(VaultError) in
      try bringBack(from: source, key: key) { (find) throws(VaultError) in
        try closure.call { try select(find) }
      }
    }
  }

  /// As ``restoreItem(from:key:select:)``, for a closure that throws nothing but errors of the vault.
  @discardableResult
  package func bringBack(
    from source: String, key: KeySource? = nil,
    select: (
      _ find: @escaping (ItemQuery) throws(VaultError) -> [InternetPassword]
    ) throws(VaultError) -> InternetPassword
  ) throws(VaultError) -> StoreResult {
    try vault.requireUnlocked()
    var decision = PersistencePolicy.Decision(requested: .permanent)
    var twin: InternetPassword?
    let restored = try vault.requireFile().restoreItem(from: source) { () throws(VaultError) in
      guard let key else { return nil }
      return try key.read()
    } select: { (find) throws(VaultError) in
      try select(find)
    } place: { (item, transaction) throws(VaultError) in
      let gate = PolicyGate(vault.session, transaction)
      decision = try gate.decide(item.key, requested: .permanent, since: item.secretChanged)
      twin = try gate.twin(of: item.key, in: transaction)
      // It was kept before, and so was accepted if that was asked for.
      return decision.granted == .permanent ? .here(until: decision.expires) : .elsewhere
    }
    guard !restored.isHere else {
      var stored = StoreResult(restored.item, decision)
      stored.twin = twin
      return stored
    }
    let granted = decision.granted
    return try vault.storing(.session) { (gate) throws(VaultError) in
      // Anew: another process may have changed the policy since.
      let decision = try gate.decide(
        restored.item.key, requested: granted, since: restored.item.secretChanged)
      let stored = try gate.settle(restored, decision)
      return try gate.withTwin(StoreResult(stored.item, decision.asked(for: .permanent)))
    }
  }

  /// Brings the item with an id back from a backup, as ``restoreItem(from:key:select:)`` says.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if the backup does not have it.
  @discardableResult
  public func restoreItem(
    _ id: ItemID, from source: String, key: KeySource? = nil
  ) throws(VaultError) -> StoreResult {
    try bringBack(from: source, key: key) { (find) throws(VaultError) in
      var query = ItemQuery()
      query.id = id
      guard let item = try find(query).first else {
        throw VaultError(.itemNotFound, "the backup has no item with the id \(id)")
      }
      return item
    }
  }
}
