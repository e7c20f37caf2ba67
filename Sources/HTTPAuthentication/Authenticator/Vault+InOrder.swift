package import CredentialVault
package import VaultModel

/// What a vault has for a space at one moment: what may answer, each space's best first, and the default users.
typealias Standing = (found: [Candidate], defaultUsers: [String])

extension Vault {
  /// What may answer a challenge of a space, in the order in which a client tries all of it.
  ///
  /// The default users' first, then the others', each best first; what is stored for the server without a realm stands
  /// below what names the challenge's.
  ///
  /// - Throws: As ``CredentialVault/Vault/candidates(_:)``.
  package func candidatesInOrder(for space: ProtectionSpace) throws(VaultError) -> [Candidate] {
    let standing = try standing(of: space)
    var rest = standing.found
    var ordered: [Candidate] = []
    for user in standing.defaultUsers {
      ordered += rest.filter { $0.item.account.hasSameBytes(as: user) }
      rest.removeAll { $0.item.account.hasSameBytes(as: user) }
    }
    return ordered + rest
  }

  /// What is stored for a space, and then for its server without a realm, and their default users.
  func standing(of space: ProtectionSpace) throws(VaultError) -> Standing {
    let spaces = try space.andWithoutRealm
    return try candidates(
      spaces.map { ItemQuery($0) }, defaultsOf: spaces.flatMap { [$0, $0.withoutMethod] },
      at: space.host)
  }

  /// The default users of a space, the most exact first.
  ///
  /// What was made the default for any method, or for a server without a realm, is the default here, too.
  func defaultUsers(of space: ProtectionSpace) throws(VaultError) -> [String] {
    try defaultUsers(
      for: space.andWithoutRealm.flatMap { [$0, $0.withoutMethod] }, of: space.host)
  }
}
