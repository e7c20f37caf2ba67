import VaultStore
package import VaultModel

/// Lookups and changes for interfaces whose conditions a query cannot express.
extension Vault {
  /// Changes the items that ``findAll(_:withSecrets:)`` returns for a query, as
  /// ``renew(_:_:afterAcceptance:)`` does: all of them, in one transaction of the file, or none.
  ///
  /// - Parameters:
  ///   - query: The conditions; its limit counts the items that are accepted.
  ///   - changes: The changes of each item.
  ///   - afterAcceptance: Whether a server has accepted a new secret.
  ///   - removal: Whether a replaced secret can be restored afterwards.
  ///   - accepts: A further condition; nil for none.
  /// - Returns: The number of items that matched; 0 is not an error.
  /// - Throws: As ``modify(_:_:ifRevision:afterAcceptance:removal:)``;
  ///   ``VaultError/Code/policyRefused`` if one of the changed items may not be kept.
  package func renewAll(
    _ query: ItemQuery, _ changes: [ItemChange], afterAcceptance: Bool, removal: Removal,
    where accepts: ((Item) -> Bool)?
  ) throws(VaultError) -> Int {
    let isPermanent = try file?.find(query, withSecrets: false).isEmpty == false
    return try storing(isPermanent ? .permanent : .session) { (gate) throws(VaultError) in
      try gate.renewAll(
        query, changes, afterAcceptance: afterAcceptance, removal: removal, where: accepts)
    }
  }

  /// Removes the items that match a query and a further condition, as
  /// ``removeAll(_:removal:)`` does.
  package func removeAll(
    _ query: ItemQuery, removal: Removal = .recoverable, where accepts: ((Item) -> Bool)?
  ) throws(VaultError) -> Int {
    try requireUnlocked()
    // The file is not written if no item of it matches.
    let isPermanent = try file?.find(query, withSecrets: false).isEmpty == false
    return try storing(isPermanent ? .permanent : .session) { (gate) throws(VaultError) in
      try gate.removeAll(query, removal: removal, where: accepts)
    }
  }
}
