import VaultStore
public import VaultModel

/// Lookups by the attributes of items, each in the vault as it is then.
extension Vault: VaultReading {
  /// The time by which expiry is judged.
  public var now: Timestamp { time.now() }

  /// Returns the items of the session and of the file that match, best first.
  public func findAll(
    _ query: ItemQuery, withSecrets: Bool
  ) throws(VaultError) -> [Item] {
    try reader().findAll(query, withSecrets: withSecrets)
  }
}

extension ItemQuery {
  /// Returns the item with an id: looked up under its last key, then on its server, then
  /// everywhere.
  static func item(
    _ id: ItemID, hint: Item.Key?,
    _ find: (ItemQuery) throws(VaultError) -> [Item]
  ) throws(VaultError) -> Item {
    var query = ItemQuery.everything
    if let hint {
      query = ItemQuery(key: hint)
      query.id = id
      if let found = try find(query).first { return found }
      query = .everything
      query.server = .equals(hint.server)
      query.id = id
      if let found = try find(query).first { return found }
      query.server = .any
    }
    query.id = id
    if let found = try find(query).first { return found }
    throw VaultError(.itemNotFound, "no item has the id \(id)")
  }

  /// The same query without a limit, which finds every candidate for the one item that is wanted.
  var withoutLimit: ItemQuery {
    var query = self
    query.limit = nil
    return query
  }

  /// Merges the results of the session and the file; a valid item of the session hides the file's
  /// item with the same key.
  package func merged(
    _ temporary: [Item], _ permanent: [Item], at now: Timestamp
  ) -> [Item] {
    let shadowing = Set(temporary.lazy.filter { !$0.isExpired(at: now) }.map(\.key))
    var all = temporary + permanent.filter { !shadowing.contains($0.key) }
    ItemQuery.sort(&all, ranks: all.map { rank(of: $0, at: now) ?? 0 })
    applyLimit(to: &all)
    return all
  }

  /// Returns the one item that matches best among those found.
  func unique(
    among found: [Item], at now: Timestamp
  ) throws(VaultError) -> Item {
    let valid = found.filter { !$0.isExpired(at: now) }
    guard let best = valid.first else { throw failure(among: found) }
    let rank = rank(of: best, at: now)
    let equals = valid.filter { self.rank(of: $0, at: now) == rank }
    guard equals.count == 1 else {
      throw VaultError(.ambiguous, "\(equals.count) items match equally well", candidates: equals)
    }
    return best
  }

  /// Returns the error that says why none of the items found is the one item.
  func failure(among found: [Item]) -> VaultError {
    found.isEmpty
      ? VaultError(.itemNotFound, "no item matches")
      : VaultError(.expired, "only expired items match", candidates: found)
  }
}
