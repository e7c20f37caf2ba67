package import CredentialVault
package import VaultModel

/// The vault that the service offers, opened and locked as its clients and its user ask.
///
/// It is opened at the first call that needs it. A key that is found, or that the kernel remembers,
/// opens it without a prompt; after a client has locked it, only ``unlockUnasked()`` does.
package final class ServedVault {
  /// The key that unlocked it, and its end.
  private enum Opening: Equatable {
    case key
    /// The kernel's memory, which `vaultctl lock` ends for this process, too.
    case remembered
    /// A passphrase that was typed here, which nobody remembers but this process.
    case typed(until: ContinuousClock.Instant, end: ContinuousClock.Instant)
  }

  private let open: () throws(VaultError) -> Vault
  private let clock = ContinuousClock()
  private var opened: Vault?
  private var opening: Opening?
  /// Whether a client has locked it, so that only an unlocking opens it.
  package private(set) var isLockedByClient = false
  private var lastLook: ContinuousClock.Instant?

  /// The time without a call after which a passphrase has to be typed again, and the time in any
  /// case: what `vaultctl unlock` takes, if the vault does not shorten it.
  private static let idle = RememberedTime()

  /// - Parameter open: Opens the vault, and leaves it locked.
  package init(open: @escaping () throws(VaultError) -> Vault) {
    self.open = open
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

  /// Returns the vault, unlocked.
  ///
  /// - Throws: ``VaultError/Code/locked`` if it is not, and no key was found; as ``vault()``.
  func unlockedVault() throws(VaultError) -> Vault {
    guard try isUnlocked() else { throw VaultError(.locked, "the vault is locked") }
    return try vault()
  }

  /// Returns whether the vault is unlocked, and unlocks it if that needs no person and no client
  /// has locked it.
  func isUnlocked() throws(VaultError) -> Bool {
    let vault = try vault()
    try refresh()
    if try vault.state == .unlocked {
      if opening == nil { opening = .key }
      return true
    }
    opening = nil
    return try isLockedByClient ? false : unlockUnasked()
  }

  /// Unlocks the vault with a key that is found, or that the kernel remembers.
  ///
  /// - Returns: Whether that unlocked it; a key that cannot be used is as none.
  func unlockUnasked() throws(VaultError) -> Bool {
    let vault = try vault()
    isLockedByClient = false
    do throws(VaultError) {
      if let key = try KeySource.find() {
        try vault.unlock(with: key)
        opening = .key
        return true
      }
    } catch {
      guard error.code != .busy else { throw error }
    }
    guard try vault.opensUnasked(with: nil) else { return false }
    (opening, lastLook) = (.remembered, clock.now)
    return true
  }

  /// Notes that a passphrase was typed and has unlocked the vault, and lets the kernel remember its
  /// key if the user's configuration says so.
  package func wasUnlockedByPassphrase() {
    isLockedByClient = false
    // First, so that the key has an end whatever fails below.
    opening = typed(for: Self.idle)
    do throws(VaultError) {
      let vault = try vault()
      let limit = try vault.policy.mostRemembered()
      opening = typed(for: Self.idle.limited(to: limit.map { max($0, 60) }))
      // A key for one use would be used up by the first look at it.
      guard let time = try Self.remembering(), time != .oneUse else { return }
      try vault.keys.remember(for: time)
      (opening, lastLook) = (.remembered, clock.now)
    } catch {
      // Forbidden, denied or full, or a setting that cannot be read: this process alone keeps it.
    }
  }

  private func typed(for time: RememberedTime) -> Opening {
    .typed(
      until: clock.now + .seconds(Int64(time.idle)), end: clock.now + .seconds(Int64(time.most)))
  }

  /// Returns the user's setting for remembering keys, as `vaultctl` reads it.
  private static func remembering() throws(VaultError) -> RememberedTime? {
    guard let text = Environment.value("VAULTCTL_REMEMBER") else {
      return try VaultConfiguration.read()?.remembers
    }
    return try RememberedTime.setting(text)
  }

  /// Locks the vault until somebody asks to unlock it.
  package func lock() throws(VaultError) {
    isLockedByClient = true
    opening = nil
    try opened?.lock()
  }

  /// Whether this process alone holds a key that a person typed.
  package var holdsTypedKey: Bool {
    if case .typed = opening { true } else { false }
  }

  /// Locks the vault if the time of what unlocked it is over.
  ///
  /// - Returns: Whether it did.
  @discardableResult
  func refresh() throws(VaultError) -> Bool {
    let now = clock.now
    switch opening {
    case .typed(let until, let end):
      guard now >= min(until, end) else { return false }
    case .remembered:
      // Once a second at most: a look costs as much as a lookup.
      guard let opened, lastLook.map({ $0.duration(to: now) > .seconds(1) }) ?? true else {
        return false
      }
      lastLook = now
      guard try !opened.keys.isRemembered() else { return false }
    case .key, nil: return false
    }
    opening = nil
    try opened?.lock()
    return true
  }

  /// Counts a call as a use of what unlocked the vault.
  func wasUsed() throws(VaultError) {
    switch opening {
    case .typed(let until, let end):
      guard clock.now < min(until, end) else { return }
      opening = .typed(until: clock.now + .seconds(Int64(Self.idle.idle)), end: end)
    case .remembered: _ = try opened?.keys.isRemembered(countsAsUse: true)
    case .key, nil: return
    }
  }

  /// Whether the vault holds items that end with this process.
  package func hasSessionItems() throws(VaultError) -> Bool {
    guard let opened, try opened.state == .unlocked else { return false }
    return try opened.holdsOwnSession
  }
}
