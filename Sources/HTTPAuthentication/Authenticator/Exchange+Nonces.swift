import HTTPChallenge
import VaultModel

/// Retries for cases in which the nonce, and not the password, may be the reason for a refusal.
extension Exchange {
  /// Sends a credential again whose nonce was too old.
  ///
  /// The first retry uses the newest nonce that any request has brought, if the server says that
  /// the nonce was stale. The second uses one of the request's own. A server that still reports a
  /// stale nonce then ends the exchange.
  mutating func renew(
    _ attempt: Attempt, _ response: ResponseHead, _ index: Int
  ) throws(VaultError) -> Outcome.Reason? {
    switch sides[index].nonceRounds {
    case 0 where saysStale(response, index):
      sides[index].nonceRounds = 1
      try sides[index].attempt?.renew(for: request)
      return nil
    case 0, 1:
      getOwnNonce(attempt, index)
      return nil
    default:
      authenticator.forget(attempt)
      return .refused
    }
  }

  /// Returns whether a rejected response may only have come too late, with a nonce that other
  /// requests also count.
  ///
  /// A server that requires the counts in order rejects such a response, and does not say why.
  func mayBeLate(_ attempt: Attempt, _ index: Int) -> Bool {
    attempt.sharesNonce && sides[index].nonceRounds < 2
  }

  /// Sends the request without a field, for a nonce and an `opaque` that no other request has.
  ///
  /// If nonces are good for one request, the challenge of this response is useless: httpd keeps one
  /// nonce for each `opaque`, and a challenge in answer to a field has that field's.
  mutating func getOwnNonce(_ attempt: Attempt, _ index: Int) {
    sides[index].nonceRounds = 2
    sides[index].attempt = nil
    sides[index].waiting = attempt
  }

  /// Answers the challenge of a request that was sent without a field, with the previous
  /// credential.
  mutating func takeOwnNonce(
    _ response: ResponseHead, _ index: Int
  ) throws(VaultError) {
    guard let waiting = sides[index].waiting, sides[index].isChallenged(by: response) else {
      return
    }
    sides[index].waiting = nil
    let offer = try Authentication.offered(by: response, to: request)
    let same = offer.authentications.first { $0.isOfSameChallenge(as: waiting.authentication) }
    guard let same else { return }
    sides[index].attempt = try waiting.alone(with: same, for: request)
  }

  /// Returns whether the server says that only the nonce was wrong, and the password was right.
  private func saysStale(_ response: ResponseHead, _ index: Int) -> Bool {
    let name = sides[index].isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
    return ChallengeList(response.values(of: name)).challenges.contains { challenge in
      if case .digest(let digest) = challenge { digest.isStale } else { false }
    }
  }
}
