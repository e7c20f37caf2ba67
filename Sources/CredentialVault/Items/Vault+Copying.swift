package import SecureMemory
import VaultStore
package import VaultModel

extension Vault {
  /// Returns an item with its secrets for a copy without losses, also if its own time has passed:
  /// a program that may read the item may change that time.
  ///
  /// - Parameter listed: As it was found; only its id, its key and where it is kept are looked at.
  /// - Returns: The item as it is now; without its secrets if a policy's time has passed.
  /// - Throws: ``VaultError/Code/itemNotFound`` if it was removed; else as
  ///   ``Vault/findAll(_:withSecrets:)``.
  package func itemToCopy(_ listed: Item) throws(VaultError) -> Item {
    let item = try item(listed.id, hint: listed.key, withSecrets: true)
    guard item.storedSecret == nil, !item.isNegative, item.persistence == .permanent else {
      return item
    }
    return try requireFile().itemToCopy(item.id, hint: item.key)
  }

  /// Returns an item of the trash with its secrets, and those that it had before, for an export.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is not there any more; else as
  ///   ``Vault/findAll(_:withSecrets:)``.
  package func itemToCopy(
    _ removed: RemovedItem
  ) throws(VaultError) -> (item: Item, previous: [PreviousSecret]) {
    try requireFile().read { (reader) throws(VaultError) in try reader.opened(removed) }
  }

  /// Adds a copy of an item to the file, with its dates, its secrets and the age of its secret.
  ///
  /// - Parameter item: As it was found in any vault, with its secrets; the copy gets a new id.
  /// - Returns: The copy, without its secret, and what the policy granted.
  /// - Throws: ``VaultError/Code/policyRefused`` unless the policy keeps such an item in the file;
  ///   ``VaultError/Code/duplicateItem``; any error of writing the file.
  package func addCopy(of item: Item) throws(VaultError) -> StoreResult {
    try storing(.permanent) { (gate) throws(VaultError) in try gate.addCopy(of: item) }
  }
}

extension PolicyGate {
  fileprivate func addCopy(of item: Item) throws(VaultError) -> StoreResult {
    let decision = try decide(
      item.key, requested: .permanent, since: item.secretChanged, needsPIN: item.needsPIN)
    guard decision.granted == .permanent else {
      throw VaultError(
        .policyRefused, "rule \"\(decision.rule?.name ?? "")\" keeps no credential in the file here"
      )
    }
    var copy = item
    copy.id = ItemID()
    copy.keptUntil = decision.expires
    let added = try file().put(copy)
    note(.added(VaultEvent.Subject(added)))
    return try withPortVariant(StoreResult(added, decision))
  }
}

extension Vault {
  /// Returns the refresh token of an item, also if the item has expired: that is what it is for.
  ///
  /// - Parameter item: As it was found; only its id, its key and where it is kept are looked at.
  /// - Returns: Nil if it has none, and after the end that a policy sets for the item.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/locked``,
  ///   ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func refreshToken(of item: Item) throws(VaultError) -> Secret? {
    try requireUnlocked()
    guard item.persistence == .permanent, let file else {
      return try session.refreshToken(of: item.id, hint: item.key)
    }
    return try file.refreshToken(of: item.id, hint: item.key)
  }
}
