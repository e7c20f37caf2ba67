import CredentialVault
import SecureMemory
import VaultModel

/// Choosing the credential that answers a challenge.
extension ChallengeSide {
  /// Chooses the next attempt that answers an offer; returns a reason if there is none.
  ///
  /// - Throws: The error of the function that fetches tokens; every other one is a ``VaultError``.
  mutating func answer(_ offer: ChallengeResponder.Offer) async throws -> Outcome.Reason? {
    if try await begin() { return nil }
    // Another scheme's answer, or the next login's.
    (owner, keepsConnection) = (nil, false)
    try await readPermission(for: offer)
    guard let first = offer.responders.first else {
      return .unsupported(offer.unanswered.map(\.method))
    }
    let allowed = offer.responders.filter { switches.allows($0.method) && isPermitted($0) }
    guard !allowed.isEmpty else {
      return .unsupported((offer.responders + offer.unanswered).map(\.method))
    }
    let expected = allowed.filter { authenticator.expects($0.space) }
    guard !expected.isEmpty else { return .unexpected(first.space) }
    while true {
      let usable = expected.filter { isAllowed($0) }
      guard let strongest = usable.first else {
        let isBarred = expected.contains { !declined.contains($0.method) }
        if let problem { return .mechanismFailed(problem) }
        return failures > 0 ? reasonForRejection : isBarred ? .downgraded : .noCredential
      }
      if try takeOwn(usable) {
        guard try await isReady() else { continue }
        return nil
      }
      switch try await seek(usable, strongest) {
      case .attempt:
        if try await isReady() { return nil }
      case .again: continue
      case .end(let reason): return reason
      case .failed(let error): throw error
      }
    }
  }

  /// Seeks a credential that is not the caller's: in the vault, from the issuer of tokens, from the
  /// prompts.
  private mutating func seek(
    _ usable: [ChallengeResponder], _ strongest: ChallengeResponder
  ) async throws(VaultError) -> Asking {
    do throws(VaultError) {
      if comesBeforeVault {
        if asksAgain(beforeAskingFor: strongest) { return .attempt }
        return try await askBeforeVault(strongest)
      }
      // If the lookup finds the vault locked, it is unlocked and the lookup repeated.
      let isFound = try await unlocked { (side) throws(VaultError) in
        if try side.takeStored(usable) { return true }
        try side.findReplaced(usable)
        return false
      }
      if isFound { return .attempt }
    } catch {
      return .end(try reasonToEnd(error))
    }
    // The last attempt may have shown that the scheme is not available.
    guard isAllowed(strongest) else { return .again }
    // Its errors are the caller's own, and end the request as they are.
    if let refreshed = try await refresh(usable) { return refreshed }
    if asksAgain(beforeAskingFor: strongest) { return .attempt }
    do throws(VaultError) {
      // People know passwords, so a token is asked for only where nothing else helps.
      let passwords = usable.filter { !$0.requiresToken }
      // A password that Kerberos knows may be of no use here: nobody has said where its KDC is.
      return try await ask(
        passwords.first { $0.method != .negotiate } ?? passwords.first ?? strongest)
    } catch {
      return .end(try reasonToEnd(error))
    }
  }

  /// Tries the caller's credentials for this request.
  ///
  /// Each offer is checked again before use: a hash that libcrypto has just refused bars Basic in
  /// clear.
  private mutating func takeOwn(_ usable: [ChallengeResponder]) throws(VaultError) -> Bool {
    for responder in usable where isAllowed(responder) {
      for credential in own
      where !wasRejected(credential, by: responder.space)
        && maySend(credential, to: responder)
      {
        if try take(own: credential, for: responder) { return true }
      }
    }
    return false
  }

  /// Makes an attempt with a credential of the caller's, which is stored as it asks once it is
  /// accepted.
  mutating func take(
    own credential: Credential, for responder: ChallengeResponder
  ) throws(VaultError) -> Bool {
    guard try take(credential, nil, for: responder) else { return false }
    keep(switches.granted(credential.persistence))
    return true
  }

  /// Tries the stored credentials of the strongest scheme that has any; if there was none, those
  /// that are stored for Basic answer Digest.
  ///
  /// Servers check both against the same users if they give one realm to both, and Digest protects
  /// what would otherwise be sent as it is.
  private mutating func takeStored(_ usable: [ChallengeResponder]) throws(VaultError) -> Bool {
    for responder in usable where isAllowed(responder) {
      if try takeStored(in: responder.space, for: responder) { return true }
      if takeTickets(for: responder) { return true }
    }
    guard failures == 0 else { return false }
    for responder in usable
    where responder.hidesSecret && isAllowed(responder) {
      let space = try responder.space.with(.basic)
      if try takeStored(in: space, for: responder) { return true }
    }
    return false
  }

  private mutating func takeStored(
    in space: ProtectionSpace, for responder: ChallengeResponder
  ) throws(VaultError) -> Bool {
    while let candidate = try choices(in: space, for: responder).chosen {
      // Another request's answer is confirmed by it, unless this one may keep it so.
      let pending = candidate.pending.flatMap {
        switches.granted($0.requested) == $0.requested ? $0 : nil
      }
      if try take(
        candidate.credential, pending, for: responder, service: candidate.item.serviceName)
      {
        return true
      }
    }
    return false
  }

  /// Makes an attempt with a credential; if the scheme cannot carry it, the credential is skipped
  /// from now on.
  ///
  /// The same holds if libcrypto refuses the hash: nobody is prompted for such a scheme, and Digest
  /// counts as tried.
  mutating func take(
    _ credential: Credential, _ pending: PendingCredential?, for responder: ChallengeResponder,
    service: String? = nil
  ) throws(VaultError) -> Bool {
    guard !responder.method.isBoundToConnection else {
      guard !wasRejected(credential, by: responder.space) else { return false }
      plan(
        LoginPlan(responder, challenge: responder, credential, pending: pending, service: service))
      return true
    }
    let shared =
      switches.usesSession
      ? authenticator.shared(responder, user: credential.user) : responder
    do throws(VaultError) {
      let attempt = try Attempt(
        shared, answering: responder, credential, pending: pending, for: request)
      self.attempt = attempt
      problem = nil
      authenticator.noteDigest(attempt)
      return true
    } catch {
      guard error.code == .invalidArgument || error.code == .unsupported else { throw error }
      if error.code == .unsupported {
        hasTriedDigest = true
        declined.insert(responder.method)
      }
      skip(credential, for: responder)
      return false
    }
  }

  /// Returns the stored candidates for a challenge, as the lookup of its space finds them.
  func choices(for responder: ChallengeResponder) throws(VaultError) -> Choices {
    try choices(in: responder.space, for: responder)
  }

  /// Returns the stored candidates of a space for a challenge: those of the first vault that has
  /// any of the user who is meant, without those that were rejected or must not be sent there.
  ///
  /// If nobody is meant, the first vault that has any of the last success's user comes first.
  private func choices(
    in space: ProtectionSpace, for responder: ChallengeResponder
  ) throws(VaultError) -> Choices {
    let lastUser = switches.usesSession ? authenticator.lastUser(of: space) : nil
    var others: [Candidate] = []
    return try authenticator.vaults.firstAnswer { (vault) throws(VaultError) in
      var choices = try choices(in: space, for: responder, of: vault, lastUser)
      if !choices.hasMeant {
        // The prompt may choose one of the others.
        choices.add(others)
        others = choices.candidates
      }
      return choices
    } where: {
      $0.hasMeant
    } preferring: { choices in
      meantUser != nil || lastUser.map { choices.candidates.first(of: $0) != nil } ?? true
    }
  }

  private func choices(
    in space: ProtectionSpace, for responder: ChallengeResponder, of vault: Vault,
    _ lastUser: String?
  ) throws(VaultError) -> Choices {
    let preferred = try vault.defaultUsers(of: space) + (lastUser.map { [$0] } ?? [])
    var choices = Choices(meant: meantUser, preferred: preferred)
    for space in try space.andWithoutRealm where choices.chosen == nil {
      choices.add(
        try authenticator.candidates(ItemQuery(space, at: requestPath), in: vault).filter {
          switches.allows($0.item) && !wasRejected($0.credential, by: responder.space)
            && maySend($0, to: responder)
        })
    }
    return choices
  }
}

extension ProtectionSpace {
  /// Returns the same space with another method.
  fileprivate func with(_ method: AuthenticationMethod) throws(VaultError) -> ProtectionSpace {
    try ProtectionSpace(
      host: host, port: port, protocol: `protocol`, realm: realm, authenticationMethod: method)
  }
}
