import GSSAuthentication
import SecureMemory
import VaultModel

/// One side of an exchange, the server or the proxy, as a state machine.
///
/// It judges each response to what it sent, and answers its challenges with one attempt after the
/// other. The exchange only asks its sides, and turns their results into steps.
struct ChallengeSide: Sendable {
  /// A credential that is not tried again.
  private struct Rejection: Sendable {
    let space: ProtectionSpace
    let user: String
    let secret: Secret
    /// Whether the credential was sent before a challenge for whichever realm.
    let isForAnyRealm: Bool
    /// Whether the only obstacle was that the scheme cannot carry it.
    let isOfScheme: Bool
  }

  /// The part of a side in the next request.
  enum Phase: Sendable {
    /// The side sends no field; a challenge is answered with the next credential.
    case open
    /// The side sends the field of an attempt that was not rejected.
    case attempting(Attempt)
    /// The side sends no field, to get a nonce with which the attempt is repeated.
    case fetchingNonce(Attempt)
    /// The side is to begin a login on a connection.
    case planned(LoginPlan)
    /// The side is to continue a login with the server's token.
    case continuing(Attempt, token: [UInt8])
  }

  /// The request of the exchange.
  let request: RequestHead
  /// The authenticator, whose vault and prompt provide the credentials.
  let authenticator: Authenticator
  /// Whether this is the proxy's side.
  let isProxy: Bool
  /// The caller's credentials, in the order in which they are tried; all of one user.
  let own: [Credential]
  /// The user that the caller means; nil for any.
  let user: String?
  /// The switches of the request.
  let switches: Switches
  /// The prompt that is asked instead of the authenticator's; nil for the latter.
  var prompt: (any CredentialPrompt)?
  /// Whether the prompt before the vault has had no answer.
  var hasAskedBeforeVault = false
  /// The stored user that the prompt chose.
  var chosenUser: String?
  /// The part in the next request.
  var phase = Phase.open
  /// Whether a challenge was answered with Digest, or could not be.
  var hasTriedDigest = false
  /// The space of a Digest response that was sent before a challenge.
  var unaskedDigest: ProtectionSpace?
  /// Whether the request was sent again without a field, because that response left doubt.
  var hasAskedAgain = false
  /// The error if the credential that the last response accepted could not be stored.
  var storageError: VaultError?
  private var rejections: [Rejection] = []
  /// The credentials that were answered with a challenge of another scheme or realm.
  private var undecided: [(user: String, secret: Secret)] = []
  /// The number of rejections, over all schemes.
  private(set) var failures = 0
  private(set) var failedUser: String?
  /// The retries for a nonce since the last success: 1 with a newer nonce, 2 with one of the
  /// request's own.
  var nonceRounds = 0
  /// Whether the last token that was refused only lacked a scope.
  var lacksScope = false
  /// The item whose token a new one would replace, as the last lookup found it.
  var replacedItem: ItemID?
  /// The number of tokens that were fetched.
  var refreshes = 0
  /// The number of prompts.
  var questions = 0
  /// The schemes that the prompt declined, or whose hash libcrypto refused.
  var declined: Set<AuthenticationMethod> = []
  /// The schemes whose mechanism this machine lacks, so that no other password would help.
  var missing: Set<AuthenticationMethod> = []
  /// The items whose PIN was asked for.
  var askedPINs: Set<ItemID> = []
  /// The connection that the last response came on; nil if the client cannot tell.
  var connection: ClientConnection?
  /// The login that the next request is part of.
  var owner: ConnectionOwner?
  /// Whether the login has been made, so that its connection may be kept.
  var keepsConnection = false
  /// The logins whose connection was closed between two rounds.
  var lostLogins = 0
  /// Whether the user's own tickets were tried.
  var hasTriedTickets = false
  /// Whether the server has refused them.
  var hasRefusedTickets = false
  /// Why the last login failed before a server saw it.
  var problem: MechanismProblem?
  /// The word of the policy and the items on logins; nil until the vault was read.
  var permission: LoginPermission?

  /// Creates a side with the caller's credentials; a user or a credential excludes other users.
  init(
    isProxy: Bool, own: [Credential], user: String?, of request: RequestHead,
    _ authenticator: Authenticator
  ) {
    self.request = request
    self.authenticator = authenticator
    let user = user ?? own.first?.user
    self.isProxy = isProxy
    switches = Switches(of: request.options, authenticator)
    self.own = own.filter { user.means($0.user) }
    self.user = user
  }

  /// Returns the server's side of a request.
  static func server(of request: RequestHead, _ authenticator: Authenticator) -> ChallengeSide {
    var own = request.credential.map { [$0] } ?? []
    if let user = request.url.user, let password = request.url.password {
      let kept = Switches(of: request.options, authenticator).urlPersistence
      own.append(Credential(user: user, secret: password, persistence: kept))
    }
    // The user in the URL is wanted unless the caller gave another one.
    let user = request.user ?? (own.isEmpty ? request.url.user : nil)
    return ChallengeSide(isProxy: false, own: own, user: user, of: request, authenticator)
  }

  /// Returns the proxy's side of a request.
  static func proxy(of request: RequestHead, _ authenticator: Authenticator) -> ChallengeSide {
    ChallengeSide(
      isProxy: true, own: request.proxyCredential.map { [$0] } ?? [],
      user: request.proxyUser, of: request, authenticator)
  }

  /// The attempt that is sent; nil if there is none.
  var attempt: Attempt? {
    get { if case .attempting(let attempt) = phase { attempt } else { nil } }
    set {
      phase = newValue.map(Phase.attempting) ?? .open
      if newValue?.challenge?.hidesSecret == true { hasTriedDigest = true }
    }
  }

  /// The field for the next request; nil if this side sends none.
  var field: AuthorizationField? { attempt?.field }

  /// Whether a credential was sent that a response may store, confirm or reject.
  var isPending: Bool { attempt?.pending != nil || attempt.map { $0.kept > .none } ?? false }

  /// Whether a challenge is answered with another credential.
  var needsAttempt: Bool {
    switch phase {
    case .open, .planned, .continuing: true
    case .attempting, .fetchingNonce: false
    }
  }

  /// The path requested from this side, which selects items that name a path; a proxy has no paths.
  var requestPath: RequestPath {
    isProxy ? .root : RequestPath(target: request.url.target)
  }

  /// Returns whether the response is a challenge of this side, such as a 403 to a token that lacks
  /// a scope.
  func isChallenged(by response: ResponseHead) -> Bool {
    response.status == (isProxy ? 407 : 401)
      || response.status == 403 && !isProxy && lacksScope && needsAttempt
  }

  /// The only user whose credentials are tried without a prompt; nil for any.
  ///
  /// After a rejection, another user's credential would log in as somebody who is not meant.
  var meantUser: String? { chosenUser ?? user ?? failedUser }

  /// Records that a credential was rejected.
  mutating func reject(
    _ credential: Credential, by responder: ChallengeResponder, isForAnyRealm: Bool = false
  ) {
    rejections.append(
      Rejection(
        space: responder.space, user: credential.user, secret: credential.secret,
        isForAnyRealm: isForAnyRealm, isOfScheme: false))
    failures += 1
    failedUser = credential.user
    attempt = nil
  }

  /// The reason why an exchange ends in which every credential was rejected.
  var reasonForRejection: Outcome.Reason { lacksScope ? .insufficientScope : .rejected }

  /// Records that a credential was refused by whom its scheme asks before the server.
  mutating func skipRefused(_ credential: Credential, for responder: ChallengeResponder) {
    skip(credential, for: responder)
    failures += 1
    failedUser = credential.user
  }

  /// Records that a scheme cannot carry a credential.
  mutating func skip(_ credential: Credential, for responder: ChallengeResponder) {
    rejections.append(
      Rejection(
        space: responder.space, user: credential.user, secret: credential.secret,
        isForAnyRealm: false, isOfScheme: true))
  }

  /// Records that a credential was answered with the challenge of another scheme or realm.
  mutating func leaveUndecided(_ credential: Credential) {
    undecided.append((credential.user, credential.secret))
    attempt = nil
  }

  /// Returns whether a credential must not be sent to a space.
  ///
  /// It must not if it was rejected, under any scheme, or cannot be sent. The same holds after two
  /// challenges of other schemes or realms: a server that names ever new ones would otherwise
  /// receive it without end.
  func wasRejected(_ credential: Credential, by space: ProtectionSpace) -> Bool {
    func isSame(_ user: String, _ secret: Secret) -> Bool {
      user.hasSameBytes(as: credential.user) && secret.isEqual(to: credential.secret)
    }
    if undecided.count(where: { isSame($0.user, $0.secret) }) >= 2 { return true }
    return rejections.contains { rejection in
      let isHere =
        rejection.isOfScheme
        ? rejection.space == space
        : rejection.isForAnyRealm || rejection.space.withoutMethod == space.withoutMethod
      return isHere && isSame(rejection.user, rejection.secret)
    }
  }
}

extension String? {
  /// Returns whether a user is the one who is meant; if nobody is, any user will do.
  func means(_ user: String) -> Bool { map { $0.hasSameBytes(as: user) } ?? true }
}
