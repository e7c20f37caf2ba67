import CredentialVault
import SecureMemory
import VaultModel

/// One credential on its way: where it is from, and what it was made into.
struct Attempt: Sendable {
  /// What it answers.
  let authentication: Authentication
  /// What was sent.
  let credential: Credential
  /// What has to be confirmed or rejected; nil if it is stored already, or is not to be.
  let pending: PendingCredential?
  /// The field of the last request.
  var field: AuthorizationField
  /// Whether the server or proxy has accepted it, and that was taken note of.
  var isAccepted = false

  /// Makes the field for a request.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the scheme cannot carry this user or password.
  init(
    _ authentication: Authentication, _ credential: Credential, pending: PendingCredential? = nil,
    for request: HTTPRequest
  ) throws(VaultError) {
    self.authentication = authentication
    self.credential = credential
    self.pending = pending
    field = try authentication.field(for: credential, of: request)
  }

  /// Makes the field for the next request, with the nonce as it is now.
  mutating func renew(for request: HTTPRequest) throws(VaultError) {
    field = try authentication.field(for: credential, of: request)
  }
}

/// What is known of one side of an exchange: the server, or the proxy.
struct Leg: Sendable {
  /// What was refused, or cannot be sent.
  struct Refusal: Sendable {
    let space: ProtectionSpace
    let user: String
    let secret: Secret
    /// Whether only the scheme was the obstacle.
    let isOfScheme: Bool
  }

  /// The proxy's side.
  let isProxy: Bool
  /// What the caller gave, in the order in which it is tried.
  let own: [Credential]
  /// The user whom the caller means; nil if any will do.
  let account: String?
  /// The stored user whom the asker chose.
  var chosenUser: String?
  /// What was sent last and was not refused.
  var attempt: Attempt?
  private(set) var refusals: [Refusal] = []
  /// How often a credential was refused, over all schemes.
  private(set) var failures = 0
  private(set) var failedUser: String?
  /// How often a nonce was called stale without a success between.
  var staleRounds = 0
  /// How often somebody was asked.
  var questions = 0
  /// The schemes that the asker does not want.
  var declined: Set<AuthenticationMethod> = []

  /// Takes what the caller gave; whoever names an account means no other.
  init(isProxy: Bool, own: [Credential], account: String?) {
    self.isProxy = isProxy
    self.own = own.filter { credential in
      account.map { $0.hasSameBytes(as: credential.user) } ?? true
    }
    self.account = account ?? self.own.first?.user
  }

  /// Whether the response is a challenge of this side.
  func isChallenged(by response: HTTPResponse) -> Bool {
    response.status == (isProxy ? 407 : 401)
  }

  /// The one user whose credentials are tried without a question; nil if any will do.
  ///
  /// Where one was refused, another user's in its place would log in as somebody who is not meant.
  var meantUser: String? { chosenUser ?? account ?? failedUser }

  /// Takes note that a credential was refused.
  mutating func refuse(_ credential: Credential, by authentication: Authentication) {
    refusals.append(
      Refusal(
        space: authentication.space, user: credential.user, secret: credential.secret,
        isOfScheme: false))
    failures += 1
    failedUser = credential.user
    attempt = nil
  }

  /// Takes note that a scheme cannot carry a credential.
  mutating func skip(_ credential: Credential, for authentication: Authentication) {
    refusals.append(
      Refusal(
        space: authentication.space, user: credential.user, secret: credential.secret,
        isOfScheme: true))
  }

  /// Whether a credential was refused here already, under whichever scheme.
  func wasRefused(_ credential: Credential, by space: ProtectionSpace) -> Bool {
    refusals.contains { refusal in
      let isHere =
        refusal.isOfScheme
        ? refusal.space == space
          // What was sent unasked, and for no realm, was meant for all of them.
        : refusal.space.realm.isEmpty || refusal.space.withoutMethod == space.withoutMethod
      return isHere && refusal.user.hasSameBytes(as: credential.user)
        && refusal.secret.isEqual(to: credential.secret)
    }
  }

  /// Whether an offer may be taken up.
  ///
  /// Never Basic in clear where Digest has failed: whoever can change what is on the wire would only have to spoil one
  /// response to read the password in the next request.
  func allows(_ authentication: Authentication) -> Bool {
    guard !declined.contains(authentication.method) else { return false }
    guard !authentication.receivesCredentialSecurely else { return true }
    return !refusals.contains { $0.space.authenticationMethod == .digest && !$0.isOfScheme }
  }
}
