import SecureMemory
import VaultCrypto
package import VaultModel

extension SessionStore: CredentialStore {
  package func find(
    _ query: ItemQuery, secrets: Bool
  ) throws(VaultError) -> [InternetPassword] {
    try withState { (state) throws(VaultError) in
      guard !state.isEmpty else { return [] }
      var found: [InternetPassword] = []
      var ranks: [Int] = []
      try state.visit(query) { (entry) throws(VaultError) in
        guard let rank = query.rank(of: entry.item) else { return }
        found.append(secrets ? try state.opened(entry) : entry.item)
        ranks.append(rank)
      }
      ItemQuery.sort(&found, ranks: ranks)
      query.applyLimit(to: &found)
      return found
    }
  }

  package func add(_ item: InternetPassword) throws(VaultError) -> InternetPassword {
    var item = item
    try item.validate()
    item.applyDefaultLabel()
    if item.revision > 0 { item.id = ItemID() }
    item.created = .now()
    item.modified = item.created
    item.persistence = .session
    return try change { (state) throws(VaultError) in
      try state.requireUnique(item.key, except: nil)
      state.revision += 1
      item.revision = state.revision
      state.insert(state.sealed(item))
      events.post(.added(VaultEvent.Subject(item)))
      return item
    }
  }

  package func modify(
    _ id: ItemID, hint: InternetPassword.Key, _ changes: [ItemChange]
  ) throws(VaultError) -> InternetPassword {
    try change { (state) throws(VaultError) in
      let entry = try state.entry(id)
      var item = try state.opened(entry)
      guard item.apply(changes) else { return entry.item }
      try item.validate()
      if item.key != entry.item.key { try state.requireUnique(item.key, except: id) }
      state.revision += 1
      item.revision = state.revision
      item.modified = max(.now(), item.modified)
      state.remove(entry.item)
      state.insert(state.sealed(item))
      events.post(.modified(VaultEvent.Subject(item)))
      return item.withoutSecrets
    }
  }

  package func delete(_ id: ItemID, hint: InternetPassword.Key) throws(VaultError) {
    try change { (state) throws(VaultError) in
      let item = try state.entry(id).item
      state.remove(item)
      events.post(.removed(VaultEvent.Subject(item)))
    }
  }

  package func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    try withState { state in state.defaults[space] }
  }

  package func setDefaultUser(
    _ user: String?, for space: ProtectionSpace
  ) throws(VaultError) {
    try change { state in
      guard !state.isDefault(user, of: space) else { return }
      state.defaults[space] = user
      events.post(.defaultChanged(space))
    }
  }

  package func defaults() throws(VaultError) -> [ProtectionSpace: String] {
    try withState { state in state.defaults }
  }
}

extension SessionStore.State {
  typealias Entry = SessionStore.Entry

  var isEmpty: Bool { groups.isEmpty && loose.isEmpty }

  /// The space that an item answers, whatever its method, or nil.
  private static func space(of key: InternetPassword.Key) -> ProtectionSpace? {
    do throws(VaultError) {
      return try ProtectionSpace(
        host: key.server, port: key.port, protocol: key.protocol, realm: key.realm,
        authenticationMethod: .default)
    } catch {
      return nil
    }
  }

  /// Visits the entries that may match: one group if the query names a space, else all.
  func visit(
    _ query: ItemQuery, _ body: (Entry) throws(VaultError) -> Void
  ) throws(VaultError) {
    guard !query.includesSubdomains, let server = query.server.value(unset: .unset),
      let `protocol` = query.protocol.value(unset: .unset),
      let port = query.port.value(unset: 0), let realm = query.realm.value(unset: ""),
      let space = Self.space(
        of: InternetPassword.Key(realm: realm, server: server, protocol: `protocol`, port: port))
    else {
      for group in groups.values { for entry in group { try body(entry) } }
      for entry in loose { try body(entry) }
      return
    }
    for entry in groups[space] ?? [] { try body(entry) }
  }

  func entry(_ id: ItemID) throws(VaultError) -> Entry {
    for group in groups.values {
      if let entry = group.first(where: { $0.item.id == id }) { return entry }
    }
    guard let entry = loose.first(where: { $0.item.id == id }) else {
      throw VaultError(.itemNotFound, "no item has the id \(id)")
    }
    return entry
  }

  func requireUnique(_ key: InternetPassword.Key, except id: ItemID?) throws(VaultError) {
    let group = Self.space(of: key).map { groups[$0] ?? [] } ?? loose
    let other = group.first { $0.item.key == key && $0.item.id != id }
    guard let other else { return }
    throw VaultError(
      .duplicateItem, "an item with the same key exists already", candidates: [other.item])
  }

  mutating func insert(_ entry: Entry) {
    guard let space = Self.space(of: entry.item.key) else {
      loose.append(entry)
      return
    }
    groups[space, default: []].append(entry)
  }

  mutating func remove(_ item: InternetPassword) {
    guard let space = Self.space(of: item.key) else {
      loose.removeAll { $0.item.id == item.id }
      return
    }
    groups[space]?.removeAll { $0.item.id == item.id }
    if groups[space]?.isEmpty == true { groups[space] = nil }
  }

  func isDefault(_ user: String?, of space: ProtectionSpace) -> Bool {
    let present = defaults[space]
    guard let user, let present else { return user == present }
    return present.utf8.elementsEqual(user.utf8)
  }

  /// The events of forgetting everything.
  var removals: [VaultEvent] {
    let entries = groups.values.joined() + loose
    return entries.map { .removed(VaultEvent.Subject($0.item)) }
      + defaults.keys.map(VaultEvent.defaultChanged)
  }

  // MARK: Secrets

  mutating func sealed(_ item: InternetPassword) -> Entry {
    let keys = keys ?? EpochKeys(VaultKey(), ident: Ident(vaultID: VaultID(), epoch: 1))
    self.keys = keys
    var entry = Entry(item: item.withoutSecrets)
    if let secret = item.secret, secret.count > 0 {
      entry.sealedSecret = keys.seal(secret, use: .secret, item: item.id)
    }
    if let token = item.refreshToken {
      entry.sealedRefreshToken = keys.seal(token, use: .refreshToken, item: item.id)
    }
    return entry
  }

  func secret(of entry: Entry) throws(VaultError) -> Secret {
    guard let keys, !entry.sealedSecret.isEmpty else { return Secret("") }
    return try keys.open(entry.sealedSecret[...], use: .secret, item: entry.item.id)
  }

  func opened(_ entry: Entry) throws(VaultError) -> InternetPassword {
    var item = entry.item
    guard let keys else { return item }
    item.secret = try secret(of: entry)
    if !entry.sealedRefreshToken.isEmpty {
      item.refreshToken = try keys.open(
        entry.sealedRefreshToken[...], use: .refreshToken, item: item.id)
    }
    return item
  }
}
