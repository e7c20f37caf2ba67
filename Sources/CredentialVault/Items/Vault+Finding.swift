import VaultStore
public import VaultModel

/// Lookups by the attributes of items.
extension Vault {
  /// Returns the item that matches a query best: the first in the order that ``ItemQuery`` defines.
  ///
  /// Expired items are skipped. The query's limit is ignored.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/expired`` with the candidates if
  ///   only expired ones match; ``VaultError/Code/locked``, ``VaultError/Code/damaged``,
  ///   ``VaultError/Code/busy``.
  public func find(
    _ query: ItemQuery, withSecrets: Bool = false
  ) throws(VaultError) -> Item {
    try reader().find(query, withSecrets: withSecrets)
  }

  /// Returns the one item that matches a query best.
  ///
  /// - Throws: As ``find(_:withSecrets:)``, and ``VaultError/Code/ambiguous`` with the candidates
  ///   if two match equally well.
  public func findUnique(
    _ query: ItemQuery, withSecrets: Bool = false
  ) throws(VaultError) -> Item {
    try reader().findUnique(query, withSecrets: withSecrets)
  }

  /// Returns the items that match a query, best first, in the order that ``ItemQuery`` defines.
  ///
  /// If an item of the session and one of the file have the same key and both match, only the
  /// session's is returned, unless it has expired.
  ///
  /// - Parameters:
  ///   - query: The conditions that items have to meet.
  ///   - withSecrets: Whether secrets are opened too; those of expired items never are.
  /// - Returns: None if nothing matches.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func findAll(
    _ query: ItemQuery, withSecrets: Bool = false
  ) throws(VaultError) -> [Item] {
    try reader().findAll(query, withSecrets: withSecrets)
  }

  /// Returns the number of items that ``findAll(_:withSecrets:)`` returns for a query.
  ///
  /// - Throws: As ``findAll(_:withSecrets:)``.
  public func count(_ query: ItemQuery) throws(VaultError) -> Int {
    try reader().count(query)
  }

  /// Returns the item with an id, of any class: the reference to an item that survives every change
  /// of it.
  ///
  /// The secret of an expired item is not opened. An item that is moved keeps its id, unless it is
  /// merged with another.
  ///
  /// - Parameters:
  ///   - id: The item.
  ///   - hint: The key under which it was last seen, which is tried first. Without one, or if the
  ///     item was renamed, the whole vault is read.
  ///   - withSecrets: Whether its secret is opened too.
  /// - Returns: The item as it is now.
  /// - Throws: ``VaultError/Code/itemNotFound`` if it was removed; else as
  ///   ``findAll(_:withSecrets:)``.
  public func item(
    _ id: ItemID, hint: Item.Key? = nil, withSecrets: Bool = false
  ) throws(VaultError) -> Item {
    try reader().item(id, hint: hint, withSecrets: withSecrets)
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
  func merged(
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
