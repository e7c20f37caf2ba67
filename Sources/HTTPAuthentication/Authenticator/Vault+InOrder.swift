package import CredentialVault
package import VaultModel

/// The vault's state for a space at one moment: the candidates, each space's best first, and the
/// default users.
typealias Standing = (found: [Candidate], defaultUsers: [String])

extension [Candidate] {
  /// The preferred candidates: those of the longest path that covers the request, if any item names
  /// a path.
  ///
  /// The first is the best of the most specific realm, which takes precedence over any path.
  var leading: [Candidate] { filter { $0.depth == first?.depth } }
}

extension Vault {
  /// Returns the candidates for a challenge's space, in the order in which a client tries them.
  ///
  /// Candidates in the challenge's realm come before those for the server without a realm. In each
  /// realm, the longest path that covers the request comes first; of one path, the default users'
  /// come first, each best first.
  ///
  /// - Throws: As ``CredentialVault/Vault/candidates(_:)``.
  package func candidatesInOrder(
    for space: ProtectionSpace, at requestPath: RequestPath
  ) throws(VaultError) -> [Candidate] {
    let standing = try standing(of: space, at: requestPath)
    var rest = standing.found
    var ordered: [Candidate] = []
    while !rest.isEmpty {
      // Only the prefix: a candidate with a longer path and no realm comes before one with neither.
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

  /// Returns the candidates of a space, then of its server without a realm, and their default
  /// users.
  func standing(
    of space: ProtectionSpace, at requestPath: RequestPath
  ) throws(VaultError) -> Standing {
    let spaces = try space.andWithoutRealm
    return try candidates(
      spaces.map { ItemQuery($0, at: requestPath) },
      defaultsOf: spaces.flatMap { [$0, $0.withoutMethod] }, at: space.host)
  }

  /// Returns the default users of a space, the most specific first.
  ///
  /// A default for any method, or for a server without a realm, also applies here.
  func defaultUsers(of space: ProtectionSpace) throws(VaultError) -> [String] {
    try defaultUsers(
      for: space.andWithoutRealm.flatMap { [$0, $0.withoutMethod] }, of: space.host)
  }
}

extension ProtectionSpace {
  /// The space, and the space of the same server without a realm, which stands for all realms.
  ///
  /// Credentials stored without a realm, as people and imports do, rank below those with the
  /// challenge's realm.
  var andWithoutRealm: [ProtectionSpace] {
    get throws(VaultError) {
      guard !realm.isEmpty else { return [self] }
      return [
        self,
        try ProtectionSpace(
          host: host, port: port, protocol: `protocol`, realm: "",
          authenticationMethod: authenticationMethod),
      ]
    }
  }
}
