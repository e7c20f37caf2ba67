import SecureMemory
public import VaultModel
import VaultStorage

/// What networking code asks: the credentials of a protection space.
extension Vault {
  /// The credentials of a space, the best first; the session's entry of a user hides the file's.
  ///
  /// Expired ones are not among them. A stored method `default` answers any password method, below
  /// an exact one, and an unset port the protocol's default, below the literal one.
  ///
  /// - Returns: One for each user; none if there are none.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func credentials(for space: ProtectionSpace) throws(VaultError) -> [Credential] {
    try requireUnlocked()
    let temporary = try session.credentials(of: space)
    guard let file else { return Self.unique(temporary, by: \.user) }
    let permanent = try file.find(Self.query(space), secrets: true).map(\.credential)
    return Self.unique(temporary + permanent, by: \.user)
  }

  /// The users that have a credential in a space, in the order of ``credentials(for:)``; no secret
  /// is opened.
  ///
  /// - Throws: As ``credentials(for:)``.
  public func users(for space: ProtectionSpace) throws(VaultError) -> [String] {
    try requireUnlocked()
    let temporary = try session.users(of: space)
    guard let file else { return Self.unique(temporary, by: \.self) }
    let permanent = try file.find(Self.query(space), secrets: false).map(\.account)
    return Self.unique(temporary + permanent, by: \.self)
  }

  private static func query(_ space: ProtectionSpace) -> ItemQuery {
    var query = ItemQuery(space)
    query.includesExpired = false
    return query
  }

  /// The first of each user's; users compare on bytes.
  private static func unique<T>(_ all: [T], by user: (T) -> String) -> [T] {
    guard all.count > 1 else { return all }
    var users: Set<[UInt8]> = []
    return all.filter { users.insert(Array(user($0).utf8)).inserted }
  }

  /// The credential that is used when none is chosen: the default user's, else that of the only user.
  ///
  /// - Returns: Nil if the space has no credential, or several and no default.
  /// - Throws: As ``credentials(for:)``.
  public func defaultCredential(for space: ProtectionSpace) throws(VaultError) -> Credential? {
    let all = try credentials(for: space)
    // A default is a reference, and the user may be gone since.
    if let user = try session.defaultUser(for: space), let chosen = Self.first(of: user, in: all) {
      return chosen
    }
    if let user = try file?.defaultUser(for: space), let chosen = Self.first(of: user, in: all) {
      return chosen
    }
    return all.count == 1 ? all.first : nil
  }

  private static func first(of user: String, in all: [Credential]) -> Credential? {
    all.first { $0.user.utf8.elementsEqual(user.utf8) }
  }

  /// Stores a credential as strongly as its persistence says, or changes the one of the same user there.
  ///
  /// `none` stores nothing. Storing for the session leaves a permanent credential as it is and hides it.
  ///
  /// - Throws: As ``add(_:persistence:)`` and ``modify(_:_:)``.
  public func set(
    _ credential: Credential, for space: ProtectionSpace
  ) throws(VaultError) {
    try requireUnlocked()
    switch credential.persistence {
    case .none: return
    case .session: try Self.set(credential, for: space, in: session)
    case .permanent:
      _ = try requireFile().write { (transaction) throws(VaultError) in
        try Self.set(credential, for: space, in: transaction)
      }
    }
  }

  /// Stores a credential and makes its user the default of the space.
  ///
  /// - Throws: As ``set(_:for:)``.
  public func setDefaultCredential(
    _ credential: Credential, for space: ProtectionSpace
  ) throws(VaultError) {
    try requireUnlocked()
    switch credential.persistence {
    case .none: return
    case .session:
      try Self.set(credential, for: space, in: session)
      try session.setDefaultUser(credential.user, for: space)
    case .permanent:
      try requireFile().write { (transaction) throws(VaultError) in
        try Self.set(credential, for: space, in: transaction)
        try transaction.setDefaultUser(credential.user, for: space)
      }
      try session.setDefaultUser(nil, for: space)
    }
  }

  /// Removes a user's credentials from the session and from the file, whatever their paths.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if neither had it.
  public func remove(user: String, for space: ProtectionSpace) throws(VaultError) {
    let all = try items(for: space, secrets: false)
      .filter { $0.account.utf8.elementsEqual(user.utf8) }
    guard !all.isEmpty else {
      throw VaultError(.itemNotFound, "\(space) has no credential of this user")
    }
    for item in all where item.persistence == .session { try delete(item) }
    let permanent = all.filter { $0.persistence == .permanent }
    guard !permanent.isEmpty else { return }
    try requireFile().write { (transaction) throws(VaultError) in
      for item in permanent { try transaction.delete(item.id, hint: item.key) }
    }
  }

  /// Every credential by its space.
  ///
  /// Items that name no server belong to no space and are not among them.
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

  /// The credentials of one store by their spaces, in the order of ``credentials(for:)``.
  private static func grouped(_ items: [InternetPassword]) -> [ProtectionSpace: [Credential]] {
    var groups: [ProtectionSpace: [InternetPassword]] = [:]
    for item in items {
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

  // MARK: Items of a space

  /// The session's items of a space, then the file's, shadowed and expired ones too.
  func items(
    for space: ProtectionSpace, secrets: Bool
  ) throws(VaultError) -> [InternetPassword] {
    try requireUnlocked()
    let query = ItemQuery(space)
    return try session.find(query, secrets: secrets) + (file?.find(query, secrets: secrets) ?? [])
  }

  private static func query(_ credential: Credential, _ space: ProtectionSpace) -> ItemQuery {
    var query = ItemQuery(space)
    query.account = credential.user.isEmpty ? .unset : .equals(credential.user)
    query.limit = 1
    return query
  }

  private static func changes(
    _ credential: Credential, of known: InternetPassword
  ) -> [ItemChange] {
    var changes: [ItemChange] = [
      .secret(credential.secret), .accountDomain(credential.accountDomain),
    ]
    // What expired was the old secret; the new one would never be found.
    if known.isExpired(at: .now()) { changes.append(.expires(nil)) }
    return changes
  }

  private static func item(
    _ credential: Credential, _ space: ProtectionSpace
  ) -> InternetPassword {
    var item = InternetPassword(
      space: space, account: credential.user, secret: credential.secret)
    item.accountDomain = credential.accountDomain
    return item
  }

  private static func set(
    _ credential: Credential, for space: ProtectionSpace, in transaction: FileTransaction
  ) throws(VaultError) {
    if let known = try transaction.find(query(credential, space)).first {
      _ = try transaction.modify(known.id, hint: known.key, changes(credential, of: known))
    } else {
      _ = try transaction.add(item(credential, space))
    }
  }

  private static func set(
    _ credential: Credential, for space: ProtectionSpace, in session: SessionStore
  ) throws(VaultError) {
    if let known = try session.find(query(credential, space), secrets: false).first {
      _ = try session.modify(known.id, hint: known.key, changes(credential, of: known))
    } else {
      _ = try session.add(item(credential, space))
    }
  }
}

extension InternetPassword {
  var credential: Credential {
    Credential(
      user: account, secret: secret ?? Secret(""), persistence: persistence,
      accountDomain: accountDomain)
  }
}
