import HTTPChallenge
import SecureMemory
public import VaultModel

extension Authentication {
  /// What a response says of the credential that was sent.
  public enum Verdict: Hashable, Sendable {
    /// It is right.
    case accepted
    /// It may be right, and its nonce was too old: the same credential is sent once more, in a new field.
    ///
    /// A server can say so for ever; how often to believe it is the caller's to bound.
    case stale
    /// It is wrong.
    case rejected
    /// It is right, and does not help.
    case refused
    /// The server claims to know the password, too, and its proof is wrong: this is not its response.
    case unproven
    /// The response is not about it.
    case undecided
  }

  /// Says what a response means for the credential in a field, and takes the nonces that it brings.
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
  /// Judged by its challenges: if they are of other realms only, undecided; if the same scheme, realm and algorithm is
  /// among them with Digest's `stale`, or the nonce was from an earlier response, stale; else rejected. What is accepted
  /// is unproven if `Authentication-Info` has a wrong `rspauth`; a missing one is not asked for.
  ///
  /// - Parameters:
  ///   - response: To the request that the field was sent with.
  ///   - field: Made by this authentication.
  ///   - request: What the field was made for.
  /// - Returns: The verdict.
  /// - Throws: ``VaultError/Code/invalidArgument`` if field and authentication are not both a server's or both a
  ///   proxy's, or the request is for another; ``VaultError/Code/unavailable`` if a hash cannot be computed.
  /// - Source: RFC 7616 §§3.3, 3.5, RFC 9110 §§11.7, 15.5.
  public func judge(
    _ response: ResponseHead, to field: AuthorizationField, of request: RequestHead
  ) throws(VaultError) -> Verdict {
    try judge(response, to: field, of: request, takingNonce: true)
  }

  /// As ``judge(_:to:of:)``; `takingNonce` is false where the nonce of a challenge is for the caller alone.
  package func judge(
    _ response: ResponseHead, to field: AuthorizationField, of request: RequestHead,
    takingNonce: Bool
  ) throws(VaultError) -> Verdict {
    guard field.isProxy == isProxy, challenger.isAsked(by: request) else {
      throw VaultError(.invalidArgument, "field: not for the server or proxy that asks")
    }
    switch (response.status, isProxy) {
    case (401, false), (407, true):
      return judgeChallenge(response, to: field, takingNonce: takingNonce)
    case (403, false):
      state.withLock { $0.problem = .refused }
      return .refused
    case (200..<400, _), (404, _), (400..<500, true): return try judgeSuccess(response, to: field)
    default: return .undecided
    }
  }

  private func judgeChallenge(
    _ response: ResponseHead, to field: AuthorizationField, takingNonce: Bool
  ) -> Verdict {
    let challenges = ChallengeList(response.values(of: challenger.challengeField)).challenges
    return state.withLock { state in
      guard let own = state.challenge else { return .undecided }
      // A scheme without a realm, such as Negotiate, stands beside any.
      let realms = challenges.map(\.realm).filter { !$0.isEmpty }
      guard realms.isEmpty || realms.contains(where: { $0.hasSameBytes(as: own.realm) }) else {
        return .undecided
      }
      let same = challenges.first { $0.isSame(as: own) }
      // Otherwise another response has brought a later nonce already.
      if let same, takingNonce, state.isCurrent(field) { state.adopt(same) }
      if case .digest(let digest) = same, digest.isStale || field.usesOldNonce { return .stale }
      state.problem = .badPassword
      return .rejected
    }
  }

  private func judgeSuccess(
    _ response: ResponseHead, to field: AuthorizationField
  ) throws(VaultError) -> Verdict {
    let name = isProxy ? "Proxy-Authentication-Info" : "Authentication-Info"
    let info = AuthenticationInfo(response.values(of: name))
    if let digest = field.digest, info.responseProof != nil, try !digest.isProven(by: info) {
      return .unproven
    }
    state.withLock { state in
      state.problem = nil
      guard field.digest != nil else { return }
      if info.nextNonce != nil { state.hasSeenNextNonce = true }
      guard state.isCurrent(field) else { return }
      state.nonce?.isOld = true
      if let next = info.nextNonce, !(state.nonce?.text.hasSameBytes(as: next) ?? false) {
        state.nonce = ServerNonce(next, isOld: true)
      }
    }
    return .accepted
  }
}

extension Authentication.State {
  /// Whether a field was made with the nonce that the next one would be made with.
  fileprivate func isCurrent(_ field: AuthorizationField) -> Bool {
    guard let used = field.digest?.nonce else { return true }
    return nonce?.text.hasSameBytes(as: used) ?? true
  }
}
