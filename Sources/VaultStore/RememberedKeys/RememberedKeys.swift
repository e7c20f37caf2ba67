package import VaultCrypto
package import VaultModel

/// The vault keys that the kernel keeps for this user, by vault and epoch, and those of the
/// sessions that a vault's processes share.
///
/// If keyrings are denied, full or absent, nothing is remembered. That is an error only when a key
/// is to be kept or forgotten.
package enum RememberedKeys {
  /// A key that was found.
  package struct Found {
    /// The keys of the epoch, if it is the epoch's key, which only the vault's head proves.
    package let keys: EpochKeys
    /// The seconds without a use after which the key is forgotten; 0 for one use.
    package let idle: UInt32
    /// The seconds after which it is forgotten in any case.
    package let secondsLeft: UInt32
  }

  /// Returns the remembered key of a vault's epoch, and counts this as a use.
  ///
  /// If its time is over, or the machine has slept since, it is forgotten instead.
  ///
  /// - Parameters:
  ///   - ident: The epoch.
  ///   - vault: The vault's epoch whose session this is; nil for a vault of its own.
  /// - Returns: Nil if there is none, or none that may still be used.
  package static func use(_ ident: Ident, sessionOf vault: Ident? = nil) -> Found? {
    look(ident, sessionOf: vault, isUse: true, at: BootMark.current())
  }

  /// Returns the remembered key without counting a use.
  package static func peek(_ ident: Ident) -> Found? {
    look(ident, isUse: false, at: BootMark.current())
  }

  /// Returns for how long a vault's key is remembered from now on; nil if it is not, or only for
  /// one use.
  package static func time(_ ident: Ident) -> RememberedTime? {
    guard let found = peek(ident), found.idle > 0 else { return nil }
    return RememberedTime(idle: Int64(found.idle), most: Int64(found.secondsLeft))
  }

  static func look(
    _ ident: Ident, sessionOf vault: Ident? = nil, isUse: Bool, at mark: BootMark?
  ) -> Found? {
    guard let mark else { return nil }
    let name = name(ident, sessionOf: vault)
    var last: KernelKey?
    do throws(VaultError) {
      // Another program may replace a key between the calls.
      while let key = try KernelKey.find(name), key != last {
        if let found = try read(key, of: ident, isUse: isUse, at: mark) { return found }
        last = key
      }
    } catch {
      return nil
    }
    return nil
  }

  /// Returns what a key holds; nil if it is gone or may no longer be used.
  private static func read(
    _ key: KernelKey, of ident: Ident, isUse: Bool, at mark: BootMark
  ) throws(VaultError) -> Found? {
    guard let content = try key.content(count: RememberedKey.byteCount) else { return nil }
    guard let remembered = RememberedKey(content),
      let secondsLeft = remembered.secondsLeft(at: mark)
    else {
      try key.end()
      return nil
    }
    let idle = remembered.idle
    if isUse {
      // Of two programs that read a key for one use at once, one uses it. A key whose timeout
      // cannot be set ends too late, and is not used.
      let isUsed = try idle == 0 ? key.take() : key.setTimeout(min(idle, secondsLeft))
      guard isUsed else { return nil }
    }
    return Found(keys: remembered.keys(of: ident), idle: idle, secondsLeft: secondsLeft)
  }

  /// Lets the kernel keep the vault key of an epoch, in place of an earlier one of this epoch.
  ///
  /// The key of a session is forgotten with those of its vault.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if keyrings are denied here;
  ///   ``VaultError/Code/outOfMemory`` if the user's quota is full.
  package static func keep(
    _ keys: EpochKeys, sessionOf vault: Ident? = nil, for time: RememberedTime
  ) throws(VaultError) {
    guard let mark = BootMark.current() else { throw BootMark.unknown }
    let remembered = RememberedKey(keys, time, at: mark)
    try KernelKey.add(
      name(keys.ident, sessionOf: vault), remembered.content,
      seconds: time.idle == 0 ? time.most : time.idle)
  }

  static func name(_ ident: Ident, sessionOf vault: Ident? = nil) -> String {
    guard let vault else { return prefix(ident.vaultID) + "\(ident.epoch)" }
    return prefix(ofSessions: vault) + ident.vaultID.hex
  }

  /// The start of the names of all keys.
  static let prefix = "vaultctl:"

  static func prefix(_ vault: VaultID) -> String { "\(prefix)\(vault.hex):" }

  /// Returns the start of the names of the sessions' keys of a vault's epoch: after a rekey they
  /// are not found, as the vault's own is not.
  static func prefix(ofSessions vault: Ident) -> String {
    prefix(vault.vaultID) + "session:\(vault.epoch):"
  }
}

/// Ending what the kernel keeps before its time.
extension RememberedKeys {
  /// Forgets the vault's keys of all epochs, since an old one still opens older copies, and those
  /// of its sessions.
  ///
  /// - Returns: The number of keys that were forgotten.
  /// - Throws: ``VaultError/Code/unavailable``, ``VaultError/Code/outOfMemory`` if one may still be
  ///   there. If keyrings are denied, there is none.
  @discardableResult
  package static func forget(_ vault: VaultID) throws(VaultError) -> Int {
    try forget(beginning: prefix(vault))
  }

  /// Forgets the keys of all vaults and sessions, and whatever else is kept under this project's
  /// name.
  ///
  /// - Returns: The number of keys that were forgotten.
  /// - Throws: As ``forget(_:)``.
  package static func forgetAll() throws(VaultError) -> Int { try forget(beginning: prefix) }

  @discardableResult
  private static func forget(beginning prefix: String) throws(VaultError) -> Int {
    var count = 0
    // Again, since another program may add or replace one meanwhile.
    while case let keys = try all(beginning: prefix), !keys.isEmpty {
      for key in keys where try key.end() { count += 1 }
    }
    return count
  }

  private static func all(beginning prefix: String) throws(VaultError) -> [KernelKey] {
    do throws(VaultError) {
      return try KernelKey.all(beginning: prefix)
    } catch {
      guard error.code == .unavailable else { throw error }
      return []
    }
  }

  /// Forgets the key of one epoch.
  ///
  /// - Throws: As ``forget(_:)``.
  package static func forget(_ ident: Ident) throws(VaultError) {
    try KernelKey.find(name(ident))?.end()
  }

  // MARK: Sessions

  /// Forgets the key of a vault's session.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if it may still be there.
  package static func forget(_ session: Ident, sessionOf vault: Ident) throws(VaultError) {
    try KernelKey.find(name(session, sessionOf: vault))?.end()
  }

  /// Lets the sessions of a vault's epoch last as long as the vault's key from now on.
  ///
  /// - Throws: As ``keep(_:sessionOf:for:)``.
  package static func retime(
    sessionsOf vault: Ident, to time: RememberedTime
  ) throws(VaultError) {
    guard let mark = BootMark.current() else { throw BootMark.unknown }
    for key in try KernelKey.all(beginning: prefix(ofSessions: vault)) {
      guard let name = try key.name(),
        let content = try key.content(count: RememberedKey.byteCount),
        let remembered = RememberedKey(content), remembered.secondsLeft(at: mark) != nil
      else { continue }
      let renewed = RememberedKey(remembered, time, at: mark)
      try KernelKey.add(name, renewed.content, seconds: time.idle)
      // The vault's key may have been forgotten meanwhile, and those of its sessions with it.
      if peek(vault) == nil { try forget(beginning: prefix(ofSessions: vault)) }
    }
  }

  /// Returns the ids of the sessions whose keys the kernel has, and those of their vaults.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if keyrings are denied here.
  package static func sessions() throws(VaultError) -> [(vault: String, session: String)] {
    var sessions: [(String, String)] = []
    for key in try KernelKey.all(beginning: prefix) {
      // vaultctl:vault:session:epoch:session
      let words = try key.name()?.split(separator: ":") ?? []
      guard words.count == 5, words[2] == "session" else { continue }
      sessions.append((String(words[1]), String(words[4])))
    }
    return sessions
  }
}
