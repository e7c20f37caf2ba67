package import VaultModel

/// What networking code asks most: the users and credentials of one space, for the price of a
/// dictionary's lookup.
extension SessionStore {
  /// The users that a space has here, the best first; no secret is opened.
  package func users(of space: ProtectionSpace) throws(VaultError) -> [String] {
    try withState { state in
      let entries = state.entries(of: space, time)
      var users: [String] = []
      users.reserveCapacity(entries.count)
      // By index and by the key: a copy of each entry or item would cost as much as finding it.
      for index in entries.indices { users.append(entries[index].item.key.account) }
      return users
    }
  }

  /// The credentials that a space has here, the best first; expired ones are not among them.
  package func credentials(of space: ProtectionSpace) throws(VaultError) -> [Credential] {
    try withState { (state) throws(VaultError) in
      let entries = state.entries(of: space, time)
      var credentials: [Credential] = []
      credentials.reserveCapacity(entries.count)
      for index in entries.indices {
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
  /// The entries that answer a space and have not expired, in the order of ``ItemQuery``.
  fileprivate func entries(of space: ProtectionSpace, _ time: TimeSource) -> [Entry] {
    let group = groups[space.withoutMethod] ?? []
    guard !group.isEmpty || !pending.isEmpty else { return [] }
    // One entry with the very method that is kept without end is the common case: it needs no ranking and no clock.
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
