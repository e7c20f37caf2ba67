import SecureMemory
import VaultModel

/// What is known of one side of an exchange: the server, or the proxy.
struct ChallengeSide: Sendable {
  /// A credential that is not tried again.
  private struct Rejection: Sendable {
    let space: ProtectionSpace
    let user: String
    let secret: Secret
    /// Whether only the scheme was the obstacle: it cannot carry it.
    let isOfScheme: Bool
  }

  /// The proxy's side.
  let isProxy: Bool
  /// What the caller gave, in the order in which it is tried; all of one user.
  let own: [Credential]
  /// The user whom the caller means; nil if any will do.
  let account: String?
  /// The stored user whom the prompt chose.
  var chosenUser: String?
  /// What was sent last and was not rejected.
  var attempt: Attempt? {
    didSet { if attempt?.authentication.method == .digest { hasTriedDigest = true } }
  }
  /// What is sent again with the nonce that a request without a field gets.
  var waiting: Attempt?
  /// Whether a Digest response was sent, or could not be made.
  var hasTriedDigest = false
  private var rejections: [Rejection] = []
  /// What was answered with a challenge of another realm.
  private var undecided: [(user: String, secret: Secret)] = []
  /// How often a credential was rejected, over all schemes.
  private(set) var failures = 0
  private(set) var failedUser: String?
  /// How often a credential was sent again for its nonce without a success between: 1 with a newer one, 2 with an own one.
  var nonceRounds = 0
  /// How often somebody was asked.
  var questions = 0
  /// The schemes that the prompt does not want.
  var declined: Set<AuthenticationMethod> = []

  /// Takes what the caller gave; whoever names an account, or gives a credential, means no other user.
  init(isProxy: Bool, own: [Credential], account: String?) {
    let user = account ?? own.first?.user
    self.isProxy = isProxy
    self.own = own.filter { user.means($0.user) }
    self.account = user
  }

  /// Whether the response is a challenge of this side.
  func isChallenged(by response: ResponseHead) -> Bool {
    response.status == (isProxy ? 407 : 401)
  }

  /// The one user whose credentials are tried without a question; nil if any will do.
  ///
  /// Where one was rejected, another user's in its place would log in as somebody who is not meant.
  var meantUser: String? { chosenUser ?? account ?? failedUser }

  /// Takes note that a credential was rejected.
  mutating func reject(_ credential: Credential, by authentication: Authentication) {
    note(credential, authentication, isOfScheme: false)
    failures += 1
    failedUser = credential.user
    attempt = nil
  }

  /// Takes note that a scheme cannot carry a credential.
  mutating func skip(_ credential: Credential, for authentication: Authentication) {
    note(credential, authentication, isOfScheme: true)
  }

  /// Takes note that a credential was answered with the challenge of another realm.
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

  /// Whether a credential is not sent to a space, because it was rejected, under whichever scheme, or cannot be sent.
  ///
  /// Nor is one that two other realms did not want: a server that names ever new ones would be sent it for ever.
  func wasRejected(_ credential: Credential, by space: ProtectionSpace) -> Bool {
    func isSame(_ user: String, _ secret: Secret) -> Bool {
      user.hasSameBytes(as: credential.user) && secret.isEqual(to: credential.secret)
    }
    if undecided.count(where: { isSame($0.user, $0.secret) }) >= 2 { return true }
    return rejections.contains { rejection in
      let isHere =
        rejection.isOfScheme
        ? rejection.space == space
          // What was sent unasked, and for no realm, was meant for all of them.
        : rejection.space.realm.isEmpty || rejection.space.withoutMethod == space.withoutMethod
      return isHere && isSame(rejection.user, rejection.secret)
    }
  }
}

extension String? {
  /// Whether a user is the one who is meant; where nobody is, any will do.
  func means(_ user: String) -> Bool { map { $0.hasSameBytes(as: user) } ?? true }
}
