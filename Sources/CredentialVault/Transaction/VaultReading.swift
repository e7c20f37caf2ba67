public import VaultModel

/// Lookups by the attributes of items, which a ``Vault``, a ``Vault/Reader`` and a ``Vault/Writer``
/// have alike.
public protocol VaultReading: ~Copyable {
  /// The time by which expiry is judged.
  var now: Timestamp { get }

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
  func findAll(_ query: ItemQuery, withSecrets: Bool) throws(VaultError) -> [Item]
}

extension VaultReading where Self: ~Copyable {
  /// Returns the items that match a query without their secrets, best first, as
  /// ``findAll(_:withSecrets:)`` does.
  public func findAll(_ query: ItemQuery) throws(VaultError) -> [Item] {
    try findAll(query, withSecrets: false)
  }

  /// Returns the item that matches a query best: the first in the order that ``ItemQuery`` defines.
  ///
  /// Expired items are skipped. The query's limit is ignored.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/expired`` with the candidates if
  ///   only expired ones match; else as ``findAll(_:withSecrets:)``.
  public func find(
    _ query: ItemQuery, withSecrets: Bool = false
  ) throws(VaultError) -> Item {
    var best = query
    best.limit = 1
    guard let found = try findAll(best, withSecrets: withSecrets).first else {
      throw query.failure(among: [])
    }
    guard found.mayExpire, found.isExpired(at: now) else { return found }
    best.includesExpired = false
    if let valid = try findAll(best, withSecrets: withSecrets).first { return valid }
    throw query.failure(among: try findAll(query.withoutLimit, withSecrets: withSecrets))
  }

  /// Returns the one item that matches a query best.
  ///
  /// - Throws: As ``find(_:withSecrets:)``, and ``VaultError/Code/ambiguous`` with the candidates
  ///   if two match equally well.
  public func findUnique(
    _ query: ItemQuery, withSecrets: Bool = false
  ) throws(VaultError) -> Item {
    try query.unique(among: findAll(query.withoutLimit, withSecrets: withSecrets), at: now)
  }

  /// Returns the number of items that ``findAll(_:withSecrets:)`` returns for a query.
  ///
  /// - Throws: As ``findAll(_:withSecrets:)``.
  public func count(_ query: ItemQuery) throws(VaultError) -> Int {
    try findAll(query, withSecrets: false).count
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
    try ItemQuery.item(id, hint: hint) { (query) throws(VaultError) in
      try findAll(query, withSecrets: withSecrets)
    }
  }
}
