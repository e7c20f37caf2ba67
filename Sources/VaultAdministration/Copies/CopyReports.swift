public import VaultReports
import CredentialVault
public import VaultModel

/// The result of a backup.
public struct BackupReport: Sendable {
  /// The new file.
  public let path: String
  /// The number of items in it.
  public let itemCount: Int
  /// The vault's generation when it was made.
  public let generation: UInt64
  /// Older backups that were removed.
  public let removed: [String]
  /// Files that are named like a backup of this vault but do not open and verify as one: neither
  /// counted nor removed.
  public let uncounted: [UncountedBackup]
}

/// A file that is named like a backup but was not counted as one.
public struct UncountedBackup: Sendable {
  /// The file.
  public let path: String
  /// The reason: lower case, no trailing stop.
  public let reason: String
}

/// The result of a restore.
public struct RestoreReport: Sendable {
  /// The path of the file that was replaced, which is kept; nil if there was none.
  public let keptPath: String?
  /// The number of items that the vault has now.
  public let itemCount: Int
  /// The epoch of the vault's key now: different from the backup's if the vault was rekeyed since.
  public let epoch: UInt64
  /// The epoch of the backup.
  public let backupEpoch: UInt64
  /// The vault's generation now: higher than all that were known.
  public let generation: UInt64
  /// The time of the backup's last committed write.
  public let committed: Timestamp
  /// The slots that unlock the vault now.
  public let slots: [SlotInformation]
  /// The slots of the file that was replaced, as far as they can be read.
  public let replacedSlots: [SlotInformation]
  /// Whether other keys open the vault than before.
  public let slotsDiffer: Bool
}

/// The content of a backup, and its relation to the vault.
public struct BackupInformation: Sendable {
  /// The vault's id, 32 hexadecimal digits, the same in every copy.
  public let vaultID: String
  /// The number of items in it.
  public let itemCount: Int
  /// The epoch of its key.
  public let epoch: UInt64
  /// The vault's generation when it was made.
  public let generation: UInt64
  /// The time of its last committed write.
  public let committed: Timestamp
  /// The slots that unlock it.
  public let slots: [SlotInformation]
  /// Its relation to the vault.
  public let relation: CopyRelation
  /// The items that a restore would change; nil if there is no vault, or another one, or the key of
  /// the backup does not open it.
  public let changes: RestoreChanges?
}

/// The items that restoring a backup would change, without their secrets, in the order of keys.
public struct RestoreChanges: Sendable {
  /// Items of the vault that the backup does not have.
  public let removed: [Item]
  /// Items of the backup that the vault does not have.
  public let added: [Item]
  /// Items of the backup that differ from the vault's of the same key.
  public let changed: [Item]
}
