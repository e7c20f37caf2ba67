import CredentialVault
import VaultModel

/// What is stored for one challenge, and whose it is.
struct Choices {
  /// The one user whose credential may be taken; nil if any will do.
  let meant: String?
  /// Whom to take of several: the first of these who is among them.
  let preferred: [String]
  private(set) var candidates: [Candidate] = []

  init(meant: String?, preferred: [String]) {
    self.meant = meant
    self.preferred = preferred
  }

  mutating func add(_ found: [Candidate]) {
    candidates += found
  }

  /// The users, each once.
  var users: [String] { candidates.users }

  /// The first of the user who is meant, else of the one who is preferred, else of the only one; nil where nobody can
  /// tell.
  ///
  /// Where items name paths, those of the longest one say who is meant there, whoever is preferred at the server.
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
  /// The first of a user.
  func first(of user: String) -> Candidate? {
    first { $0.item.account.hasSameBytes(as: user) }
  }

  /// The users, each once.
  fileprivate var users: [String] {
    map(\.item.account).reduce(into: []) { users, user in
      if !users.contains(where: { $0.hasSameBytes(as: user) }) { users.append(user) }
    }
  }
}
