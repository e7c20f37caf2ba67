package import VaultCrypto
package import VaultModel

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

  private static func forget(beginning prefix: String) throws(VaultError) -> Int {
    let keys: [KernelKey]
    do throws(VaultError) {
      keys = try KernelKey.all(beginning: prefix)
    } catch {
      guard error.code == .unavailable else { throw error }
      return 0
    }
    for key in keys { try key.revoke() }
    return keys.count
  }

  // MARK: Sessions

  /// Forgets the key of a vault's session.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if it may still be there.
  package static func forget(_ session: Ident, sessionOf vault: Ident) throws(VaultError) {
    try KernelKey.find(name(session, sessionOf: vault))?.revoke()
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
