import SealedTree
package import VaultStore
package import VaultModel

extension FileTransaction {
  /// Removes expired items permanently, except for those that can be renewed, and expired previous
  /// secrets; returns the items.
  package func removeExpired() throws(VaultError) -> [Item] {
    let content = try content()
    let expired = content.items.filter { $0.isExpired(at: now) && !$0.isRenewable(at: now) }
    for item in expired { try remove(item.id, hint: item.key, removal: .permanent) }
    let gone = Set(expired.map(\.id))
    for past in content.past
    where past.kind == .previousSecret && past.isExpired(at: now)
      && (past.removed != nil || !gone.contains(past.id))
    {
      try remove(past)
    }
    return expired
  }
}
