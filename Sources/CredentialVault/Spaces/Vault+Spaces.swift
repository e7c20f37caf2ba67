import SecureMemory
import VaultStore
public import VaultModel

/// Lookups and changes of the credentials of a protection space, as networking code needs them.
extension Vault {
  /// Returns the credentials of a space, the best first; the session's entry of a user hides the
  /// file's.
  ///
  /// Expired ones are not included. A stored method `default` answers any password method, or
  /// `bearer` if the secret is a token, below an exact one; an unset port answers the protocol's
  /// default, below the literal one.
  ///
  /// - Returns: One for each user; none if there are none.
  /// - Throws: ``VaultError/Code/expired`` if the space has only expired ones;
  ///   ``VaultError/Code/pinRequired`` if it has only such as need a PIN;
  ///   ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func credentials(for space: ProtectionSpace) throws(VaultError) -> [Credential] {
    try reader().credentials(for: space)
  }

  /// Returns the users that have a credential in a space, in the order of ``credentials(for:)``; no
  /// secret is opened.
  ///
  /// - Throws: As ``credentials(for:)``.
  public func users(for space: ProtectionSpace) throws(VaultError) -> [String] {
    try reader().users(for: space)
  }

  /// Returns the credential to use when none is chosen: the default user's, else that of the only
  /// user.
  ///
  /// - Returns: Nil if the space has no credential, or several and no default.
  /// - Throws: As ``credentials(for:)``.
  public func defaultCredential(for space: ProtectionSpace) throws(VaultError) -> Credential? {
    try reader().defaultCredential(for: space)
  }

  /// Returns the item of the credential to use when none is chosen, as ``defaultCredential(for:)``
  /// does.
  ///
  /// The file's items of the space and its default there are read at the same moment.
  ///
  /// - Parameters:
  ///   - space: The space in which it is used.
  ///   - requestPath: The path that is requested, if known: then only users of the longest matching
  ///     path are considered.
  ///   - withSecrets: Whether its secret is opened too.
  /// - Returns: Nil if the space has no credential, or several and no default.
  /// - Throws: As ``credentials(for:)``.
  public func defaultItem(
    for space: ProtectionSpace, at requestPath: RequestPath? = nil, withSecrets: Bool = false
  ) throws(VaultError) -> Item? {
    try reader().defaultItem(for: space, at: requestPath, withSecrets: withSecrets)
  }

  /// Stores a credential as strongly as its persistence asks and the policy grants, or changes the
  /// one of the same user there.
  ///
  /// `none` stores nothing. Storing for the session leaves a permanent credential as it is and
  /// hides it.
  ///
  /// - Parameters:
  ///   - credential: The user and the secret.
  ///   - space: The space in which it is used; an item there may have its port unset, or its method
  ///     `default`.
  ///   - requestPath: The path that was requested, if known: then the credential that applies to
  ///     that path is changed. If it is unknown, the user's credential without a path is changed,
  ///     or the one with a path if only one path has any.
  ///   - afterAcceptance: Whether a server has accepted it. If a rule requires that and it is
  ///     false, the credential is pending.
  /// - Returns: The item that keeps it, and what the policy granted.
  /// - Throws: As ``add(_:persistence:afterAcceptance:)`` and
  ///   ``modify(_:_:ifRevision:afterAcceptance:removal:)``.
  @discardableResult
  public func set(
    _ credential: Credential, for space: ProtectionSpace, at requestPath: RequestPath? = nil,
    afterAcceptance: Bool = false
  ) throws(VaultError) -> StoreResult {
    try storing(credential.persistence) { (gate) throws(VaultError) in
      try gate.set(
        Item(credential, in: space), at: requestPath,
        requested: credential.persistence, afterAcceptance: afterAcceptance)
    }
  }

  /// Stores a credential and makes its user the default of the space, each as the policy grants.
  ///
  /// - Returns: As ``set(_:for:at:afterAcceptance:)``.
  /// - Throws: As ``set(_:for:at:afterAcceptance:)``.
  @discardableResult
  public func setDefaultCredential(
    _ credential: Credential, for space: ProtectionSpace, afterAcceptance: Bool = false
  ) throws(VaultError) -> StoreResult {
    try storing(credential.persistence) { (gate) throws(VaultError) in
      let stored = try gate.set(
        Item(credential, in: space), at: nil, requested: credential.persistence,
        afterAcceptance: afterAcceptance)
      if stored.item.persistence > .none {
        _ = try gate.setDefaultUser(
          credential.user, for: space, requested: stored.item.persistence)
      }
      return stored
    }
  }

  /// Removes a user's credentials from the session and from the file, whatever their paths.
  ///
  /// The file's go to the trash, because a person may have typed a credential that a server refused
  /// once.
  ///
  /// - Parameters:
  ///   - user: The user name.
  ///   - space: The space in which the credentials are used.
  ///   - removal: Whether they can be restored afterwards.
  /// - Throws: ``VaultError/Code/itemNotFound`` if neither had it.
  public func remove(
    user: String, for space: ProtectionSpace, removal: Removal = .recoverable
  ) throws(VaultError) {
    _ = try removeAll(of: user, in: space, removal: removal)
  }

  /// Removes a user's items and returns them as they were.
  func removeAll(
    of user: String, in space: ProtectionSpace, removal: Removal
  ) throws(VaultError) -> [Item] {
    try requireUnlocked()
    let query = ItemQuery(space)
    // The file is not written if no item of it matches.
    let isPermanent = try file?.find(query, withSecrets: false).contains { $0.isOf(user) } ?? false
    return try storing(isPermanent ? .permanent : .session) { (gate) throws(VaultError) in
      try gate.removeAll(of: user, query, removal: removal)
    }
  }

  /// Returns all credentials but those that need a PIN, grouped by space.
  ///
  /// Items that name no server belong to no space and are not included.
  ///
  /// - Throws: As ``credentials(for:)``.
  public func allCredentials() throws(VaultError) -> [ProtectionSpace: [Credential]] {
    try reader().allCredentials()
  }
}

extension PolicyGate {
  fileprivate func removeAll(
    of user: String, _ query: ItemQuery, removal: Removal
  ) throws(VaultError) -> [Item] {
    let pending = try session.own.pending(matching: query).filter { $0.isOf(user) }
    let temporary = try session.stored(query).filter { $0.isOf(user) }
    let permanent = try transaction?.find(query).filter { $0.isOf(user) } ?? []
    let all = pending + temporary + permanent
    guard !all.isEmpty else {
      throw VaultError(.itemNotFound, "the space has no credential of this user")
    }
    for item in pending { try dropPending(item.id) }
    for item in temporary { try removeFromSession(item) }
    for item in permanent {
      try transaction?.remove(item.id, hint: item.key, removal: removal)
    }
    return all
  }
}

extension Item {
  /// Creates the item that keeps a credential of a space.
  init(_ credential: Credential, in space: ProtectionSpace) {
    self.init(space: space, account: credential.user, secret: credential.secret)
    accountDomain = credential.accountDomain
    // A secret that answers Bearer is a token, whatever its owner called it.
    secretKind = space.authenticationMethod.isToken ? .token : credential.kind
  }

  var credential: Credential {
    var credential = Credential(
      user: account, secret: secret ?? Secret(""), persistence: persistence,
      accountDomain: accountDomain)
    credential.kind = authenticationMethod.isToken ? .token : secretKind
    return credential
  }
}

extension Item.Key {
  /// The space that the item is for, as messages name it.
  var subject: String {
    itemClass == .genericPassword
      ? "the service \"\(service.escaped)\"" : space?.description ?? "an item without a server"
  }
}
