import HTTPChallenge
import VaultModel

/// What is sent again because its nonce, and not the password, may be why it was not accepted.
extension Exchange {
  /// Sends a credential once more whose nonce was too old; a server that goes on saying so will not have it.
  ///
  /// First with the newest nonce that any request has brought, if the server says that it is the nonce; then with one of
  /// the request's own.
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

  /// Whether a rejected response may only have come too late: it was made with a nonce that other requests count, too.
  ///
  /// A server that wants the counts in order calls such a one wrong, and does not say why.
  func mayBeLate(_ attempt: Attempt, _ index: Int) -> Bool {
    attempt.sharesNonce && sides[index].nonceRounds < 2
  }

  /// Sends the request without a field, for a nonce and an `opaque` that are nobody else's.
  ///
  /// The challenge of this response will not do where nonces are good for one request: httpd keeps one nonce for each
  /// `opaque`, and a challenge in answer to a field has that field's.
  mutating func getOwnNonce(_ attempt: Attempt, _ index: Int) {
    sides[index].nonceRounds = 2
    sides[index].attempt = nil
    sides[index].waiting = attempt
  }

  /// Answers the challenge of a request that was sent without a field, with what it had before.
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

  /// Whether the server says that it is the nonce, and that the password was right.
  private func saysStale(_ response: ResponseHead, _ index: Int) -> Bool {
    let name = sides[index].isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
    return ChallengeList(response.values(of: name)).challenges.contains { challenge in
      if case .digest(let digest) = challenge { digest.isStale } else { false }
    }
  }
}
