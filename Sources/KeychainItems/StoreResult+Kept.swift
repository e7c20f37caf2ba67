package import CredentialVault
package import VaultModel

extension StoreResult {
  /// Checks that the policy kept the item, at least for the session: success means that it can be
  /// found.
  ///
  /// Items stored in this way count as accepted by a server, because programs written for the
  /// keychain save a password after it has worked, and have no call to report that later.
  ///
  /// - Throws: ``VaultError/Code/policyRefused``.
  package func requireKept() throws(VaultError) {
    guard item.persistence > .none else {
      throw VaultError(
        .policyRefused, "rule \"\(decision.rule?.name ?? "")\" lets no credential be kept here")
    }
  }
}
