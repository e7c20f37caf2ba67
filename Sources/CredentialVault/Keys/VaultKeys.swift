public import SecureMemory
import VaultCrypto
import VaultFile
public import VaultModel

/// The slots of a vault, each of which unlocks it: `vault.keys`.
public struct VaultKeys: Sendable {
  let vault: Vault

  /// The vault's slots, in ascending order of id.
  ///
  /// Of a locked vault, too: slots lie in clear in the file. They are then what the file says, and nothing
  /// proves that they are its own; of an unlocked vault they are proven.
  ///
  /// - Returns: One or more.
  /// - Throws: ``VaultError/Code/damaged``; ``VaultError/Code/unsupported`` for a vault in memory.
  public func slots() throws(VaultError) -> [SlotInformation] {
    try vault.requireFile().slots().map(SlotInformation.init)
  }

  /// Adds a way to unlock the vault.
  ///
  /// - Parameters:
  ///   - key: What will open the vault, too.
  ///   - name: UTF-8, at most 64 bytes.
  ///   - cost: What trying a passphrase costs; nil takes ``calibratedCost()``. Other keys need none.
  /// - Returns: The new slot; its id is the lowest that was free.
  /// - Throws: ``VaultError/Code/invalidArgument`` beyond 16 slots, or 8 for passphrases, or for a name that is
  ///   too long; ``VaultError/Code/outOfMemory``; ``VaultError/Code/locked``; what reading the key throws; as
  ///   ``Vault/transaction(_:)``.
  @discardableResult
  public func add(
    _ key: KeySource, name: String = "", cost: PassphraseCost? = nil
  ) throws(VaultError) -> SlotInformation {
    try vault.requireUnlocked()
    return SlotInformation(try vault.requireFile().addSlot(key.read(), name: name, cost: cost))
  }

  /// Adds a slot for a new recovery code.
  ///
  /// - Parameter name: UTF-8, at most 64 bytes.
  /// - Returns: The slot, and the code's text, which is nowhere else and cannot be had again.
  /// - Throws: As ``add(_:name:cost:)``.
  public func addRecoveryCode(
    name: String = ""
  ) throws(VaultError) -> (slot: SlotInformation, code: Secret) {
    let code = Self.newRecoveryCode()
    return (try add(.recoveryCode(code), name: name), code)
  }

  /// The cost at which trying a passphrase takes about half a second on this machine.
  ///
  /// It takes at most a quarter of the memory that the machine and its control group have free, and is never
  /// below ``PassphraseCost/policy`` unless that is less. Finding it takes about 0.2 s.
  ///
  /// - Returns: What a new passphrase costs where no cost is named.
  /// - Throws: ``VaultError/Code/outOfMemory`` if not even the lowest cost can be paid.
  public static func calibratedCost() throws(VaultError) -> PassphraseCost {
    try .calibrated()
  }

  /// The text of a new recovery code: 160 random bits in seven groups of five characters.
  public static func newRecoveryCode() -> Secret {
    RecoveryCode().text()
  }

  /// Removes a way to unlock the vault.
  ///
  /// Its key still opens older copies of the file, and whoever opened one knows the vault's key; only
  /// ``rekey(keeping:dropping:cost:progress:otherSlot:)`` ends that.
  ///
  /// - Parameter id: The slot's.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/invalidArgument`` for the last slot that this
  ///   version can open; ``VaultError/Code/locked``; as ``Vault/transaction(_:)``.
  public func remove(id: Int) throws(VaultError) {
    try vault.requireUnlocked()
    try vault.requireFile().removeSlot(Self.slotID(id))
  }

  /// Gives a slot another name.
  ///
  /// - Parameters:
  ///   - id: The slot's.
  ///   - name: UTF-8, at most 64 bytes.
  /// - Returns: The slot as it is now.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/invalidArgument`` for a name that is too long;
  ///   ``VaultError/Code/locked``; as ``Vault/transaction(_:)``.
  @discardableResult
  public func rename(id: Int, to name: String) throws(VaultError) -> SlotInformation {
    try vault.requireUnlocked()
    return SlotInformation(try vault.requireFile().renameSlot(Self.slotID(id), to: name))
  }

  /// Tells which slot a key opens; a locked vault stays locked.
  ///
  /// - Parameters:
  ///   - key: What is tried.
  ///   - id: The one slot that it is tried on; nil tries all.
  /// - Returns: The slot.
  /// - Throws: ``VaultError/Code/authenticationFailed`` if it opens none; ``VaultError/Code/itemNotFound`` if no
  ///   slot has the id; as ``Vault/unlock(with:)``.
  public func test(
    _ key: KeySource, id: Int? = nil
  ) throws(VaultError) -> SlotInformation {
    var number: UInt32?
    if let id { number = try Self.slotID(id) }
    return SlotInformation(try vault.requireFile().testSlot(with: key.read(), id: number))
  }

  /// Replaces a passphrase in the one slot that it opens, whose id and name stay, and its key file if it needs both.
  ///
  /// The vault is unlocked afterwards. As with ``remove(id:)`` the old passphrase still opens older copies
  /// of the file.
  ///
  /// - Parameters:
  ///   - old: The passphrase until now; with the key file if the slot needs both.
  ///   - new: The passphrase from now on.
  ///   - cost: What trying it costs; nil takes ``calibratedCost()``, whatever the old one cost.
  /// - Returns: The slot as it is now.
  /// - Throws: ``VaultError/Code/authenticationFailed`` if the old one opens no slot;
  ///   ``VaultError/Code/invalidArgument`` for other keys than passphrases; ``VaultError/Code/conflict`` if
  ///   somebody else changed the slot meanwhile; ``VaultError/Code/outOfMemory``; as ``Vault/transaction(_:)``.
  @discardableResult
  public func changePassphrase(
    from old: KeySource, to new: KeySource, cost: PassphraseCost? = nil
  ) throws(VaultError) -> SlotInformation {
    let file = try vault.requireFile()
    let (old, new) = (try old.read(), try new.read())
    guard let old = try old.withPassphraseFirst(), new.kind == .passphrase else {
      throw VaultError(.invalidArgument, "a passphrase can only be changed from one to another")
    }
    return SlotInformation(try file.replaceKey(old, with: new, cost: cost))
  }

  /// An id that no slot can have is one that none has.
  static func slotID(_ id: Int) throws(VaultError) -> UInt32 {
    guard let id = UInt32(exactly: id) else {
      throw VaultError(.itemNotFound, "the vault has no slot with this id")
    }
    return id
  }
}
