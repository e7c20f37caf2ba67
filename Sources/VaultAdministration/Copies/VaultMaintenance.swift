public import VaultReports
import CredentialVault
import SealedTree
import SecureMemory
import VaultCrypto
import VaultStore
public import VaultModel

/// The facts about a vault that an administrator sees.
public struct VaultInformation: Sendable {
  /// The vault's file.
  public let path: String
  /// The vault's id, 32 hexadecimal digits, the same in every copy.
  public let vaultID: String
  /// The format's major and minor version.
  public let formatVersion: FormatVersion
  /// The key's epoch: 1 for a new vault, one more for each rekey.
  public let epoch: UInt64
  /// The vault's generation: one more for each committed write.
  public let generation: UInt64
  /// The time of the last committed write.
  public let committed: Timestamp
  /// The number of permanent items.
  public let itemCount: Int
  /// The number of buckets of the main tree.
  public let bucketCount: Int
  /// The size of the file.
  public let fileBytes: Int
  /// The slots that unlock it.
  public let slots: [SlotInformation]
  /// Files among this machine's rollback records of the vault that do not verify: somebody else
  /// wrote them.
  public let unverifiedRecords: [String]
  /// The bytes of this process's secrets and keys that stay in physical memory.
  public let lockedBytes: Int
  /// Those that may be swapped out, because the process reached its limit of locked memory
  /// (`ulimit -l`).
  public let unlockedBytes: Int
  /// The system's error number of the first failure to lock; nil if there was none.
  public let lockErrno: Int32?
}

/// A slot, which unlocks a vault.
public struct SlotInformation: Sendable, Identifiable {
  /// The key that opens a slot.
  public enum Kind: String, Sendable, CustomStringConvertible {
    /// A passphrase.
    case passphrase
    /// A key file.
    case keyFile = "key-file"
    /// A recovery code.
    case recoveryCode = "recovery"
    /// A passphrase and a key file together.
    case both
    /// The key of a machine, which an admin admitted: `vault.keys.machines`.
    case machine
    /// A kind that only a later version of the library knows.
    case unknown

    /// The name in JSON and in messages.
    public var description: String { rawValue }
  }

  /// The slot's id, 1 and up.
  public let id: Int
  /// The key that opens the slot.
  public let kind: Kind
  /// The name it was given, or empty.
  public let name: String
  /// The date when it was made.
  public let created: Timestamp
  /// The cost of checking a passphrase; nil without one.
  public let cost: PassphraseCost?
}

/// The administration of a vault file: `vault.maintenance`.
public struct VaultMaintenance: Sendable {
  let vault: Vault

  /// Returns the facts about the file.
  ///
  /// - Throws: ``VaultError/Code/locked``; ``VaultError/Code/unsupported`` for a vault in memory.
  public func information() throws(VaultError) -> VaultInformation {
    let file = try vault.requireFile()
    let information = try file.information()
    let memory = MemoryProtection.report
    return VaultInformation(
      path: file.path.path, vaultID: information.ident.vaultID.hex,
      formatVersion: information.formatVersion,
      epoch: information.ident.epoch, generation: information.generation,
      committed: information.committed, itemCount: information.itemCount,
      bucketCount: information.bucketCount, fileBytes: information.byteCount,
      slots: information.slots.map(SlotInformation.init),
      unverifiedRecords: information.unverifiedRecords, lockedBytes: memory.lockedBytes,
      unlockedBytes: memory.unlockedBytes, lockErrno: memory.lockErrno)
  }
}

extension SlotInformation {
  init(_ slot: Slot) {
    id = Int(slot.id)
    kind = Kind(slot.kind)
    name = slot.name
    created = slot.created
    cost = slot.cost
  }
}

extension SlotInformation.Kind {
  init(_ kind: Slot.Kind) {
    switch kind {
    case .passphrase: self = .passphrase
    case .keyFile: self = .keyFile
    case .recoveryCode: self = .recoveryCode
    case .both: self = .both
    case .machine: self = .machine
    default: self = .unknown
    }
  }
}

/// Items that have expired: by their own time, or because a policy limits how long they are kept.
extension VaultMaintenance {
  /// Returns the expired items of the session and the file, without their secrets.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func expired() throws(VaultError) -> [Item] {
    try vault.requireUnlocked()
    let now = vault.time.now()
    let all =
      try vault.session.find(.everything, withSecrets: false)
      + (vault.file?.find(.everything, withSecrets: false) ?? [])
    return all.filter { $0.isExpired(at: now) }
  }

  /// Removes expired items permanently, with their previous secrets; the file's are removed in one
  /// transaction.
  ///
  /// An item that has a refresh token stays, as long as the policy keeps it: the token is there to
  /// renew it.
  ///
  /// Expired previous secrets of items that stay are removed too, and what has been in the trash or
  /// in the log for too long.
  ///
  /// - Returns: The items that were removed, without secrets; those of the trash are not included.
  /// - Throws: As ``expired()``, and any error of writing the file.
  @discardableResult
  public func purge() throws(VaultError) -> [Item] {
    try vault.requireUnlocked()
    let temporary = try vault.session.removeExpired()
    guard let file = vault.file else { return temporary }
    return try file.write { (transaction) throws(VaultError) in
      let expired = try transaction.removeExpired()
      try transaction.sweep()
      try transaction.sweepLog()
      return temporary + expired
    }
  }
}
