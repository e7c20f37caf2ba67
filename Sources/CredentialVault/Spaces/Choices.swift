package import VaultModel

/// The stored candidates for one challenge.
package struct Choices {
  /// The only user whose credential may be used; nil for any.
  let meant: String?
  /// The users to prefer if there are several, the most preferred first.
  let preferred: [String]
  package private(set) var candidates: [Candidate] = []

  /// Creates an empty choice.
  package init(meant: String?, preferred: [String]) {
    self.meant = meant
    self.preferred = preferred
  }

  /// Adds candidates below those that were added before.
  package mutating func add(_ found: [Candidate]) {
    candidates += found
  }

  /// Whether there is a candidate of the user who is meant.
  package var hasMeant: Bool {
    if let meant { candidates.first(of: meant) != nil } else { !candidates.isEmpty }
  }

  /// The users, without duplicates.
  package var users: [String] { candidates.users }

  /// The first candidate of the user who is meant, else of a preferred user, else of the only user.
  ///
  /// It is nil if the choice is not clear. If items name paths, only those of the longest path
  /// count, even if another user is preferred at the server.
  package var chosen: Candidate? {
    if let meant { return candidates.first(of: meant) }
    let leading = candidates.leading
    for user in preferred {
      if let candidate = leading.first(of: user) { return candidate }
    }
    return leading.users.count == 1 ? leading.first : nil
  }
}

extension [Candidate] {
  /// The preferred candidates: those of the longest path that covers the request, if any item names
  /// a path.
  ///
  /// The first is the best of the most specific realm, which takes precedence over any path.
  package var leading: [Candidate] { filter { $0.depth == first?.depth } }

  /// Returns the first candidate of a user.
  package func first(of user: String) -> Candidate? {
    first { $0.item.account.hasSameBytes(as: user) }
  }

  /// The users, without duplicates.
  var users: [String] {
    map(\.item.account).reduce(into: []) { users, user in
      if !users.contains(where: { $0.hasSameBytes(as: user) }) { users.append(user) }
    }
  }
}

extension Vault {
  /// Returns the default users of a space, the most specific first.
  ///
  /// A default for any method, or for a server without a realm, also applies here.
  package func defaultUsers(of space: ProtectionSpace) throws(VaultError) -> [String] {
    try defaultUsers(
      for: space.andWithoutRealm.flatMap { [$0, $0.withoutMethod] }, of: space.host)
  }
}

extension ProtectionSpace {
  /// The space, and the space of the same server without a realm, which stands for all realms.
  ///
  /// Credentials stored without a realm, as people and imports do, rank below those with the
  /// challenge's realm.
  package var andWithoutRealm: [ProtectionSpace] {
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
