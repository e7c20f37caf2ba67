import SecureMemory
import VaultFile
public import VaultModel
import VaultSession

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
    try requireUnlocked()
    let temporary = try session.credentials(of: space)
    let permanent = try file?.find(ItemQuery(space), secrets: true) ?? []
    // An item that the store found expired has no secret, even if the clock, read again here, says
    // otherwise.
    let open = valid(permanent).compactMap { $0.secret == nil ? nil : $0.credential }
    let all = Self.unique(temporary, open, by: \.user)
    if all.isEmpty { try requireNone(permanent, in: space) }
    return all
  }

  /// Returns the users that have a credential in a space, in the order of ``credentials(for:)``; no
  /// secret is opened.
  ///
  /// - Throws: As ``credentials(for:)``.
  public func users(for space: ProtectionSpace) throws(VaultError) -> [String] {
    try requireUnlocked()
    let temporary = try session.users(of: space)
    let permanent = try file?.find(ItemQuery(space), secrets: false) ?? []
    let all = Self.unique(temporary, valid(permanent).map(\.account), by: \.self)
    if all.isEmpty { try requireNone(permanent, in: space) }
    return all
  }

  func valid(_ items: [InternetPassword]) -> [InternetPassword] {
    guard items.contains(where: \.mayExpire) else { return items }
    let now = time.now()
    return items.filter { !$0.isExpired(at: now) }
  }

  /// Throws an error if a space has only credentials that have expired or need a PIN, including the
  /// file's, rather than none.
  private func requireNone(
    _ permanent: [InternetPassword], in space: ProtectionSpace, at requestPath: RequestPath? = nil
  ) throws(VaultError) {
    let all =
      try session.find(ItemQuery(space, at: requestPath), secrets: false) + permanent
    if let sealed = valid(all).first(where: \.needsPIN) {
      throw VaultError(
        .pinRequired, "the credential of \(space) needs a PIN", candidates: [sealed])
    }
    guard all.isEmpty else {
      throw VaultError(.expired, "only expired credentials of \(space)", candidates: all)
    }
  }

  /// Returns the first element of each user; users compare on bytes.
  private static func unique<T>(
    _ first: [T], _ rest: [T] = [], by user: (T) -> String
  ) -> [T] {
    // Joining makes a new array, which costs a good part of a lookup.
    let all = first.isEmpty ? rest : rest.isEmpty ? first : first + rest
    guard all.count > 1 else { return all }
    var users: Set<[UInt8]> = []
    return all.filter { users.insert(Array(user($0).utf8)).inserted }
  }

  /// Returns the credential to use when none is chosen: the default user's, else that of the only
  /// user.
  ///
  /// - Returns: Nil if the space has no credential, or several and no default.
  /// - Throws: As ``credentials(for:)``.
  public func defaultCredential(for space: ProtectionSpace) throws(VaultError) -> Credential? {
    try defaultItem(for: space, secrets: true)?.credential
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
  ///   - secrets: Whether its secret is opened too.
  /// - Returns: Nil if the space has no credential, or several and no default.
  /// - Throws: As ``credentials(for:)``.
  public func defaultItem(
    for space: ProtectionSpace, at requestPath: RequestPath? = nil, secrets: Bool = false
  ) throws(VaultError) -> InternetPassword? {
    try requireUnlocked()
    // Read before the items: a user is made the default when its item exists.
    let preferred = try session.defaultUser(for: space)
    var query = ItemQuery(space, at: requestPath)
    query.includesExpired = false
    var temporary = try session.find(query, secrets: secrets)
      .filter { !secrets || $0.secret != nil }
    let permanent = try file?.items(of: space, secrets: secrets)
    var known = permanent?.items ?? []
    if let requestPath { known.removeAll { requestPath.depth(of: $0.path) == nil } }
    var open = valid(known).filter { !secrets || $0.secret != nil }
    if let requestPath {
      let longest = (temporary + open).compactMap { requestPath.depth(of: $0.path) }.max()
      temporary.removeAll { requestPath.depth(of: $0.path) != longest }
      open.removeAll { requestPath.depth(of: $0.path) != longest }
    }
    let all = Self.unique(temporary, open, by: \.account)
    if all.isEmpty { try requireNone(known, in: space, at: requestPath) }
    // A default is a reference, and its user may have been removed since.
    if let preferred, let chosen = all.first(where: { $0.isOf(preferred) }) { return chosen }
    if let user = permanent?.defaultUser, let chosen = all.first(where: { $0.isOf(user) }) {
      return chosen
    }
    return all.count == 1 ? all.first : nil
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
  ///   - isAccepted: Whether a server has accepted it. If a rule requires that and it is false, the
  ///     credential is pending.
  /// - Returns: The item that keeps it, and what the policy granted.
  /// - Throws: As ``add(_:persistence:isAccepted:)`` and ``modify(_:_:ifRevision:isAccepted:)``.
  @discardableResult
  public func set(
    _ credential: Credential, for space: ProtectionSpace, at requestPath: RequestPath? = nil,
    isAccepted: Bool = false
  ) throws(VaultError) -> StoreResult {
    try storing(credential.persistence) { (gate) throws(VaultError) in
      try gate.set(
        InternetPassword(credential, in: space), at: requestPath,
        requested: credential.persistence, isAccepted: isAccepted)
    }
  }

  /// Stores a credential and makes its user the default of the space, each as the policy grants.
  ///
  /// - Returns: As ``set(_:for:at:isAccepted:)``.
  /// - Throws: As ``set(_:for:at:isAccepted:)``.
  @discardableResult
  public func setDefaultCredential(
    _ credential: Credential, for space: ProtectionSpace, isAccepted: Bool = false
  ) throws(VaultError) -> StoreResult {
    try storing(credential.persistence) { (gate) throws(VaultError) in
      let stored = try gate.set(
        InternetPassword(credential, in: space), at: nil, requested: credential.persistence,
        isAccepted: isAccepted)
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
  ///   - isForGood: Whether they do not go to the trash.
  /// - Throws: ``VaultError/Code/itemNotFound`` if neither had it.
  public func remove(
    user: String, for space: ProtectionSpace, isForGood: Bool = false
  ) throws(VaultError) {
    _ = try removeAll(of: user, in: space, isForGood: isForGood)
  }

  /// Removes a user's items and returns them as they were.
  func removeAll(
    of user: String, in space: ProtectionSpace, isForGood: Bool
  ) throws(VaultError) -> [InternetPassword] {
    try requireUnlocked()
    let query = ItemQuery(space)
    // The file is not written if no item of it matches.
    let isPermanent = try file?.find(query, secrets: false).contains { $0.isOf(user) } ?? false
    return try storing(isPermanent ? .permanent : .session) { (gate) throws(VaultError) in
      try gate.removeAll(of: user, query, isForGood: isForGood)
    }
  }

  /// Returns all credentials but those that need a PIN, grouped by space.
  ///
  /// Items that name no server belong to no space and are not included.
  ///
  /// - Throws: As ``credentials(for:)``.
  public func allCredentials() throws(VaultError) -> [ProtectionSpace: [Credential]] {
    try requireUnlocked()
    var query = ItemQuery()
    query.includesExpired = false
    let temporary = try Self.grouped(session.find(query, secrets: true))
    let permanent = try Self.grouped(file?.find(query, secrets: true) ?? [])
    return temporary.merging(permanent) { $0 + $1 }.mapValues { Self.unique($0, by: \.user) }
  }

  /// Returns the credentials of one store by their spaces, in the order of ``credentials(for:)``.
  private static func grouped(_ items: [InternetPassword]) -> [ProtectionSpace: [Credential]] {
    var groups: [ProtectionSpace: [InternetPassword]] = [:]
    for item in items where !item.needsPIN {
      if let space = item.space { groups[space, default: []].append(item) }
    }
    var credentials: [ProtectionSpace: [Credential]] = [:]
    for (space, items) in groups {
      let query = ItemQuery(space)
      var sorted = items
      ItemQuery.sort(&sorted, ranks: items.map { query.rank(of: $0) ?? 0 })
      credentials[space] = sorted.map(\.credential)
    }
    return credentials
  }
}

extension PolicyGate {
  fileprivate func removeAll(
    of user: String, _ query: ItemQuery, isForGood: Bool
  ) throws(VaultError) -> [InternetPassword] {
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
      try transaction?.remove(item.id, hint: item.key, isForGood: isForGood)
    }
    return all
  }
}

extension InternetPassword {
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

extension InternetPassword.Key {
  /// The space that the item is for, as messages name it.
  var subject: String {
    itemClass == .genericPassword
      ? "the service \"\(service.escaped)\"" : space?.description ?? "an item without a server"
  }
}
