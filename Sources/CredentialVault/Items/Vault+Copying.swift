import VaultFile
package import VaultModel

extension Vault {
  /// Adds a copy of an item to the file, with its dates, its secrets and the age of its secret.
  ///
  /// - Parameter item: As it was found in any vault, with its secrets; the copy gets a new id.
  /// - Returns: The copy, without its secret, and what the policy granted.
  /// - Throws: ``VaultError/Code/policyRefused`` unless the policy keeps such an item in the file;
  ///   ``VaultError/Code/duplicateItem``; any error of writing the file.
  package func addCopy(of item: InternetPassword) throws(VaultError) -> StoreResult {
    try storing(.permanent) { (gate) throws(VaultError) in try gate.addCopy(of: item) }
  }
}

extension PolicyGate {
  fileprivate func addCopy(of item: InternetPassword) throws(VaultError) -> StoreResult {
    let decision = try decide(item.key, requested: .permanent, since: item.secretChanged)
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
    return try withTwin(StoreResult(added, decision))
  }
}
