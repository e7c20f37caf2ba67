package import CredentialVault
package import VaultModel

extension Vault {
  /// What may answer a challenge of a space, in the order in which a client tries all of it.
  ///
  /// The default users' first, then the others', each best first; what is stored for the server without a realm stands
  /// below what names the challenge's.
  ///
  /// - Throws: As ``CredentialVault/Vault/candidates(_:)``.
  package func candidatesInOrder(for space: ProtectionSpace) throws(VaultError) -> [Candidate] {
    var rest: [Candidate] = []
    for space in try space.andWithoutRealm { rest += try candidates(ItemQuery(space)) }
    var ordered: [Candidate] = []
    for user in try defaultUsers(of: space) {
      ordered += rest.filter { $0.item.account.hasSameBytes(as: user) }
      rest.removeAll { $0.item.account.hasSameBytes(as: user) }
    }
    return ordered + rest
  }

  /// The default users of a space, the most exact first.
  ///
  /// What was made the default for any method, or for a server without a realm, is the default here, too.
  func defaultUsers(of space: ProtectionSpace) throws(VaultError) -> [String] {
    var spaces: [ProtectionSpace] = []
    for space in try space.andWithoutRealm { spaces += [space, space.withoutMethod] }
    return try defaultUsers(of: spaces, on: space.host)
  }
}
