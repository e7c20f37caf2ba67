import HTTPChallenge
import VaultModel

/// Judging what was sent, by the response.
extension ChallengeSide {
  /// Judges the credential that was sent; returns nil if the exchange goes on.
  mutating func judge(_ response: ResponseHead) throws(VaultError) -> Outcome.Reason? {
    storageError = nil
    guard let attempt else {
      try takeOwnNonce(response)
      return nil
    }
    if let rounds = attempt.rounds { return try judge(rounds, of: attempt, response) }
    // A response through a tunnel is the server's and holds no proof of the proxy.
    let isTunnel = isProxy && request.isTunnelled
    let verdict = try attempt.responder.judge(
      response, to: attempt.field, of: request, inAnyRealm: attempt.isForAnyRealm,
      takingNonce: nonceRounds == 0,
      requiringProof: authenticator.settings.requiresProof && !isTunnel)
    switch verdict {
    case .accepted:
      nonceRounds = 0
      accept(attempt)
    case .stale:
      return try retry(attempt, after: response)
    case .rejected where mayBeLate(attempt):
      fetchOwnNonce(for: attempt)
    case .rejected:
      lacksScope = false
      try reject(attempt)
    case .refused:
      return .refused
    case .insufficientScope:
      guard canRefresh else { return .insufficientScope }
      lacksScope = true
      // It stays where it is: other requests do with it.
      reject(attempt.credential, by: attempt.responder)
    case .unproven:
      // The server could not prove its identity: an answer typed for it is not tried again without
      // a prompt.
      try authenticator.drop(attempt.pending)
      return .unproven
    case .undecided:
      guard isChallenged(by: response) else { return nil }
      // A challenge of another scheme or realm says nothing about this credential.
      leaveUndecided(attempt.credential)
    }
    return nil
  }

  /// Records that an attempt was accepted, once.
  mutating func accept(_ attempt: Attempt) {
    guard !attempt.isAccepted else { return }
    self.attempt?.isAccepted = true
    storageError =
      authenticator.accept(
        attempt, at: requestPath, isNamed: user != nil, isRemembered: switches.usesSession)
      ?? attempt.storageError
  }

  /// Records that an attempt was rejected: drops its credential if it is pending, and keeps it if
  /// it is stored.
  mutating func reject(_ attempt: Attempt) throws(VaultError) {
    forget(attempt)
    try authenticator.drop(attempt.pending)
    reject(
      attempt.credential, by: attempt.responder, isForAnyRealm: attempt.isForAnyRealm)
  }

  /// Forgets the success that an attempt relied on; without the session, it relied on none.
  func forget(_ attempt: Attempt) {
    if switches.usesSession { authenticator.forget(attempt) }
  }

  /// Makes the field for the next request with the current nonce.
  mutating func renew() throws(VaultError) {
    guard var attempt else { return }
    try attempt.renew(for: request)
    self.attempt = attempt
  }

  /// Sends a credential again whose nonce was too old.
  ///
  /// The first retry uses the newest nonce that any request has brought, if the server says that
  /// the nonce was stale. The second uses one of the request's own. A server that still reports a
  /// stale nonce then ends the exchange.
  private mutating func retry(
    _ attempt: Attempt, after response: ResponseHead
  ) throws(VaultError) -> Outcome.Reason? {
    // The server has asked for it now.
    hasTriedDigest = true
    switch nonceRounds {
    case 0 where saysStale(response):
      nonceRounds = 1
      try renew()
      return nil
    case 0, 1:
      fetchOwnNonce(for: attempt)
      return nil
    default:
      forget(attempt)
      return .refused
    }
  }

  /// Returns whether a rejected response may only have come too late, with a nonce that other
  /// requests also count.
  ///
  /// A server that requires the counts in order rejects such a response, and does not say why.
  private func mayBeLate(_ attempt: Attempt) -> Bool {
    attempt.sharesNonce && nonceRounds < 2
  }

  /// Sends the request without a field, for a nonce and an `opaque` that no other request has.
  ///
  /// If nonces are good for one request, the challenge of this response is useless: httpd keeps one
  /// nonce for each `opaque`, and a challenge in answer to a field has that field's.
  private mutating func fetchOwnNonce(for attempt: Attempt) {
    nonceRounds = 2
    phase = .fetchingNonce(attempt)
  }

  /// Answers the challenge of a request that was sent without a field, with the previous
  /// credential.
  private mutating func takeOwnNonce(_ response: ResponseHead) throws(VaultError) {
    guard case .fetchingNonce(let previous) = phase, isChallenged(by: response) else { return }
    phase = .open
    let offer = try ChallengeResponder.offered(by: response, to: request)
    let same = offer.responders.first { $0.isOfSameChallenge(as: previous.responder) }
    guard let same else { return }
    attempt = try previous.alone(with: same, for: request)
  }

  /// Returns whether the server says that only the nonce was wrong, and the password was right.
  private func saysStale(_ response: ResponseHead) -> Bool {
    let name = isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
    return ChallengeList(response.values(of: name)).challenges.contains { challenge in
      if case .digest(let digest) = challenge { digest.isStale } else { false }
    }
  }
}
