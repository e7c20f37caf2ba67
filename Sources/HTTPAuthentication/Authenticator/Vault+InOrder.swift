package import CredentialVault
package import VaultModel

/// What a vault has for a space at one moment: what may answer, each space's best first, and the default users.
typealias Standing = (found: [Candidate], defaultUsers: [String])

extension [Candidate] {
  /// Those that are meant before the others: of the longest path that covers what is requested, if any names a path.
  ///
  /// The first is the best of the most exact realm, which goes before any path.
  var leading: [Candidate] { filter { $0.depth == first?.depth } }
}

extension Vault {
  /// What may answer a challenge of a space, in the order in which a client tries all of it.
  ///
  /// Candidates in the challenge's realm come before those for the server without one; in each the longest path that covers
  /// the request comes first, and of one path the default users', each best first.
  ///
  /// - Throws: As ``CredentialVault/Vault/candidates(_:)``.
  package func candidatesInOrder(
    for space: ProtectionSpace, at requestPath: RequestPath
  ) throws(VaultError) -> [Candidate] {
    let standing = try standing(of: space, at: requestPath)
    var rest = standing.found
    var ordered: [Candidate] = []
    while !rest.isEmpty {
      // Not all of that depth: what has no realm and a longer path is before what has neither.
      var leading = Array(rest.prefix { $0.depth == rest.first?.depth })
      rest.removeFirst(leading.count)
      for user in standing.defaultUsers {
        ordered += leading.filter { $0.item.account.hasSameBytes(as: user) }
        leading.removeAll { $0.item.account.hasSameBytes(as: user) }
      }
      ordered += leading
    }
    return ordered
  }

  /// What is stored for a space, and then for its server without a realm, and their default users.
  func standing(
    of space: ProtectionSpace, at requestPath: RequestPath
  ) throws(VaultError) -> Standing {
    let spaces = try space.andWithoutRealm
    return try candidates(
      spaces.map { ItemQuery($0, at: requestPath) },
      defaultsOf: spaces.flatMap { [$0, $0.withoutMethod] }, at: space.host)
  }

  /// The default users of a space, the most exact first.
  ///
  /// What was made the default for any method, or for a server without a realm, is the default here, too.
  func defaultUsers(of space: ProtectionSpace) throws(VaultError) -> [String] {
    try defaultUsers(
      for: space.andWithoutRealm.flatMap { [$0, $0.withoutMethod] }, of: space.host)
  }
}
