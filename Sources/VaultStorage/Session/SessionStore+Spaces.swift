package import VaultModel

/// What networking code asks most: the users and credentials of one space, for the price of a
/// dictionary's lookup.
extension SessionStore {
  /// The users that a space has here, the best first; no secret is opened.
  package func users(of space: ProtectionSpace) throws(VaultError) -> [String] {
    try withState { state in state.entries(of: space).map(\.item.account) }
  }

  /// The credentials that a space has here, the best first; expired ones are not among them.
  package func credentials(of space: ProtectionSpace) throws(VaultError) -> [Credential] {
    try withState { (state) throws(VaultError) in
      try state.entries(of: space).map { (entry) throws(VaultError) in
        let item = entry.item
        return Credential(
          user: item.account, secret: try state.secret(of: entry), persistence: .session,
          accountDomain: item.accountDomain)
      }
    }
  }
}

extension SessionStore.State {
  /// The entries that answer a space, in the order of ``ItemQuery``.
  fileprivate func entries(of space: ProtectionSpace) -> [Entry] {
    guard let group = groups[space.withoutMethod] else { return [] }
    // One entry with the very method is the common case, and needs no ranking.
    if group.count == 1, group[0].item.key.authenticationMethod == space.authenticationMethod,
      group[0].item.expires == nil
    {
      return group
    }
    var query = ItemQuery(space)
    query.includesExpired = false
    var ranked = group.compactMap { entry in query.rank(of: entry.item).map { ($0, entry) } }
    ranked.sort { ItemQuery.precedes(($0.0, $0.1.item), ($1.0, $1.1.item)) }
    return ranked.map(\.1)
  }
}
