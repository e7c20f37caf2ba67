import VaultFile
package import VaultModel
import VaultSession

/// Lookups and changes for interfaces whose conditions a query cannot express.
extension Vault {
  /// Returns the item with an id, which may be of any class, as ``item(_:hint:secrets:)`` does; a
  /// nil class is any.
  package func item(
    _ id: ItemID, hint: InternetPassword.Key?, of itemClass: ItemClass?, secrets: Bool = false
  ) throws(VaultError) -> InternetPassword {
    try ItemQuery.item(id, hint: hint, of: itemClass) { (query) throws(VaultError) in
      try findAll(query, secrets: secrets)
    }
  }

  /// The time by which the vault judges expiry.
  package var now: Timestamp { time.now() }

  /// Changes the items that ``findAll(_:secrets:)`` returns for a query, as
  /// ``renew(_:_:isAccepted:)`` does, in one transaction of the file.
  ///
  /// - Parameters:
  ///   - query: The conditions; its limit counts the items that are accepted.
  ///   - changes: The changes of each item.
  ///   - isAccepted: Whether a server has accepted a new secret.
  ///   - accepts: A further condition; nil for none.
  /// - Returns: The number of items that matched; 0 is not an error.
  /// - Throws: As ``modify(_:_:ifRevision:isAccepted:)``; ``VaultError/Code/policyRefused`` if one
  ///   of the changed items may not be kept. The file is then unchanged.
  package func renewAll(
    _ query: ItemQuery, _ changes: [ItemChange], isAccepted: Bool,
    where accepts: ((InternetPassword) -> Bool)?
  ) throws(VaultError) -> Int {
    let isPermanent = try file?.find(query, secrets: false).isEmpty == false
    return try storing(isPermanent ? .permanent : .session) { (gate) throws(VaultError) in
      try gate.renewAll(query, changes, isAccepted: isAccepted, where: accepts)
    }
  }

  /// Removes the items that match a query and a further condition, as
  /// ``removeAll(_:isForGood:)`` does.
  package func removeAll(
    _ query: ItemQuery, isForGood: Bool = false, where accepts: ((InternetPassword) -> Bool)?
  ) throws(VaultError) -> Int {
    try requireUnlocked()
    // The file is not written if no item of it matches.
    let isPermanent = try file?.find(query, secrets: false).isEmpty == false
    return try storing(isPermanent ? .permanent : .session) { (gate) throws(VaultError) in
      try gate.removeAll(query, isForGood: isForGood, where: accepts)
    }
  }
}
