import HTTPChallenge
import SecureMemory
public import VaultModel

extension ChallengeResponder {
  /// The meaning of a response for the credential that was sent.
  public enum Verdict: Hashable, Sendable {
    /// The credential is right.
    case accepted
    /// The credential may be right, but its nonce was too old: send it once more, in a new field.
    ///
    /// A server can report this indefinitely; the caller must limit the retries.
    case stale
    /// The credential is wrong.
    case rejected
    /// The credential is right, but access is denied.
    case refused
    /// The token is right, but not for this request: it lacks a scope.
    case insufficientScope
    /// The server claims to know the password, but its proof is wrong: the response is not the
    /// server's.
    case unproven
    /// The response says nothing about the credential.
    case undecided
  }

  /// Judges the credential in a field by the response, and adopts the nonces that the response
  /// brings.
  ///
  /// | response | of a server's | of a proxy's |
  /// |---|---|---|
  /// | 401 | judged by its challenges | accepted |
  /// | 407 | undecided | judged by its challenges |
  /// | 2xx, 3xx, 404 | accepted | accepted |
  /// | 403 | refused | accepted |
  /// | other 4xx | undecided | accepted |
  /// | 1xx, 5xx | undecided | undecided |
  ///
  /// "Judged by its challenges" means undecided if all challenges are of other schemes, realms or
  /// algorithms: whoever asks for something else has not looked at this credential. If one is the
  /// same, and either has Digest's `stale` or the nonce was from an earlier response, the verdict
  /// is stale; otherwise, and without any challenge, it is rejected. A 401 or 403 to a token is
  /// insufficient scope if its challenge has that error. An accepted field of Digest
  /// is unproven if `Authentication-Info` has a wrong `rspauth`, or if one is required and none can
  /// be checked.
  ///
  /// - Parameters:
  ///   - response: The response to the request that the field was sent with.
  ///   - field: A field made by this responder.
  ///   - request: The request that the field was made for.
  ///   - requiresProof: Whether a response without `rspauth` is also unproven.
  /// - Returns: The verdict.
  /// - Throws: ``VaultError/Code/invalidArgument`` if field and responder are not both a
  ///   server's or both a proxy's, or the request is for another; ``VaultError/Code/unavailable``
  ///   if a hash cannot be computed.
  /// - Source: RFC 7616 §§3.3, 3.5, RFC 9110 §§11.7, 15.5, RFC 6750 §3.1.
  public func judge(
    _ response: ResponseHead, to field: AuthorizationField, of request: RequestHead,
    requiringProof requiresProof: Bool = false
  ) throws(VaultError) -> Verdict {
    try judge(
      response, to: field, of: request, inAnyRealm: false, takingNonce: true,
      requiringProof: requiresProof)
  }

  /// Judges as ``judge(_:to:of:requiringProof:)`` does, perhaps a credential that was sent for
  /// whichever realm the challenge names; without `takingNonce`, a challenge's nonce is left to the
  /// caller.
  package func judge(
    _ response: ResponseHead, to field: AuthorizationField, of request: RequestHead,
    inAnyRealm isForAnyRealm: Bool, takingNonce: Bool, requiringProof requiresProof: Bool
  ) throws(VaultError) -> Verdict {
    guard field.isProxy == isProxy, challenger.isAsked(by: request) else {
      throw VaultError(.invalidArgument, "field: not for the server or proxy that asks")
    }
    switch (response.status, isProxy) {
    case (401, false), (407, true):
      return judgeChallenge(
        response, to: field, of: request, inAnyRealm: isForAnyRealm, takingNonce: takingNonce)
    case (403, false) where lacksScope(response): return .insufficientScope
    case (403, false):
      state.withLock { $0.failure = .refused }
      return .refused
    case (200..<400, _), (404, _), (400..<500, true):
      let isTunnel = isProxy && request.isTunnelled
      return try judgeSuccess(response, to: field, throughTunnel: isTunnel, requiresProof)
    default: return .undecided
    }
  }

  /// Returns whether a response says that the token lacks a scope.
  private func lacksScope(_ response: ResponseHead) -> Bool {
    guard requiresToken else { return false }
    return ChallengeList(response.values(of: challenger.challengeField)).challenges.contains {
      if case .bearer(let challenge) = $0 { challenge.lacksScope } else { false }
    }
  }

  private func judgeChallenge(
    _ response: ResponseHead, to field: AuthorizationField, of request: RequestHead,
    inAnyRealm isForAnyRealm: Bool, takingNonce: Bool
  ) -> Verdict {
    let challenges = ChallengeList(response.values(of: challenger.challengeField)).challenges
    return state.withLock { state in
      guard let own = state.challenge else { return .undecided }
      let same = challenges.first {
        $0.isSame(as: own) || isForAnyRealm && $0.method == own.method
      }
      guard same != nil || challenges.isEmpty else {
        if challenges.contains(where: { $0.realm.hasSameBytes(as: own.realm) }) {
          // These pages of the realm have another scheme: the next request begins with that one.
          state.scopes.removeAll { $0.covers(request.url) }
        }
        return .undecided
      }
      // If the field is not current, another response has already brought a later nonce.
      if let same, takingNonce, state.isCurrent(field) { state.adopt(same) }
      if case .digest(let digest) = same, digest.isStale || field.usesOldNonce { return .stale }
      if case .bearer(let bearer) = same, bearer.lacksScope { return .insufficientScope }
      state.failure = .badPassword
      return .rejected
    }
  }

  private func judgeSuccess(
    _ response: ResponseHead, to field: AuthorizationField, throughTunnel isTunnel: Bool,
    _ requiresProof: Bool
  ) throws(VaultError) -> Verdict {
    let name = isProxy ? "Proxy-Authentication-Info" : "Authentication-Info"
    // A response through a tunnel is the server's, whatever it says of the proxy.
    let info = AuthenticationInfo(isTunnel ? [] : response.values(of: name))
    if let digest = field.digest, requiresProof || info.responseProof != nil,
      try !digest.isProven(by: info)
    {
      return .unproven
    }
    state.withLock { state in
      state.failure = nil
      guard field.digest != nil else { return }
      if info.nextNonce != nil { state.hasSeenNextNonce = true }
      guard state.isCurrent(field) else { return }
      state.nonce?.isOld = true
      if let next = info.nextNonce, !(state.nonce?.text.hasSameBytes(as: next) ?? false) {
        state.nonce = ServerNonce(next: next, session: state.hasSession ? state.nonce : nil)
      }
    }
    return .accepted
  }
}

extension ChallengeResponder.State {
  /// Whether the key of Digest is that of a session.
  fileprivate var hasSession: Bool {
    if case .digest(let digest) = challenge { digest.algorithm.isSession } else { false }
  }

  /// Returns whether a field was made with the current nonce.
  fileprivate func isCurrent(_ field: AuthorizationField) -> Bool {
    guard let used = field.digest?.nonce else { return true }
    return nonce?.text.hasSameBytes(as: used) ?? true
  }
}
