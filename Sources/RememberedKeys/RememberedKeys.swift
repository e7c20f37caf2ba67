package import VaultCrypto
package import VaultModel

/// The vault keys that the kernel keeps for this user, by vault and epoch.
///
/// Whatever stands against it (keyrings that are denied, full or absent) means that nothing is
/// remembered, and is an error only to who wants to keep or to forget a key.
package enum RememberedKeys {
  /// A key that was found.
  package struct Found {
    /// The keys of the epoch, if it is the epoch's key: nothing proves that but the vault's head.
    package let keys: EpochKeys
    /// The seconds without a use after which the key is forgotten; 0 for one use.
    package let idle: UInt32
    /// The seconds after which it is forgotten in any case.
    package let secondsLeft: UInt32
  }

  /// Returns what is remembered of a vault's epoch, and counts it as a use.
  ///
  /// A key whose time is over, or which the machine slept through, is forgotten instead.
  package static func use(_ ident: Ident) -> Found? {
    look(ident, isUse: true, at: BootMark.current())
  }

  /// Returns the same, but not as a use.
  package static func peek(_ ident: Ident) -> Found? {
    look(ident, isUse: false, at: BootMark.current())
  }

  static func look(_ ident: Ident, isUse: Bool, at mark: BootMark?) -> Found? {
    do throws(VaultError) {
      guard let key = try KernelKey.find(name(ident)), let mark,
        let content = try key.content(count: RememberedKey.byteCount)
      else { return nil }
      guard let remembered = RememberedKey(content),
        let secondsLeft = remembered.secondsLeft(at: mark)
      else {
        try key.revoke()
        return nil
      }
      let idle = remembered.idle
      // A key whose timeout cannot be set ends too late, and is not used.
      if isUse { try idle == 0 ? key.revoke() : key.setTimeout(min(idle, secondsLeft)) }
      return Found(keys: remembered.keys(of: ident), idle: idle, secondsLeft: secondsLeft)
    } catch {
      return nil
    }
  }

  /// Lets the kernel keep the vault key of an epoch, in place of what it kept of this epoch.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if keyrings are denied here;
  ///   ``VaultError/Code/outOfMemory`` if the user's quota is full.
  package static func keep(_ keys: EpochKeys, for time: RememberedTime) throws(VaultError) {
    guard let mark = BootMark.current() else {
      throw VaultError(.unavailable, "/proc does not say when the machine was started")
    }
    let remembered = RememberedKey(keys, time, at: mark)
    try KernelKey.add(
      name(keys.ident), remembered.content, seconds: time.idle == 0 ? time.most : time.idle)
  }

  /// Forgets the vault's keys, of whatever epoch: an older one still opens older copies.
  ///
  /// - Returns: How many there were.
  /// - Throws: ``VaultError/Code/unavailable``, ``VaultError/Code/outOfMemory`` if one may still be
  ///   there. Where keyrings are denied there is none.
  @discardableResult
  package static func forget(_ vault: VaultID) throws(VaultError) -> Int {
    let keys: [KernelKey]
    do throws(VaultError) {
      keys = try KernelKey.all(beginning: prefix(vault))
    } catch {
      guard error.code == .unavailable else { throw error }
      return 0
    }
    for key in keys { try key.revoke() }
    return keys.count
  }

  static func name(_ ident: Ident) -> String { prefix(ident.vaultID) + "\(ident.epoch)" }

  private static func prefix(_ vault: VaultID) -> String { "vaultctl:\(vault.hex):" }
}
