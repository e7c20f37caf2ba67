package import SecureMemory
import SealedTree
package import VaultModel

extension FileStore {
  /// Returns the refresh token of an item, unless its policy's time is over; nil if it has none.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/locked``,
  ///   ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func refreshToken(
    of id: ItemID, hint: InternetPassword.Key
  ) throws(VaultError) -> Secret? {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        guard let record = try reader.item(id, hint: hint) else {
          throw VaultError(.itemNotFound, "no item has the id \(id)")
        }
        return try reader.refreshToken(of: record)
      }
    }
  }
}
