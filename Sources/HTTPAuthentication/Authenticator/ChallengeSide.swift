import SecureMemory
import VaultModel

/// The state of one side of an exchange: the server or the proxy.
struct ChallengeSide: Sendable {
  /// A credential that is not tried again.
  private struct Rejection: Sendable {
    let space: ProtectionSpace
    let user: String
    let secret: Secret
    /// Whether the only obstacle was that the scheme cannot carry it.
    let isOfScheme: Bool
  }

  /// Whether this is the proxy's side.
  let isProxy: Bool
  /// The caller's credentials, in the order in which they are tried; all of one user.
  let own: [Credential]
  /// The user that the caller means; nil for any.
  let account: String?
  /// The stored user that the prompt chose.
  var chosenUser: String?
  /// The last attempt that was not rejected.
  var attempt: Attempt? {
    didSet { if attempt?.authentication.method == .digest { hasTriedDigest = true } }
  }
  /// The attempt to repeat with the nonce that a request without a field gets.
  var waiting: Attempt?
  /// Whether a Digest response was sent, or could not be made.
  var hasTriedDigest = false
  private var rejections: [Rejection] = []
  /// The credentials that were answered with a challenge of another realm.
  private var undecided: [(user: String, secret: Secret)] = []
  /// The number of rejections, over all schemes.
  private(set) var failures = 0
  private(set) var failedUser: String?
  /// The retries for a nonce since the last success: 1 with a newer nonce, 2 with one of the
  /// request's own.
  var nonceRounds = 0
  /// The number of prompts.
  var questions = 0
  /// The schemes that the prompt declined, or whose hash libcrypto refused.
  var declined: Set<AuthenticationMethod> = []

  /// Creates a side with the caller's credentials; an account or a credential excludes other users.
  init(isProxy: Bool, own: [Credential], account: String?) {
    let user = account ?? own.first?.user
    self.isProxy = isProxy
    self.own = own.filter { user.means($0.user) }
    self.account = user
  }

  /// Returns whether the response is a challenge of this side.
  func isChallenged(by response: ResponseHead) -> Bool {
    response.status == (isProxy ? 407 : 401)
  }

  /// The only user whose credentials are tried without a prompt; nil for any.
  ///
  /// After a rejection, another user's credential would log in as somebody who is not meant.
  var meantUser: String? { chosenUser ?? account ?? failedUser }

  /// Records that a credential was rejected.
  mutating func reject(_ credential: Credential, by authentication: Authentication) {
    note(credential, authentication, isOfScheme: false)
    failures += 1
    failedUser = credential.user
    attempt = nil
  }

  /// Records that a scheme cannot carry a credential.
  mutating func skip(_ credential: Credential, for authentication: Authentication) {
    note(credential, authentication, isOfScheme: true)
  }

  /// Records that a credential was answered with the challenge of another realm.
  mutating func leaveUndecided(_ credential: Credential) {
    undecided.append((credential.user, credential.secret))
    attempt = nil
  }

  private mutating func note(
    _ credential: Credential, _ authentication: Authentication, isOfScheme: Bool
  ) {
    rejections.append(
      Rejection(
        space: authentication.space, user: credential.user, secret: credential.secret,
        isOfScheme: isOfScheme))
  }

  /// Returns whether a credential must not be sent to a space.
  ///
  /// It must not if it was rejected, under any scheme, or cannot be sent. The same holds after two
  /// challenges of other realms: a server that names ever new realms would otherwise receive it
  /// without end.
  func wasRejected(_ credential: Credential, by space: ProtectionSpace) -> Bool {
    func isSame(_ user: String, _ secret: Secret) -> Bool {
      user.hasSameBytes(as: credential.user) && secret.isEqual(to: credential.secret)
    }
    if undecided.count(where: { isSame($0.user, $0.secret) }) >= 2 { return true }
    return rejections.contains { rejection in
      let isHere =
        rejection.isOfScheme
        ? rejection.space == space
          // A credential sent before a challenge, and for no realm, was meant for all of them.
        : rejection.space.realm.isEmpty || rejection.space.withoutMethod == space.withoutMethod
      return isHere && isSame(rejection.user, rejection.secret)
    }
  }
}

extension String? {
  /// Returns whether a user is the one who is meant; if nobody is, any user will do.
  func means(_ user: String) -> Bool { map { $0.hasSameBytes(as: user) } ?? true }
}
