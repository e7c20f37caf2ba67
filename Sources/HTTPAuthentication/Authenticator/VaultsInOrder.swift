import CredentialVault
import VaultModel

/// Looking credentials up in several vaults: the first that has one that is meant answers.
extension Authenticator {
  /// Returns the candidates for a query in one of the vaults.
  func candidates(
    _ query: ItemQuery, in vault: Vault
  ) throws(VaultError) -> [Candidate] {
    withoutOthersPending(try vault.candidates(query), of: vault)
  }

  /// Returns the candidates for a query in the first vault that has any of the user who is meant.
  func candidates(
    _ query: ItemQuery, of user: String?
  ) throws(VaultError) -> [Candidate] {
    try vaults.firstAnswer { (vault) throws(VaultError) in
      try candidates(query, in: vault).filter { user.means($0.item.account) }
    } where: {
      !$0.isEmpty
    }
  }

  /// Returns the state of the space of a success in the first vault that has a credential of its
  /// user; else, unless a user is meant, in the first that has any.
  func standing(
    of entry: KnownAuthentications.Entry, at requestPath: RequestPath, user: String?
  ) throws(VaultError) -> Standing {
    try vaults.firstAnswer { (vault) throws(VaultError) in
      var standing = try vault.standing(of: entry.authentication.space, at: requestPath)
      standing.found = withoutOthersPending(standing.found, of: vault)
      return standing
    } where: { standing in
      standing.found.contains { user.means($0.item.account) }
    } preferring: { standing in
      standing.found.first(of: entry.user) != nil
    }
  }

  /// A pending credential of another vault than that in which answers are stored is another
  /// authenticator's, which confirms or rejects it.
  private func withoutOthersPending(_ candidates: [Candidate], of vault: Vault) -> [Candidate] {
    guard vault !== self.vault else { return candidates }
    return candidates.map { Candidate(item: $0.item, pending: nil, depth: $0.depth) }
  }
}
