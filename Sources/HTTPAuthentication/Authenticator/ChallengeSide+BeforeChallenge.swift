import CredentialVault
import HTTPChallenge
import SecureMemory
import VaultModel

/// Sending credentials before a challenge.
extension ChallengeSide {
  /// Whether ``attemptBeforeChallenge()`` may use the vault.
  var looksUpBeforeChallenge: Bool {
    switch switches.beforeChallenge {
    case .never: false
    case .afterSuccess: knownEntry(of: user) != nil
    case .always: knownEntry(of: user) != nil || isTrustworthy
    }
  }

  /// Chooses the attempt of the first request, as its ``BeforeChallenge`` allows.
  mutating func attemptBeforeChallenge() throws(VaultError) {
    guard switches.beforeChallenge != .never else { return }
    do throws(VaultError) {
      let last = knownEntry(of: user)
      if let last, last.responder.method.isBoundToConnection {
        try planKnown(last)
      } else if let known = try last.flatMap({ (last) throws(VaultError) in
        try knownAttempt(last, atOnce: false)
      }) {
        use(known)
      } else if switches.beforeChallenge == .always, isTrustworthy {
        attempt = try unaskedAttempt()
      }
    } catch {
      // Nobody is prompted to unlock a vault for a credential that no server has requested.
      guard error.code == .locked else { throw error }
    }
  }

  /// Chooses the attempt at an earlier success if the vault says without a wait what to send.
  ///
  /// - Returns: Whether it has; if not, nothing has changed.
  mutating func attemptKnownAtOnce() -> Bool {
    guard switches.beforeChallenge != .never, let last = knownEntry(of: user),
      !last.responder.method.isBoundToConnection
    else { return false }
    do throws(VaultError) {
      guard let known = try knownAttempt(last, atOnce: true) else { return false }
      use(known)
      return true
    } catch {
      // Whatever it is: the lookup that may wait succeeds, or says so.
      return false
    }
  }

  private mutating func use(_ known: Attempt) {
    attempt = known
    if known.responder.hidesSecret {
      unaskedDigest = known.responder.space
      authenticator.noteDigest(known)
    }
  }

  /// Returns an attempt at a success with the current credential; of the default user, if there is
  /// one.
  private func knownAttempt(
    _ last: KnownSuccesses.Entry, atOnce: Bool
  ) throws(VaultError) -> Attempt? {
    let stored = try storedCandidates(of: last, atOnce: atOnce)
    guard user == nil, let user = stored.defaultUsers.first,
      !user.hasSameBytes(as: last.user)
    else { return try attempt(last, stored) }
    guard let other = knownEntry(of: user) else { return nil }
    return try attempt(other, self.storedCandidates(of: other, atOnce: atOnce))
  }

  /// Returns the stored candidates for the space of a success.
  ///
  /// If there are several users, only those who are meant at the requested path are returned.
  func storedCandidates(
    of entry: KnownSuccesses.Entry, atOnce: Bool = false
  ) throws(VaultError) -> StoredCandidates {
    var stored = try authenticator.storedCandidates(
      of: entry, at: requestPath, user: user, atOnce: atOnce)
    stored.found.removeAll { !switches.allows($0.item) }
    guard user == nil else { return stored }
    stored.found = stored.found.leading
    // If items name a path, a default user of the server counts only if one of these items is
    // theirs.
    if let first = stored.found.first, first.depth > 0 {
      stored.defaultUsers.removeAll { stored.found.first(of: $0) == nil }
    }
    return stored
  }

  /// Returns the success that covers the request, of one user if `user` names one.
  func knownEntry(of user: String?) -> KnownSuccesses.Entry? {
    guard switches.usesSession else { return nil }
    return authenticator.known.withLock { known in
      known.covering(request, isProxy: isProxy, user: user)
    }
  }

  private func attempt(
    _ entry: KnownSuccesses.Entry, _ stored: StoredCandidates
  ) throws(VaultError) -> Attempt? {
    if let own = own.first(where: { $0.user.hasSameBytes(as: entry.user) }) {
      return isProvable(own, stored.found) ? try attempt(entry.responder, own: own) : nil
    }
    guard let stored = stored.found.first(of: entry.user) else { return nil }
    return try attempt(entry.responder, stored)
  }

  /// Returns an attempt as Basic with the only credential that can be meant, or as Bearer with the
  /// request's own token.
  ///
  /// A stored credential is used only if no success has shown its paths yet, and no item for this
  /// path names a path.
  private func unaskedAttempt() throws(VaultError) -> Attempt? {
    let basic = try ChallengeResponder.basic(realm: "", for: request, isProxy: isProxy)
    if let own = own.first {
      let responder =
        own.kind == .token ? try .bearer(for: request, isProxy: isProxy) : basic
      return isProvable(own, []) ? try attempt(responder, own: own, isForAnyRealm: true) : nil
    }
    guard !switches.usesSession || !authenticator.known.withLock({ $0.hasSuccess(at: basic.space) })
    else { return nil }
    var query = ItemQuery(basic.space)
    query.realm = .any
    query.requestPath = requestPath
    let candidates = try authenticator.candidates(query, of: user)
      .filter { switches.allows($0.item) }
    guard let first = candidates.first,
      candidates.allSatisfy({
        $0.item.path.isEmpty && $0.item.account.hasSameBytes(as: first.item.account)
          && $0.item.realm.hasSameBytes(as: first.item.realm)
      })
    else { return nil }
    return try attempt(
      ChallengeResponder.basic(realm: first.item.realm, for: request, isProxy: isProxy), first,
      isForAnyRealm: first.item.realm.isEmpty)
  }

  /// Returns whether the request's own credential may be sent before a challenge.
  ///
  /// One that is to be stored may not, unless it is stored: only a challenge proves it.
  private func isProvable(_ own: Credential, _ stored: [Candidate]) -> Bool {
    let own = switches.granted(own)
    return own.persistence == .none || stored.contains { $0.keeps(own) }
  }

  private func attempt(
    _ responder: ChallengeResponder, own: Credential, isForAnyRealm: Bool = false
  ) throws(VaultError) -> Attempt? {
    guard maySend(own, to: responder) else { return nil }
    return try attempt(responder, with: own, pending: nil, isForAnyRealm: isForAnyRealm)
  }

  private func attempt(
    _ responder: ChallengeResponder, _ stored: Candidate, isForAnyRealm: Bool = false
  ) throws(VaultError) -> Attempt? {
    guard maySend(stored, to: responder) else { return nil }
    return try attempt(
      responder, with: stored.credential, pending: stored.pending,
      isForAnyRealm: isForAnyRealm)
  }

  private func attempt(
    _ responder: ChallengeResponder, with credential: Credential, pending: PendingCredential?,
    isForAnyRealm: Bool
  ) throws(VaultError) -> Attempt? {
    guard authenticator.expects(responder.space), switches.allows(responder.method),
      isAllowed(responder)
    else { return nil }
    do throws(VaultError) {
      return try Attempt(
        responder, answering: nil, credential, pending: pending, isForAnyRealm: isForAnyRealm,
        for: request)
    } catch {
      // The scheme cannot carry it; the challenge will show which scheme can.
      guard error.code == .invalidArgument || error.code == .unsupported else { throw error }
      return nil
    }
  }

  /// Whether data sent to this side is encrypted, or does not leave this machine.
  var isTrustworthy: Bool {
    let isProxyTrustworthy = request.proxy?.isTrustworthy ?? true
    if isProxy { return isProxyTrustworthy }
    // A proxy that does not tunnel reads the data sent to the server.
    return request.url.origin.isTrustworthy && (isProxyTrustworthy || request.isTunnelled)
  }
}

extension ChallengeResponder {
  /// Returns a responder with Basic for a request that was not challenged.
  fileprivate static func basic(
    realm: String, for request: RequestHead, isProxy: Bool
  ) throws(VaultError) -> ChallengeResponder {
    try ChallengeResponder(
      .basic(BasicChallenge(realm: realm)), by: Challenger(request, isProxy: isProxy))
  }

  /// Returns a responder with Bearer for a request that was not challenged.
  fileprivate static func bearer(
    for request: RequestHead, isProxy: Bool
  ) throws(VaultError) -> ChallengeResponder {
    try ChallengeResponder(.bearer(BearerChallenge()), by: Challenger(request, isProxy: isProxy))
  }
}
