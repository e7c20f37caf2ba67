import CredentialVault
import SecureMemory
import VaultModel

/// Git's `get`, and its `store` and `erase`, each in one transaction.
enum GitStore {
  /// Returns the item that answers, from the first vault that has one.
  static func answer(
    to pattern: GitPattern, in list: VaultList
  ) throws(VaultError) -> VaultList.Found? {
    try list.all { (vault) throws(VaultError) -> [Item] in
      let items = try vault.findAll(pattern.query, withSecrets: true)
      let answer = try pattern.answer(pattern.matches(items)) { item throws(VaultError) in
        try DefaultCommand.isDefault(item) { space throws(VaultError) in
          try vault.defaultUser(for: space)
        }
      }
      return answer.map { [$0] } ?? []
    }.first
  }

  /// Returns the expired item that would answer if its secret were renewed, and the token for that,
  /// from the first vault that has one.
  static func renewable(
    by pattern: GitPattern, in list: VaultList
  ) throws(VaultError) -> (item: Item, token: Secret)? {
    var query = pattern.query
    query.hasRefreshToken = .equals(true)
    for vault in list.vaults {
      let items = pattern.matches(try vault.findAll(query)).filter { !$0.isNegative }
      let item = try pattern.answer(items) { item throws(VaultError) in
        try DefaultCommand.isDefault(item) { space throws(VaultError) in
          try vault.defaultUser(for: space)
        }
      }
      guard let item, let token = try vault.refreshToken(of: item) else { continue }
      return (item, token)
    }
    return nil
  }

  /// Stores a credential that a server accepted in the default vault, unless it is the one that
  /// another vault of the list gave to Git.
  ///
  /// - Returns: The result; nil if nothing had to be stored.
  /// - Throws: As for one vault; ``VaultError/Code/readOnly`` if no vault of the list may be
  ///   written.
  static func store(
    _ request: GitRequest, _ pattern: GitPattern, _ secret: Secret, in list: VaultList
  ) throws(VaultError) -> StoreResult? {
    if let found = try given(pattern, list), !list.isDefault(found.vault),
      found.item.secret?.isEqual(to: secret) ?? false
    {
      return nil
    }
    return try store(request, pattern, secret, in: list.defaultVault)
  }

  /// Removes a credential that a server refused from the vault that gave it to Git, else from the
  /// default one.
  ///
  /// - Throws: ``VaultError/Code/readOnly``, naming the vault, if that one is only read.
  static func erase(
    _ request: GitRequest, _ pattern: GitPattern, in list: VaultList
  ) throws(VaultError) {
    guard let found = try given(pattern, list), !list.isDefault(found.vault),
      isRefused(found.item, request)
    else { return try erase(request, pattern, in: list.defaultVault) }
    try erase(request, pattern, in: found.vault)
  }

  /// Returns the item that `get` returns for the same lines; nil for one vault, which is looked in
  /// as it is changed.
  private static func given(
    _ pattern: GitPattern, _ list: VaultList
  ) throws(VaultError) -> VaultList.Found? {
    guard list.namesVaults else { return nil }
    var pattern = pattern
    pattern.excludesExpired()
    return try answer(to: pattern, in: list)
  }

  /// Stores a credential that a server accepted: changes the item that Git says it was given, or
  /// the one with exactly this path, or the one that was given to Git before, or adds one.
  ///
  /// The same lines choose the same item, so this finds the item that `get` returned. An identical
  /// credential changes nothing, so nothing is written. A new secret also replaces the old one's
  /// expiry and refresh token.
  ///
  /// - Returns: The result; nil if nothing had to be stored.
  /// - Throws: ``VaultError/Code/policyRefused`` if the policy does not allow permanent storage, or
  ///   no longer does, and nothing is changed.
  static func store(
    _ request: GitRequest, _ pattern: GitPattern, _ secret: Secret, in vault: Vault
  ) throws(VaultError) -> StoreResult? {
    if let given = try answer(to: pattern, in: VaultList([vault]))?.item,
      given.persistence == .session, !given.isNegative
    {
      let changes = changes(of: given, request, secret)
      guard !changes.isEmpty else { return nil }
      return try vault.modify(given, changes, afterAcceptance: true).kept(in: vault)
    }
    // Most of what Git stores is there already: then the file is only read.
    let known = try old(pattern) { query throws(VaultError) in
      try vault.findAll(query, withSecrets: true)
    } isDefault: { item throws(VaultError) in
      try DefaultCommand.isDefault(item) { space throws(VaultError) in
        try vault.defaultUser(for: space)
      }
    }
    if let known, needed(of: known, request, secret).isEmpty { return nil }
    return try vault.writing { transaction throws(VaultError) -> StoreResult? in
      let old = try old(pattern) { query throws(VaultError) in
        try transaction.findAll(query, withSecrets: true)
      } isDefault: { item throws(VaultError) in
        try DefaultCommand.isDefault(item) { space throws(VaultError) in
          try transaction.defaultUser(for: space)
        }
      }
      guard let old else {
        return try transaction.add(newItem(request, pattern, secret), afterAcceptance: true)
          .kept(in: vault)
      }
      let changes = needed(of: old, request, secret)
      guard !changes.isEmpty else { return nil }
      return try transaction.modify(old, changes, afterAcceptance: true)
        .kept(in: vault, at: transaction.now)
    }
  }

  /// Returns the item that a credential is stored in; nil if it becomes a new one.
  private static func old(
    _ pattern: GitPattern, _ find: (ItemQuery) throws(VaultError) -> [Item],
    isDefault: (Item) throws(VaultError) -> Bool
  ) throws(VaultError) -> Item? {
    let matches = pattern.matches(try find(pattern.query))
    if let given = pattern.given(in: matches) { return given }
    let literal = pattern.literal(pattern.inBestRealm(matches))
    if let item = try pattern.answer(literal, isDefault: isDefault) { return item }
    var valid = pattern
    valid.excludesExpired()
    return try valid.answer(valid.matches(find(valid.query)), isDefault: isDefault)
  }

  /// Returns what storing a credential changes in an item.
  private static func needed(
    of old: Item, _ request: GitRequest, _ secret: Secret
  ) -> [ItemChange] {
    // A negative item means that this password is not to be stored.
    old.isNegative ? [] : changes(of: old, request, secret)
  }

  /// Removes a credential that a server refused: of the items with exactly this path and the one
  /// that was given to Git before, those that have the password.
  ///
  /// Without a password, all items with exactly this path are removed, or if there are none the one
  /// that was given; the session's, if that was given, and nothing that it hides.
  static func erase(
    _ request: GitRequest, _ pattern: GitPattern, in vault: Vault
  ) throws(VaultError) {
    if let temporary = try answer(to: pattern, in: VaultList([vault]))?.item,
      temporary.persistence == .session
    {
      do throws(VaultError) {
        if isRefused(temporary, request) { try vault.remove(temporary) }
      } catch {
        // Another process, which was refused as well, may have removed it since.
        guard error.code == .itemNotFound else { throw error }
      }
      guard request.secret != nil else { return }
    }
    try vault.writing { transaction throws(VaultError) in
      let items = try transaction.findAll(pattern.query, withSecrets: request.secret != nil)
      var refused = pattern.literal(pattern.matches(items))
      if request.secret != nil || refused.isEmpty,
        let given = try given(pattern, transaction), !refused.contains(where: { $0.id == given.id })
      {
        refused.append(given)
      }
      for item in refused where isRefused(item, request) { try transaction.remove(item) }
    }
  }

  /// Returns whether an item has the password that a request names, if it names one.
  private static func isRefused(_ item: Item, _ request: GitRequest) -> Bool {
    request.secret.map { item.secret?.isEqual(to: $0) ?? false } ?? true
  }

  /// Returns the item that `get` returns for the same lines.
  private static func given(
    _ pattern: GitPattern, _ transaction: borrowing Vault.Writer
  ) throws(VaultError) -> Item? {
    var pattern = pattern
    pattern.excludesExpired()
    let items = try transaction.findAll(pattern.query, withSecrets: true)
    return try answer(pattern.matches(items), pattern, transaction)
  }

  private static func answer(
    _ items: [Item], _ pattern: GitPattern, _ transaction: borrowing Vault.Writer
  ) throws(VaultError) -> Item? {
    try pattern.answer(items) { item throws(VaultError) in
      try DefaultCommand.isDefault(item) { space throws(VaultError) in
        try transaction.defaultUser(for: space)
      }
    }
  }

  static func changes(
    of old: Item, _ request: GitRequest, _ secret: Secret
  ) -> [ItemChange] {
    var changes: [ItemChange] = []
    let isNew = old.secret.map { !$0.isEqual(to: secret) } ?? true
    if isNew { changes.append(.secret(secret)) }
    // Git sends back the expiry that it was given, which can be the policy's and not the item's
    // own.
    let isEcho = !isNew && request.passwordExpiry == GitAnswer.expiry(of: old)
    if request.passwordExpiry != old.expires, isNew || request.passwordExpiry != nil, !isEcho {
      changes.append(.expires(request.passwordExpiry))
    }
    switch (request.refreshToken, old.refreshToken) {
    case (let new?, let token?):
      if !new.isEqual(to: token) { changes.append(.refreshToken(new)) }
    case (let new?, nil): changes.append(.refreshToken(new))
    case (nil, .some):
      if isNew { changes.append(.refreshToken(nil)) }
    case (nil, nil):
      // An expired item hides the token with the secret.
      if old.secret == nil { changes.append(.refreshToken(nil)) }
    }
    return changes
  }

  private static func newItem(
    _ request: GitRequest, _ pattern: GitPattern, _ secret: Secret
  ) -> Item {
    let realms = request.isForToken ? pattern.tokenRealms : pattern.realms
    var item = Item(
      server: pattern.server, account: request.username ?? "", secret: secret,
      protocol: pattern.networkProtocol, port: pattern.port, realm: realms.first ?? "",
      path: pattern.path, authenticationMethod: request.isForToken ? .bearer : .default)
    if request.isForToken { item.secretKind = .token }
    item.origin = "git"
    item.expires = request.passwordExpiry
    item.refreshToken = request.refreshToken
    return item
  }
}
