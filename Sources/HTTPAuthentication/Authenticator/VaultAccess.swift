package import CredentialVault
import SecureMemory
package import VaultModel

/// The vault's state for a space at one moment: the candidates, each space's best first, and the
/// default users.
typealias StoredCandidates = (found: [Candidate], defaultUsers: [String])

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
    let stored = try storedCandidates(of: space, at: requestPath)
    var rest = stored.found
    var ordered: [Candidate] = []
    while !rest.isEmpty {
      // Only the prefix: a candidate with a longer path and no realm comes before one with neither.
      var leading = Array(rest.prefix { $0.depth == rest.first?.depth })
      rest.removeFirst(leading.count)
      for user in stored.defaultUsers {
        ordered += leading.filter { $0.item.account.hasSameBytes(as: user) }
        leading.removeAll { $0.item.account.hasSameBytes(as: user) }
      }
      ordered += leading
    }
    return ordered
  }

  /// Returns the candidates of a space, then of its server without a realm, and their default
  /// users.
  func storedCandidates(
    of space: ProtectionSpace, at requestPath: RequestPath, atOnce: Bool = false
  ) throws(VaultError) -> StoredCandidates {
    let spaces = try space.andWithoutRealm
    return try candidates(
      spaces.map { ItemQuery($0, at: requestPath) },
      defaultsOf: spaces.flatMap { [$0, $0.withoutMethod] }, at: space.host, atOnce: atOnce)
  }
}

/// Storing an answer in the vault.
extension Vault {
  /// Holds an answer until it is accepted, if the policy allows it to be remembered.
  ///
  /// - Returns: The pending credential; nil if the answer is for one use.
  func hold(
    _ credential: Credential, for space: ProtectionSpace, at requestPath: RequestPath
  ) throws(VaultError) -> PendingCredential? {
    guard credential.persistence > .none else { return nil }
    do throws(VaultError) {
      let home = try home(of: credential.user, space, at: requestPath)
      return try pending.set(credential, for: home, at: requestPath).pending
    } catch {
      // An answer that may not be remembered may still be used.
      guard error.code == .policyRefused else { throw error }
      return nil
    }
  }

  /// Does what the synchronous ``hold(_:for:at:)`` does, without blocking the calling thread.
  func hold(
    _ credential: Credential, for space: ProtectionSpace, at requestPath: RequestPath
  ) async throws(VaultError) -> PendingCredential? {
    try await waiting { () throws(VaultError) in
      try hold(credential, for: space, at: requestPath)
    }
  }

  /// Stores an answer that was accepted.
  ///
  /// Another request with the same answer may already have confirmed it, or rejected it. Such a
  /// rejection is not final for this space.
  func keep(
    _ credential: Credential, _ pending: PendingCredential, for space: ProtectionSpace,
    at requestPath: RequestPath
  ) throws(VaultError) {
    do throws(VaultError) {
      try self.pending.confirm(pending)
    } catch {
      guard error.code == .itemNotFound else { throw error }
      var credential = credential
      credential.persistence = pending.requested
      try keep(accepted: credential, for: space, at: requestPath)
    }
  }

  /// Stores an accepted credential, unless it is stored as strongly.
  func keep(
    accepted credential: Credential, for space: ProtectionSpace, at requestPath: RequestPath
  ) throws(VaultError) {
    let home = try home(of: credential.user, space, at: requestPath)
    let stored = try candidates(ItemQuery(home, at: requestPath))
    guard !stored.contains(where: { $0.keeps(credential) }) else { return }
    try set(credential, for: home, at: requestPath, afterAcceptance: true)
  }

  /// Returns the space for a user's new secret: that of the item it replaces, or the challenge's
  /// own.
  private func home(
    of user: String, _ space: ProtectionSpace, at requestPath: RequestPath
  ) throws(VaultError) -> ProtectionSpace {
    for space in try space.andWithoutRealm {
      let stored = try findAll(ItemQuery(space, at: requestPath))
      if stored.contains(where: { $0.account.hasSameBytes(as: user) }) { return space }
    }
    return space
  }
}

extension Candidate {
  /// Returns whether it is a credential's user and password, stored as strongly as that one asks.
  ///
  /// Another request's pending answer is not: it may yet be dropped.
  func keeps(_ credential: Credential) -> Bool {
    pending == nil && item.persistence >= credential.persistence
      && item.account.hasSameBytes(as: credential.user)
      && self.credential.secret.isEqual(to: credential.secret)
  }
}

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
  func storedCandidates(
    of entry: KnownSuccesses.Entry, at requestPath: RequestPath, user: String?, atOnce: Bool
  ) throws(VaultError) -> StoredCandidates {
    try vaults.firstAnswer { (vault) throws(VaultError) in
      var stored = try vault.storedCandidates(
        of: entry.responder.space, at: requestPath, atOnce: atOnce)
      stored.found = withoutOthersPending(stored.found, of: vault)
      return stored
    } where: { stored in
      stored.found.contains { user.means($0.item.account) }
    } preferring: { stored in
      stored.found.first(of: entry.user) != nil
    }
  }

  /// Returns the candidates of a vault, without pending credentials if answers are stored in
  /// another one: those are another authenticator's, which confirms or rejects them.
  private func withoutOthersPending(_ candidates: [Candidate], of vault: Vault) -> [Candidate] {
    guard vault !== self.vault else { return candidates }
    return candidates.map { Candidate(item: $0.item, pending: nil, depth: $0.depth) }
  }
}

/// Lookups that change a value, run where they hold up no other task.
extension Vault {
  /// Runs `body` on the vault's own thread with a copy of a value, which is put back even if `body`
  /// throws.
  func waiting<Value: Sendable, R: Sendable>(
    changing value: inout Value, _ body: @Sendable (inout Value) throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    let start = value
    let (end, result) = try await waiting {
      () throws(VaultError) -> (Value, Result<R, VaultError>) in
      var value = start
      do throws(VaultError) {
        let found = try body(&value)
        return (value, .success(found))
      } catch {
        return (value, .failure(error))
      }
    }
    value = end
    return try result.get()
  }

  /// Does what ``waiting(changing:_:)`` does, to its end even if the task is cancelled.
  ///
  /// A wait for another process's lock still ends at the vault's lock timeout.
  func finishing<Value: Sendable, R: Sendable>(
    changing value: inout Value,
    _ body: @escaping @Sendable (inout Value) throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    let start = value
    // A task of its own, which does not inherit the cancellation.
    let (end, result) = await Task { () -> (Value, Result<R, VaultError>) in
      var value = start
      do throws(VaultError) {
        let found = try await waiting(changing: &value, body)
        return (value, .success(found))
      } catch {
        return (value, .failure(error))
      }
    }.value
    value = end
    return try result.get()
  }
}
