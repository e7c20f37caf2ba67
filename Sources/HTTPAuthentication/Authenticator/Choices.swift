import CredentialVault
import VaultModel

/// What is stored for one challenge, and whose it is.
struct Choices {
  /// The user who is meant; nil if any will do.
  let account: String?
  /// The user who had the last success there.
  var preferred: String?
  private(set) var candidates: [Candidate] = []

  init(account: String?, preferred: String?) {
    self.account = account
    self.preferred = preferred
  }

  var isEmpty: Bool { candidates.isEmpty }

  mutating func add(_ found: [Candidate], default user: String?) {
    candidates += found.filter { candidate in
      account.map { $0.hasSameBytes(as: candidate.item.account) } ?? true
    }
    preferred = preferred ?? user
  }

  /// The users, each once.
  var users: [String] {
    candidates.map(\.item.account).reduce(into: []) { users, user in
      if !users.contains(where: { $0.hasSameBytes(as: user) }) { users.append(user) }
    }
  }

  /// The first of the user who is preferred, or of the only one; nil where nobody can tell who is meant.
  var chosen: Candidate? {
    if let preferred,
      let candidate = candidates.first(where: { $0.item.account.hasSameBytes(as: preferred) })
    {
      return candidate
    }
    return users.count == 1 ? candidates.first : nil
  }
}

extension ProtectionSpace {
  /// The space, and the one of the same server that names no realm and so stands for all of them.
  ///
  /// What was stored without a realm, as people and imports do, answers below what names the challenge's.
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
