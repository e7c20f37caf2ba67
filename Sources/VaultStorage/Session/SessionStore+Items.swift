package import VaultModel

extension SessionStore: CredentialStore {
  package func find(
    _ query: ItemQuery, secrets: Bool
  ) throws(VaultError) -> [InternetPassword] {
    // What an entry is worth is judged by the entry itself, whose deadline is no time of day.
    var query = query
    let includesExpired = query.includesExpired
    query.includesExpired = true
    return try withState { (state) throws(VaultError) in
      guard !state.isEmpty else { return [] }
      lazy var now = Moment(time)
      var found: [InternetPassword] = []
      var ranks: [Int] = []
      try state.visit(query) { (entry) throws(VaultError) in
        guard let rank = query.rank(of: entry.item),
          includesExpired || !entry.isExpired(at: now)
        else { return }
        found.append(secrets ? try state.opened(entry, at: now) : entry.item(at: now))
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
    item.persistence = .session
    return try withState { (state) throws(VaultError) in
      try state.requireUnique(item.key, except: nil)
      let now = Moment(time)
      item.created = now.day
      item.modified = now.day
      item.secretChanged = now.day
      item.revision = state.nextRevision()
      state.insert(state.sealed(item, at: now))
      return item
    }
  }

  package func modify(
    _ id: ItemID, hint: InternetPassword.Key, _ changes: [ItemChange],
    place: (InternetPassword) throws(VaultError) -> Placement
  ) throws(VaultError) -> Modified {
    try withState { (state) throws(VaultError) in
      let now = Moment(time)
      let entry = try state.entry(id, hint: hint)
      let old = try state.unsealed(entry, at: now)
      var item = old
      guard item.apply(changes) else { return Modified(item: old.withoutSecrets, isHere: true) }
      try item.validate()
      item.modified = max(now.day, item.modified)
      if !item.hasSameSecret(as: old) { item.secretChanged = now.day }
      guard case .here(let end) = try place(item.withoutSecrets) else {
        return Modified(item: item, isHere: false)
      }
      if item.key != entry.item.key { try state.requireUnique(item.key, except: id) }
      item.keptUntil = end
      item.revision = state.nextRevision()
      state.remove(entry.item)
      state.insert(state.sealed(item, at: now))
      return Modified(item: item.withoutSecrets, isHere: true)
    }
  }

  package func delete(_ id: ItemID, hint: InternetPassword.Key) throws(VaultError) {
    try withState { (state) throws(VaultError) in
      state.remove(try state.entry(id, hint: hint).item)
    }
  }

  package func take(
    _ id: ItemID, hint: InternetPassword.Key
  ) throws(VaultError) -> InternetPassword {
    try withState { (state) throws(VaultError) in
      let entry = try state.entry(id, hint: hint)
      let item = try state.unsealed(entry, at: Moment(time))
      state.remove(entry.item)
      return item
    }
  }

  @discardableResult
  package func put(_ item: InternetPassword) throws(VaultError) -> InternetPassword {
    var item = item
    try item.validate()
    item.persistence = .session
    return try withState { (state) throws(VaultError) in
      try state.requireUnique(item.key, except: nil)
      item.revision = state.nextRevision()
      state.insert(state.sealed(item, at: Moment(time)))
      return item.withoutSecrets
    }
  }

  package func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    try withState { state in state.defaults[space] }
  }

  package func setDefaultUser(
    _ user: String?, for space: ProtectionSpace
  ) throws(VaultError) {
    try withState { state in state.defaults[space] = user }
  }

  package func defaults() throws(VaultError) -> [ProtectionSpace: String] {
    try withState { state in state.defaults }
  }
}
