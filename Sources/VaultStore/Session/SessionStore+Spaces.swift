package import VaultModel

/// The most frequent requests of networking code: the users and credentials of one space, at the
/// cost of a dictionary lookup.
extension SessionStore {
  /// Returns the users of a space here, the best first, without opening a secret.
  package func users(of space: ProtectionSpace) throws(VaultError) -> [String] {
    try withState { state in
      let entries = state.entries(of: space, time)
      var users: [String] = []
      users.reserveCapacity(entries.count)
      // By index and key: copying each entry or item would cost as much as finding it.
      for index in entries.indices { users.append(entries[index].item.key.account) }
      return users
    }
  }

  /// Returns the unexpired credentials of a space here, the best first.
  package func credentials(of space: ProtectionSpace) throws(VaultError) -> [Credential] {
    try withState { (state) throws(VaultError) in
      let entries = state.entries(of: space, time)
      var credentials: [Credential] = []
      credentials.reserveCapacity(entries.count)
      for index in entries.indices where !entries[index].item.needsPIN {
        let secret = try state.open(
          secret: entries[index].sealedSecret, of: entries[index].item.id)
        credentials.append(
          Credential(
            user: entries[index].item.key.account, secret: secret, persistence: .session,
            accountDomain: entries[index].accountDomain))
      }
      return credentials
    }
  }
}

extension SessionStore.State {
  /// Returns the entries that answer a space and have not expired, in the order of ``ItemQuery``.
  fileprivate func entries(of space: ProtectionSpace, _ time: TimeSource) -> [Entry] {
    let group = groups[SpaceOfAnyMethod(space)] ?? []
    guard !group.isEmpty || !pending.isEmpty else { return [] }
    // The common case is one entry with exactly this method, kept without end: it needs neither
    // ranking nor a clock.
    if pending.isEmpty, group.count == 1, group[0].item.expires == nil, group[0].deadline == nil,
      group[0].item.key.authenticationMethod == space.authenticationMethod
    {
      return group
    }
    let query = ItemQuery(space)
    lazy var now = Moment(time)
    var ranked =
      pending.isEmpty ? [] : pending(matching: query, includesExpired: false) { now }
    let hidden = ranked.map(\.entry.item.key)
    for entry in group {
      guard let rank = query.rank(of: entry.item),
        !entry.item.mayExpire || !entry.isExpired(at: now), !hidden.contains(entry.item.key)
      else { continue }
      ranked.append((rank, entry))
    }
    ranked.sort { ItemQuery.precedes(($0.rank, $0.entry.item), ($1.rank, $1.entry.item)) }
    return ranked.map(\.entry)
  }
}
