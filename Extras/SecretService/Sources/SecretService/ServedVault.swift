package import CredentialVault
import VaultAdministration
package import VaultModel

/// The vault that the service offers, opened and locked as its clients and its user ask.
///
/// It is opened at the first call that needs it. A key that is found, or that the kernel remembers,
/// opens it without a prompt; after a client has locked it, only
/// ``unlockUnasked(afterClient:)`` with true does.
package final class ServedVault {
  package typealias Instant = ContinuousClock.Instant

  private let open: () throws(VaultError) -> Vault
  let now: () -> Instant
  private let remembering: () throws(VaultError) -> RememberedTime?
  private var opened: Vault?
  private var opening: Opening?
  /// Whether a client has locked it, so that only an unlocking opens it.
  package private(set) var isLockedByClient = false
  /// Whether another thread unlocks it.
  ///
  /// Until that is over, every question to the vault would wait for the derivation of the key: it
  /// counts as locked, and is not asked.
  private var isUnlocking = false
  private var isLockedMeanwhile = false

  /// - Parameters:
  ///   - now: Returns the time.
  ///   - remembering: Returns how long the kernel remembers the key of a typed passphrase, so that
  ///     other programs need not ask for it; nil for not at all.
  ///   - open: Opens the vault, and leaves it locked.
  package init(
    now: @escaping () -> Instant = { .now },
    remembering: @escaping () throws(VaultError) -> RememberedTime? = { () throws(VaultError) in
      try RememberedTime.configured()
    },
    open: @escaping () throws(VaultError) -> Vault
  ) {
    (self.now, self.remembering, self.open) = (now, remembering, open)
  }

  /// Returns the vault, which may be locked.
  ///
  /// - Throws: ``VaultError/Code/vaultNotFound`` until there is one; any error of opening.
  package func vault() throws(VaultError) -> Vault {
    if let opened { return opened }
    let vault = try open()
    opened = vault
    return vault
  }

  /// The path of the vault; nil if it has none, or there is no vault yet.
  var path: String? {
    do throws(VaultError) {
      return try vault().path
    } catch {
      return nil
    }
  }

  /// Returns the vault, unlocked.
  ///
  /// - Throws: ``VaultError/Code/locked`` if it is not, and no key was found; as ``vault()``.
  func unlockedVault() throws(VaultError) -> Vault {
    guard try unlockUnasked() else { throw VaultError(.locked, "the vault is locked") }
    return try vault()
  }

  /// Whether the vault was unlocked at the last look.
  var wasUnlocked: Bool { opening != nil }

  // MARK: Unlocking

  /// Unlocks the vault, if it is not, with a key that is found, or that the kernel remembers.
  ///
  /// - Parameter unlocksAgain: Whether it is unlocked also after a client has locked it.
  /// - Returns: Whether it is unlocked now; a key that cannot be used is as none.
  /// - Throws: As ``vault()`` and ``refresh(countsAsUse:)``.
  func unlockUnasked(afterClient unlocksAgain: Bool = false) throws(VaultError) -> Bool {
    let vault = try vault()
    guard !isUnlocking else { return false }
    try refresh()
    guard try vault.state() != .unlocked else {
      if opening == nil { opening = .key }
      return true
    }
    opening = nil
    guard unlocksAgain || !isLockedByClient, try unlock(vault) else { return false }
    isLockedByClient = false
    return true
  }

  private func unlock(_ vault: Vault) throws(VaultError) -> Bool {
    do throws(VaultError) {
      if let key = try KeySource.find() {
        try vault.unlock(with: key)
        opening = .key
        return true
      }
    } catch {
      guard error.code != .busy else { throw error }
    }
    // A key for one use is used up by this.
    guard let times = try RememberedKey(vault).remembered(countsAsUse: true) else { return false }
    opening = .remembered(lastLook: now())
    if times.idle == 0 { try keepTyped(vault) }
    return true
  }

  /// Returns the vault, which another thread unlocks with a passphrase until
  /// ``unlockingEnded(isUnlocked:isWanted:)``.
  package func beginUnlocking() throws(VaultError) -> Vault {
    let vault = try vault()
    (isUnlocking, isLockedMeanwhile) = (true, false)
    return vault
  }

  /// Takes the vault back, and locks it if that was asked for meanwhile.
  ///
  /// - Parameters:
  ///   - isUnlocked: Whether the passphrase has unlocked it.
  ///   - isWanted: Whether anybody still waits for that.
  /// - Returns: Whether it is unlocked.
  /// - Throws: As `Vault.lock()`.
  package func unlockingEnded(
    isUnlocked: Bool, isWanted: Bool = true
  ) throws(VaultError) -> Bool {
    isUnlocking = false
    guard isUnlocked else { return false }
    guard isWanted, !isLockedMeanwhile else {
      try opened?.lock()
      return false
    }
    isLockedByClient = false
    do throws(VaultError) {
      let vault = try vault()
      try keepTyped(vault)
      // A key for one use would be used up by the first look at it.
      guard let time = try remembering(), time != .oneUse else { return true }
      try RememberedKey(vault).remember(for: time)
      opening = .remembered(lastLook: now())
    } catch {
      // Forbidden, denied or full, or a setting that cannot be read: this process alone keeps it.
    }
    return true
  }

  /// Lets this process alone keep the key, for as long as the vault allows.
  private func keepTyped(_ vault: Vault) throws(VaultError) {
    // First, so that the key has an end whatever fails below.
    opening = .typed(at: now())
    opening = .typed(at: now(), limit: try vault.policy.mostRemembered())
  }

  // MARK: Locking

  /// Locks the vault until somebody asks to unlock it.
  package func lock() throws(VaultError) {
    isLockedByClient = true
    opening = nil
    isLockedMeanwhile = isUnlocking
    if !isUnlocking { try opened?.lock() }
  }

  /// Whether this process alone holds a key that a person typed.
  package var holdsTypedKey: Bool {
    if case .typed = opening { true } else { false }
  }

  /// The time of the next look at what unlocked it; nil if that has no end.
  package var nextLook: Instant? { opening?.nextLook }

  /// Locks the vault if the time of what unlocked it is over.
  ///
  /// - Parameter isUse: Whether this counts as a use, which lengthens that time.
  /// - Throws: Any error of reading the file.
  func refresh(countsAsUse isUse: Bool = false) throws(VaultError) {
    guard let known = opening, let next = known.nextLook else { return }
    let (now, isDue) = (now(), now() >= next)
    guard isUse || isDue else { return }
    if case .remembered = known {
      opening = .remembered(lastLook: now)
      guard let opened, try !RememberedKey(opened).isKept(countsAsUse: isUse) else { return }
    } else if !isDue {
      opening = known.used(at: now)
      return
    }
    opening = nil
    try opened?.lock()
  }

  /// Returns whether the vault holds items that end with this process.
  package func hasSessionItems() throws(VaultError) -> Bool {
    guard !isUnlocking else { return true }
    guard let opened, try opened.state() == .unlocked else { return false }
    return try VaultLayers(opened).holdsOwnSession
  }
}
