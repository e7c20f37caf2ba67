import VaultStore
public import VaultModel

/// The default credential of a space: a reference to one of its users, never a copy.
extension Vault {
  /// Returns the default user of a space, the session's before the file's; nil if it has none.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    try reader().defaultUser(for: space)
  }

  /// Returns the default users of one host's spaces, in the order of the spaces, without those that
  /// have none.
  ///
  /// One read of the file serves all of them, because this is called before every request.
  ///
  /// - Throws: As ``defaultUser(for:)``.
  package func defaultUsers(
    for spaces: [ProtectionSpace], of host: HostName
  ) throws(VaultError) -> [String] {
    try requireUnlocked()
    var users: [String?] = []
    for space in spaces { users.append(try session.defaultUser(for: space)) }
    if users.contains(nil), let file {
      let permanent = try file.defaultUsers(for: spaces, of: host)
      users = zip(users, permanent).map { temporary, permanent in temporary ?? permanent }
    }
    return users.compactMap(\.self)
  }

  /// Sets the default user of a space, where that user's credential is kept; nil clears it.
  ///
  /// - Returns: The policy's decision: the default is kept no more strongly than a credential of
  ///   the space may be.
  /// - Throws: ``VaultError/Code/itemNotFound`` if the space has no such user;
  ///   ``VaultError/Code/policyRefused``.
  @discardableResult
  public func setDefaultUser(
    _ user: String?, for space: ProtectionSpace
  ) throws(VaultError) -> PersistencePolicy.Decision {
    guard let user else {
      try storing(file == nil ? .session : .permanent) { (gate) throws(VaultError) in
        try gate.setPermanentDefault(nil, for: space)
      }
      return PersistencePolicy.Decision(requested: .none)
    }
    let owner = try credentials(for: space).first { $0.user.utf8.elementsEqual(user.utf8) }
    guard let owner else {
      throw VaultError(.itemNotFound, "\(space) has no credential of this user")
    }
    return try storing(owner.persistence) { (gate) throws(VaultError) in
      try gate.setDefaultUser(user, for: space, requested: owner.persistence)
    }
  }

  /// Returns the default users of all spaces.
  ///
  /// - Throws: As ``defaultUser(for:)``.
  public func defaults() throws(VaultError) -> [ProtectionSpace: String] {
    try reader().defaults()
  }
}
