import CredentialVault
import VaultModel

/// Keeping tokens, and a password that is proven by Digest, from being sent in clear.
///
/// An attacker on the network would only have to spoil one response, or to invent a challenge, to
/// read the password in the next request. `Documentation/networking.md` has a table of the cases.
extension ChallengeSide {
  /// Returns whether an offer may be used.
  ///
  /// A token goes only where nobody else reads it, unless a switch allows more. Basic is never used
  /// in clear after a challenge was answered with Digest, nor in a realm in
  /// which any request has tried Digest, unless Basic had been accepted there before. In a later
  /// exchange of that realm, the prompt may decline Digest.
  func isAllowed(_ responder: ChallengeResponder) -> Bool {
    guard !declined.contains(responder.method), !missing.contains(responder.method) else {
      return false
    }
    if responder.requiresToken { return isTrustworthy || switches.sendsTokensInClear }
    if responder.method == .negotiate { return mayNegotiate }
    guard !responder.receivesCredentialSecurely else { return true }
    let space = responder.space
    guard !hasTriedDigest else { return false }
    guard authenticator.hasTriedDigest(in: space) else { return true }
    return declined.contains(where: \.hidesSecret)
      && unaskedDigest?.withoutMethod != space.withoutMethod
  }

  /// Returns whether a stored credential may be sent to a space; one that is stored for this very
  /// realm may, unless the realm has pages of Digest too.
  func maySend(_ candidate: Candidate, to responder: ChallengeResponder) -> Bool {
    guard responder.isAnswered(by: candidate.credential.kind) else { return false }
    if responder.method == .ntlm { return mayAnswerNTLM(candidate) }
    let realm = responder.space.realm
    return !realm.isEmpty && candidate.item.realm.hasSameBytes(as: realm)
      && !authenticator.hasBothSchemes(in: responder.space)
      || maySend(candidate.credential, to: responder)
  }

  /// Returns whether a credential may be sent to a space.
  ///
  /// In clear, it may not if it has been used for Digest in another realm of the server, unless it
  /// was accepted in this one before. While a Digest response sent before a challenge leaves doubt,
  /// only the latter may.
  func maySend(_ credential: Credential, to responder: ChallengeResponder) -> Bool {
    guard responder.isAnswered(by: credential.kind) else { return false }
    if responder.method == .ntlm { return mayAnswerNTLM(credential) }
    // Where a token may not go at all, there is no attempt.
    guard !responder.requiresToken else { return true }
    let space = responder.space
    let isInDoubt = unaskedDigest != nil && !hasAskedAgain
    guard !responder.receivesCredentialSecurely,
      isInDoubt || authenticator.hasUsedDigest(at: space),
      // A credential that Basic cannot carry is skipped when it is tried.
      let hash = authenticator.hash(of: credential)
    else { return true }
    if switches.usesSession, authenticator.hasSuccess(in: space, of: hash) { return true }
    guard !isInDoubt else { return false }
    return !authenticator.hasUsedForDigest(hash, at: space)
  }

  /// Returns whether the request is sent again without a field before anybody is asked.
  ///
  /// A Digest response that no challenge has asked for may be why the server offers only Basic.
  mutating func asksAgain(beforeAskingFor responder: ChallengeResponder) -> Bool {
    guard unaskedDigest != nil, !hasAskedAgain, !responder.receivesCredentialSecurely else {
      return false
    }
    hasAskedAgain = true
    return true
  }

  /// Returns whether there is a credential that must not be sent to a space, and was not rejected.
  func withholds(from responder: ChallengeResponder) throws(VaultError) -> Bool {
    let space = responder.space
    if own.contains(where: {
      responder.isAnswered(by: $0.kind) && !wasRejected($0, by: space)
        && !maySend($0, to: responder)
    }) {
      return true
    }
    for vault in authenticator.vaults.vaults {
      for space in try space.andWithoutRealm {
        let found = try authenticator.candidates(ItemQuery(space, at: requestPath), in: vault)
        if found.contains(where: {
          meantUser.means($0.item.account) && switches.allows($0.item)
            && responder.isAnswered(by: $0.credential.kind)
            && !wasRejected($0.credential, by: responder.space)
            && !maySend($0, to: responder)
        }) {
          return true
        }
      }
    }
    return false
  }
}
