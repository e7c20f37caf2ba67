import CredentialVault
import VaultModel

/// The stored candidates for one challenge.
struct Choices {
  /// The only user whose credential may be used; nil for any.
  let meant: String?
  /// The users to prefer if there are several, the most preferred first.
  let preferred: [String]
  private(set) var candidates: [Candidate] = []

  init(meant: String?, preferred: [String]) {
    self.meant = meant
    self.preferred = preferred
  }

  mutating func add(_ found: [Candidate]) {
    candidates += found
  }

  /// The users, without duplicates.
  var users: [String] { candidates.users }

  /// The first candidate of the user who is meant, else of a preferred user, else of the only user.
  ///
  /// It is nil if the choice is not clear. If items name paths, only those of the longest path
  /// count, even if another user is preferred at the server.
  var chosen: Candidate? {
    if let meant { return candidates.first(of: meant) }
    let leading = candidates.leading
    for user in preferred {
      if let candidate = leading.first(of: user) { return candidate }
    }
    return leading.users.count == 1 ? leading.first : nil
  }
}

extension [Candidate] {
  /// Returns the first candidate of a user.
  func first(of user: String) -> Candidate? {
    first { $0.item.account.hasSameBytes(as: user) }
  }

  /// The users, without duplicates.
  fileprivate var users: [String] {
    map(\.item.account).reduce(into: []) { users, user in
      if !users.contains(where: { $0.hasSameBytes(as: user) }) { users.append(user) }
    }
  }
}
