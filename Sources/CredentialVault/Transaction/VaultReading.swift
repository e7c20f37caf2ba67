public import VaultModel

/// Lookups by the attributes of items, which a ``Vault/Reader`` and a ``Vault/Writer`` have alike.
public protocol VaultReading: ~Copyable {
  /// The time by which expiry is judged.
  var now: Timestamp { get }

  /// Returns the items that match a query, best first, as ``Vault/findAll(_:withSecrets:)`` says.
  func findAll(_ query: ItemQuery, withSecrets: Bool) throws(VaultError) -> [Item]
}

extension VaultReading where Self: ~Copyable {
  /// Returns the items that match a query without their secrets, best first.
  public func findAll(_ query: ItemQuery) throws(VaultError) -> [Item] {
    try findAll(query, withSecrets: false)
  }

  /// Returns the item that matches a query best, as ``Vault/find(_:withSecrets:)`` says.
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

  /// Returns the one item that matches a query best, as ``Vault/findUnique(_:withSecrets:)`` says.
  public func findUnique(
    _ query: ItemQuery, withSecrets: Bool = false
  ) throws(VaultError) -> Item {
    try query.unique(among: findAll(query.withoutLimit, withSecrets: withSecrets), at: now)
  }

  /// Returns the number of items that ``findAll(_:withSecrets:)`` returns for a query.
  public func count(_ query: ItemQuery) throws(VaultError) -> Int {
    try findAll(query, withSecrets: false).count
  }

  /// Returns the item with an id, as ``Vault/item(_:hint:withSecrets:)`` says.
  public func item(
    _ id: ItemID, hint: Item.Key? = nil, withSecrets: Bool = false
  ) throws(VaultError) -> Item {
    try ItemQuery.item(id, hint: hint) { (query) throws(VaultError) in
      try findAll(query, withSecrets: withSecrets)
    }
  }
}
