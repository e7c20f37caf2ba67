import VaultStore
import VaultCrypto
public import VaultModel

/// A vault's key in the kernel, by which it opens for a while without a prompt.
///
/// Nothing is kept unless somebody asks for it. Every program of this user finds the key, after key
/// files and before a prompt.
public struct RememberedKey: Sendable {
  private let vault: Vault

  /// The key of a vault, which may be locked.
  public init(_ vault: Vault) {
    self.vault = vault
  }

  /// Lets the kernel remember the vault's key, in place of what it remembers already; a session
  /// that is shared lasts as long from now on.
  ///
  /// - Parameter time: How long; the vault's own limit shortens it.
  /// - Returns: The time that was granted.
  /// - Throws: ``VaultError/Code/policyRefused`` if the vault does not allow it;
  ///   ``VaultError/Code/unavailable`` where keyrings are denied; ``VaultError/Code/outOfMemory``
  ///   if this user's are full; ``VaultError/Code/locked``; ``VaultError/Code/unsupported`` for a
  ///   vault in memory.
  @discardableResult
  public func remember(for time: RememberedTime) throws(VaultError) -> RememberedTime {
    let file = try vault.requireFile()
    let limit = try file.mostRemembered()
    guard limit != 0 else {
      throw VaultError(.policyRefused, "the vault's key may not be remembered")
    }
    let time = time.limited(to: limit)
    // A rekey would forget the key of the epoch before, which opens older copies: none comes
    // between.
    let epoch = try file.withKeys { (keys) throws(VaultError) in
      try RememberedKeys.keep(keys, for: time)
      return keys.ident
    }
    // A time for one use sets no limit for a session.
    if time.idle > 0 { try RememberedKeys.retime(sessionsOf: epoch, to: time) }
    return time
  }

  /// Requires that the kernel remembers keys for this user.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` where keyrings are denied;
  ///   ``VaultError/Code/outOfMemory`` if this user's are full.
  public static func require() throws(VaultError) {
    if case .refused(let error) = KeyringState.current() { throw error }
  }

  /// Opens the vault with what the kernel remembers.
  ///
  /// A key that does not open it, or that the vault does not allow, is forgotten.
  ///
  /// - Parameter use: Looks for a key; ``RememberedKeys/peek(_:)`` looks without using it.
  /// - Returns: Whether that unlocked the vault.
  /// - Throws: As ``remembered(countsAsUse:)``.
  func open(
    _ use: (Ident) -> RememberedKeys.Found? = { RememberedKeys.use($0) }
  ) throws(VaultError) -> Bool {
    guard let file = vault.file else { return true }
    var wasFound = false
    let isOpen = try file.unlock { ident in
      guard let found = use(ident) else { return nil }
      wasFound = true
      return (found.keys, found.secondsLeft)
    }
    if wasFound, !isOpen { forgetAfterChange() }
    return isOpen
  }

  /// Looks whether the kernel remembers the vault's key; the vault may be open with it.
  ///
  /// - Parameter isUse: Whether this counts as a use of it, which lengthens its time.
  /// - Returns: Whether it does.
  /// - Throws: Any error of reading the file.
  public func isKept(countsAsUse isUse: Bool = false) throws(VaultError) -> Bool {
    guard let ident = try vault.file?.ident() else { return false }
    return (isUse ? RememberedKeys.use(ident) : RememberedKeys.peek(ident)) != nil
  }

  /// Opens the vault with what the kernel remembers.
  ///
  /// - Parameter isUse: Whether this counts as a use of it.
  /// - Returns: The seconds without a use and in any case that are left, 0 without a use for a key
  ///   that this was the one use of; nil if nothing is remembered that opens it.
  /// - Throws: As ``Vault/unlock(with:)``, but never for the remembered key itself.
  public func remembered(
    countsAsUse isUse: Bool = false
  ) throws(VaultError) -> (idle: UInt32, secondsLeft: UInt32)? {
    var times: (idle: UInt32, secondsLeft: UInt32)?
    let isOpen = try open { ident in
      let found = isUse ? RememberedKeys.use(ident) : RememberedKeys.peek(ident)
      times = found.map { ($0.idle, $0.secondsLeft) }
      return found
    }
    return isOpen ? times : nil
  }
}

/// The vault's own limit on remembering its key, which every program keeps to.
extension VaultPolicy {
  /// Returns the most seconds for which a machine may remember the vault's key, 0 for never; nil
  /// for any.
  ///
  /// - Throws: ``VaultError/Code/locked``; ``VaultError/Code/unsupported`` for a vault in memory.
  public func mostRemembered() throws(VaultError) -> UInt32? {
    try vault.requireUnlocked()
    return try vault.requireFile().mostRemembered()
  }

  /// Sets the most seconds for which a machine may remember the vault's key; what is remembered
  /// here is forgotten.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for more than the file can hold; any error of
  ///   writing the file.
  public func setMostRemembered(_ seconds: UInt32?) throws(VaultError) {
    try vault.requireUnlocked()
    try vault.requireFile().write { (transaction) throws(VaultError) in
      guard transaction.mostRemembered != seconds else { return }
      try transaction.setMostRemembered(seconds)
    }
    RememberedKey(vault).forgetAfterChange()
  }
}

/// Ending what the kernel remembers of vaults before its time, and the sessions that depend on it.
extension RememberedKey {
  /// Forgets the vault's key, even that of an earlier epoch; the vault may be locked.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``VaultError/Code/unavailable``, ``VaultError/Code/outOfMemory`` if it may still be
  ///   there.
  @discardableResult
  public func forget() throws(VaultError) -> Bool {
    try Self.forget(vault.requireFile().ident().vaultID)
  }

  /// Forgets the key of the vault that was seen at a path, whose file may be gone or out of reach.
  ///
  /// - Returns: Whether there was one; nil if this machine has seen no vault there.
  /// - Throws: As ``forget()``.
  package static func forget(at path: String) throws(VaultError) -> Bool? {
    let record = PlaceRecord(
      folder: VaultLocation.stateFolder(), at: VaultPath.withoutChecks(path))
    guard let vault = record.look() else { return nil }
    return try forget(vault)
  }

  private static func forget(_ vault: VaultID) throws(VaultError) -> Bool {
    defer { SessionFile.removeForgotten(of: vault) }
    return try RememberedKeys.forget(vault) > 0
  }

  /// Forgets the keys of all vaults of this user, wherever their files are.
  ///
  /// - Returns: The number of keys that were forgotten.
  /// - Throws: As ``forget()``.
  package static func forgetAll() throws(VaultError) -> Int {
    defer { SessionFile.removeForgotten() }
    return try RememberedKeys.forgetAll()
  }

  /// Forgets the vault's key if it is remembered for one use, which is not needed any more.
  ///
  /// - Throws: Any error of reading the file; ``VaultError/Code/unavailable`` if it may still be
  ///   there.
  package func forgetOneUse() throws(VaultError) {
    guard let ident = try vault.file?.ident(), RememberedKeys.peek(ident)?.idle == 0 else { return }
    try RememberedKeys.forget(ident)
  }

  /// Forgets the key after a change of what opens the vault.
  ///
  /// The change is made, whatever comes of this: a key that is left has its end.
  package func forgetAfterChange() {
    do throws(VaultError) {
      try forget()
    } catch {
      return
    }
  }
}
