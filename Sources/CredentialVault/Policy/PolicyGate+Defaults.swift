import VaultStore
import VaultModel

/// Changes of a space's default user, which the session and the file may each have.
extension PolicyGate {
  /// Sets or clears the file's default; the session's is cleared.
  ///
  /// A default that moves with its user's credential is not reported to observers: the move is.
  func setPermanentDefault(
    _ user: String?, for space: ProtectionSpace, isMoving: Bool = false
  ) throws(VaultError) {
    try changeDefault(of: space, tellingPlace: !isMoving) { () throws(VaultError) in
      try transaction?.setDefaultUser(user, for: space)
      // The default that was set last applies.
      try setSessionDefault(nil, for: space)
    }
  }

  /// Removes the file's default; if a user is given and the session has no default, that user
  /// becomes the session's.
  func takeDefault(_ user: String?, of space: ProtectionSpace) throws(VaultError) {
    try changeDefault(of: space) { () throws(VaultError) in
      if let user, try session.defaultUser(for: space) == nil {
        try setSessionDefault(user, for: space)
      }
      try transaction?.setDefaultUser(nil, for: space)
    }
  }

  /// Writes the session's default into the file if it names a user.
  func promoteDefault(of user: String, for space: ProtectionSpace) throws(VaultError) {
    guard let chosen = try session.defaultUser(for: space),
      chosen.utf8.elementsEqual(user.utf8)
    else { return }
    _ = try setDefaultUser(user, for: space, requested: .permanent, isMoving: true)
  }

  /// Notifies observers once, and only if `body` changes the default, or its place if that is to be
  /// reported.
  func changeDefault(
    of space: ProtectionSpace, tellingPlace: Bool = false, _ body: () throws(VaultError) -> Void
  ) throws(VaultError) {
    // Without a transaction there is one change, and the session reports it.
    guard let transaction else { return try body() }
    let before = try choice(of: space)
    try transaction.quietly(body)
    let after = try choice(of: space)
    let isSame = before?.user == after?.user && (!tellingPlace || before == after)
    if !isSame { note(.defaultChanged(space)) }
  }

  private struct Choice: Equatable {
    let user: [UInt8]
    let persistence: Persistence
  }

  private func choice(of space: ProtectionSpace) throws(VaultError) -> Choice? {
    if let user = try session.defaultUser(for: space) {
      return Choice(user: Array(user.utf8), persistence: .session)
    }
    guard let user = try transaction?.defaultUser(for: space) else { return nil }
    return Choice(user: Array(user.utf8), persistence: .permanent)
  }

  func setSessionDefault(_ user: String?, for space: ProtectionSpace) throws(VaultError) {
    guard transaction != nil else { return try session.setDefaultUser(user, for: space) }
    let before = try session.defaultUser(for: space)
    try session.putDefault(user, for: space)
    let session = session
    onFailure(restore: { () throws(VaultError) in try session.putDefault(before, for: space) })
  }
}
