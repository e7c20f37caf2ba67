public import CredentialVault
public import SecureMemory
import VaultCrypto
import VaultStore
public import VaultModel

/// The slots of a vault, each of which unlocks it: `vault.keys`.
public struct VaultKeys: Sendable {
  let vault: Vault

  /// Returns the vault's slots, in ascending order of id.
  ///
  /// A locked vault also has them: slots are stored in clear in the file. While the vault is
  /// locked, nothing proves that they are the vault's own. Those of an unlocked vault are proven.
  ///
  /// - Returns: One or more.
  /// - Throws: ``VaultError/Code/damaged``; ``VaultError/Code/unsupported`` for a vault in memory.
  public func slots() throws(VaultError) -> [SlotInformation] {
    try vault.requireFile().slots().map(SlotInformation.init)
  }

  /// Adds a key that unlocks the vault.
  ///
  /// - Parameters:
  ///   - key: The additional key.
  ///   - name: UTF-8, at most 64 bytes.
  ///   - cost: The Argon2id cost of a passphrase; nil takes ``calibratedCost()``. Other keys
  ///     need none.
  /// - Returns: The new slot; its id is the lowest that was free.
  /// - Throws: ``VaultError/Code/invalidArgument`` beyond 16 slots, or 8 for passphrases, or for a
  ///   name that is too long; ``VaultError/Code/outOfMemory``; ``VaultError/Code/locked``; any
  ///   error of reading the key; as ``Vault/write(_:)``.
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
  /// - Returns: The slot, and the code's text, which is stored nowhere else and cannot be
  ///   recovered.
  /// - Throws: As ``add(_:name:cost:)``.
  public func addRecoveryCode(
    name: String = ""
  ) throws(VaultError) -> (slot: SlotInformation, code: Secret) {
    let code = Self.newRecoveryCode()
    return (try add(.recoveryCode(code), name: name), code)
  }

  /// Measures the cost at which checking a passphrase takes about half a second on this
  /// machine.
  ///
  /// The cost uses at most a quarter of the memory that the machine and its control group have
  /// free. It is never below ``PassphraseCost/policy`` unless that memory is less. Measuring takes
  /// about 0.2 s.
  ///
  /// - Returns: The cost of a new passphrase if none is named.
  /// - Throws: ``VaultError/Code/outOfMemory`` if not even the lowest cost can be paid.
  public static func calibratedCost() throws(VaultError) -> PassphraseCost {
    try .calibrated()
  }

  /// Returns the text of a new recovery code: 160 random bits in seven groups of five characters.
  public static func newRecoveryCode() -> Secret {
    RecoveryCode().text()
  }

  /// Removes a slot, so that its key no longer unlocks the vault.
  ///
  /// The key still opens older copies of the file, and anyone who opened one knows the vault's key;
  /// only ``rekey(keeping:removing:cost:progress:otherSlot:)`` ends that.
  ///
  /// - Parameter id: The slot's.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/invalidArgument`` for the last
  ///   slot that this version can open; ``VaultError/Code/locked``; as ``Vault/write(_:)``.
  public func remove(id: Int) throws(VaultError) {
    try vault.requireUnlocked()
    try vault.requireFile().removeSlot(Self.slotID(id))
    RememberedKey(vault).forgetAfterChange()
  }

  /// Renames a slot.
  ///
  /// - Parameters:
  ///   - id: The slot's.
  ///   - name: UTF-8, at most 64 bytes.
  /// - Returns: The slot as it is now.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/invalidArgument`` for a name
  ///   that is too long; ``VaultError/Code/locked``; as ``Vault/write(_:)``.
  @discardableResult
  public func rename(id: Int, to name: String) throws(VaultError) -> SlotInformation {
    try vault.requireUnlocked()
    return SlotInformation(try vault.requireFile().renameSlot(Self.slotID(id), to: name))
  }

  /// Returns the slot that a key opens; a locked vault stays locked.
  ///
  /// - Parameters:
  ///   - key: The key to try.
  ///   - id: The one slot to try it on; nil tries all.
  /// - Returns: The slot.
  /// - Throws: ``VaultError/Code/authenticationFailed`` if it opens none;
  ///   ``VaultError/Code/itemNotFound`` if no slot has the id; as ``Vault/unlock(with:)``.
  public func test(
    _ key: KeySource, id: Int? = nil
  ) throws(VaultError) -> SlotInformation {
    var number: UInt32?
    if let id { number = try Self.slotID(id) }
    let file = try vault.requireFile()
    let slot = try key.firstThatOpens { [number] (key) throws(VaultError) in
      try file.testSlot(with: key.read(), id: number)
    }
    guard let slot else {
      throw VaultError(.authenticationFailed, "no key that was found opens it")
    }
    return SlotInformation(slot)
  }

  /// Replaces the passphrase of the one slot that it opens, and the slot's key file if it needs
  /// both; the slot keeps its id and name.
  ///
  /// The vault is unlocked afterwards. As with ``remove(id:)``, the old passphrase still opens
  /// older copies of the file.
  ///
  /// - Parameters:
  ///   - old: The present passphrase; with the key file if the slot needs both.
  ///   - new: The new passphrase.
  ///   - cost: Its Argon2id cost; nil takes ``calibratedCost()``, whatever the old one
  ///     cost.
  /// - Returns: The slot as it is now.
  /// - Throws: ``VaultError/Code/authenticationFailed`` if the old one opens no slot;
  ///   ``VaultError/Code/invalidArgument`` for other keys than passphrases;
  ///   ``VaultError/Code/conflict`` if somebody else changed the slot meanwhile;
  ///   ``VaultError/Code/outOfMemory``; as ``Vault/write(_:)``.
  @discardableResult
  public func changePassphrase(
    from old: KeySource, to new: KeySource, cost: PassphraseCost? = nil
  ) throws(VaultError) -> SlotInformation {
    let file = try vault.requireFile()
    let (old, new) = (try old.read(), try new.read())
    guard let old = try old.withPassphraseFirst(), new.kind == .passphrase else {
      throw VaultError(.invalidArgument, "a passphrase can only be changed from one to another")
    }
    let slot = SlotInformation(try file.replaceKey(old, with: new, cost: cost))
    RememberedKey(vault).forgetAfterChange()
    return slot
  }

  /// Returns a slot's id as it is stored; one out of range is reported as a slot that does not
  /// exist.
  static func slotID(_ id: Int) throws(VaultError) -> UInt32 {
    guard let id = UInt32(exactly: id) else {
      throw VaultError(.itemNotFound, "the vault has no slot with this id")
    }
    return id
  }
}
