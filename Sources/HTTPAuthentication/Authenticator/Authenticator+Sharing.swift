import HTTPChallenge
import SecureMemory
import VaultModel

extension Authenticator {
  /// The one authentication of a server or proxy and user: that of the last success, brought up to date by a new challenge.
  ///
  /// Requests that run at once so count one nonce together, and the folders that challenged add up.
  func shared(_ authentication: Authentication, user: String) -> Authentication {
    let known = known.withLock { known in
      known.authentication(of: authentication.space, user: user)
    }
    guard let known, known.isValid, known.renew(by: authentication) else { return authentication }
    return known
  }
}

extension Authentication {
  /// Basic for a request that was not challenged; what is sent before a challenge.
  static func basic(
    realm: String, for request: HTTPRequest, isProxy: Bool
  ) throws(VaultError) -> Authentication {
    try Authentication(
      .basic(BasicChallenge(realm: realm)),
      by: Challenger(request, isProxy: isProxy))
  }
}
