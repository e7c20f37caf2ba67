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
  var users: [String] {
    candidates.map(\.item.account).reduce(into: []) { users, user in
      if !users.contains(where: { $0.hasSameBytes(as: user) }) { users.append(user) }
    }
  }

  /// The first of the user who is meant, else of the one who is preferred, else of the only one; nil where nobody can
  /// tell.
  var chosen: Candidate? {
    if let meant { return first(of: meant) }
    for user in preferred {
      if let candidate = first(of: user) { return candidate }
    }
    return users.count == 1 ? candidates.first : nil
  }

  private func first(of user: String) -> Candidate? {
    candidates.first { $0.item.account.hasSameBytes(as: user) }
  }
}
