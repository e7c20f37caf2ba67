package import SecureMemory
import VaultFile
package import VaultModel
import VaultSession

extension Vault {
  /// Returns the refresh token of an item, also if the item has expired: that is what it is for.
  ///
  /// - Parameter item: As it was found; only its id, its key and where it is kept are looked at.
  /// - Returns: Nil if it has none, and after the end that a policy sets for the item.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/locked``,
  ///   ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func refreshToken(of item: InternetPassword) throws(VaultError) -> Secret? {
    try requireUnlocked()
    guard item.persistence == .permanent, let file else {
      // The session forgets an item that expires, with all that belongs to it.
      var query = ItemQuery(key: item.key)
      query.id = item.id
      return try session.find(query, secrets: true).first?.refreshToken
    }
    return try file.refreshToken(of: item.id, hint: item.key)
  }
}
