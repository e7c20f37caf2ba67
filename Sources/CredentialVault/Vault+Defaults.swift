public import VaultModel
import VaultStorage

/// The default credential of a space: a reference to one of its users, never a copy.
extension Vault {
  /// The default user of a space, the session's word first; nil if it has none.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    try requireUnlocked()
    if let user = try session.defaultUser(for: space) { return user }
    return try file?.defaultUser(for: space)
  }

  /// The default users of some spaces of one host, in the order of the spaces, read at one moment.
  ///
  /// A request looks for several before it is sent: one look at the file is all that it can afford.
  ///
  /// - Throws: As ``defaultUser(for:)``.
  package func defaultUsers(
    of spaces: [ProtectionSpace], on host: Host
  ) throws(VaultError) -> [String] {
    try requireUnlocked()
    let permanent = try file?.defaults(on: host) ?? [:]
    let temporary = try session.defaults()
    return spaces.compactMap { temporary[$0] ?? permanent[$0] }
  }

  /// Makes one of a space's users its default, where that user's credential is kept; nil clears it.
  ///
  /// - Returns: What the policy granted: the choice is kept no more strongly than a credential of the space may be.
  /// - Throws: ``VaultError/Code/itemNotFound`` if the space has no such user; ``VaultError/Code/policyRefused``.
  @discardableResult
  public func setDefaultUser(
    _ user: String?, for space: ProtectionSpace
  ) throws(VaultError) -> PersistencePolicy.Decision {
    guard let user else {
      try storing(file == nil ? .session : .permanent) { (enforcer) throws(VaultError) in
        try enforcer.chooseForGood(nil, for: space)
      }
      return PersistencePolicy.Decision(requested: .none)
    }
    let owner = try credentials(for: space).first { $0.user.utf8.elementsEqual(user.utf8) }
    guard let owner else {
      throw VaultError(.itemNotFound, "\(space) has no credential of this user")
    }
    return try storing(owner.persistence) { (enforcer) throws(VaultError) in
      try enforcer.setDefaultUser(user, for: space, requested: owner.persistence)
    }
  }

  /// All defaults.
  ///
  /// - Throws: As ``defaultUser(for:)``.
  public func defaults() throws(VaultError) -> [ProtectionSpace: String] {
    try requireUnlocked()
    let permanent = try file?.defaults() ?? [:]
    return permanent.merging(try session.defaults()) { _, temporary in temporary }
  }
}
