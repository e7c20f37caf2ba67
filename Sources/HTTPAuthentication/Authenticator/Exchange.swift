import CredentialVault
import HTTPChallenge
package import SecureMemory
public import VaultModel

/// The exchange of challenges and answers for one request, with its proxy and with its server.
///
/// It is a value driven by one task: send ``fields`` first, then ``next(after:on:)`` returns the
/// step after each response.
public struct Exchange: Sendable {
  /// The request, with the credentials from the caller.
  public let request: RequestHead
  /// The fields for the next request: at most one for the server and one for the proxy.
  ///
  /// For a tunnelled request, the proxy's field goes on `CONNECT` and the server's through the
  /// tunnel. The fields are for this request alone; the request after a redirect has its own
  /// exchange, ``redirected(to:method:)``.
  public var fields: [AuthorizationField] { sides.compactMap(\.field) }

  private let authenticator: Authenticator
  /// The server's side, then the proxy's if there is one.
  private var sides: [ChallengeSide]
  private var unexpected: [ProtectionSpace] = []
  private var skipped: [SkippedChallenge] = []
  private var storageError: VaultError?
  private var rounds = 0

  /// The limit on sending a request, whatever servers say.
  static let mostRounds = 30

  /// Creates the exchange of a request that nothing is sent with before a challenge.
  init(_ request: RequestHead, _ authenticator: Authenticator) {
    self.request = request
    self.authenticator = authenticator
    sides = [.server(of: request, authenticator)]
    if request.proxy != nil { sides.append(.proxy(of: request, authenticator)) }
  }

  /// Whether the vault is asked for a credential to send before a challenge.
  var looksUpBeforeChallenge: Bool { sides.contains(where: \.looksUpBeforeChallenge) }

  /// Chooses the credentials to send before a challenge.
  mutating func attemptBeforeChallenge() throws(VaultError) {
    for index in sides.indices { try sides[index].attemptBeforeChallenge() }
  }

  /// Chooses them if there is one side, and the vault says without a wait what to send.
  ///
  /// - Returns: Whether it has; if not, nothing has changed.
  mutating func attemptAtOnce() -> Bool {
    // A cancelled task is told so by the lookup that may wait.
    sides.count == 1 && !Task.isCancelled && sides[0].attemptKnownAtOnce()
  }

  /// Begins the exchange of the request that a redirect asks for.
  ///
  /// The request's credential, user and user info are dropped on a cross-origin redirect, and
  /// not restored on return. `https` and `http` are two origins, so neither receives the other's
  /// credentials. A user or password in the redirect's own URL is ignored: a server chose it.
  ///
  /// - Parameters:
  ///   - url: The absolute URL of the redirect.
  ///   - method: The method of the new request; nil for the same.
  /// - Returns: The exchange, with the vault's own credential for that origin, if any.
  /// - Throws: As ``Authenticator/exchange(for:)``.
  public func redirected(
    to url: RequestURL, method: String? = nil
  ) throws(VaultError) -> Exchange {
    try authenticator.exchange(for: redirectedRequest(to: url, method: method))
  }

  /// Does what the synchronous ``redirected(to:method:)`` does, without blocking the calling
  /// thread.
  public func redirected(
    to url: RequestURL, method: String? = nil
  ) async throws(VaultError) -> Exchange {
    try await authenticator.exchange(for: redirectedRequest(to: url, method: method))
  }

  private func redirectedRequest(to url: RequestURL, method: String?) -> RequestHead {
    var request = request
    if let method, method != request.method {
      request.method = method
      // A redirect that changes the method drops the body (RFC 9110 §15.4).
      request.body = nil
    }
    if url.origin == request.url.origin {
      request.url = url.with(userInfoOf: request.url)
    } else {
      request.url = url.withoutUserInfo
      request.credential = nil
      request.user = nil
    }
    return request
  }

  /// Does what the synchronous ``next(after:on:)`` does, without blocking the calling thread.
  ///
  /// It throws ``VaultError/Code/interrupted`` if the task is cancelled while it waits. A verdict
  /// on a pending answer is recorded all the same.
  ///
  /// - Parameters:
  ///   - response: The response to the request with ``fields``.
  ///   - connection: The connection that it came on; nil if the client cannot tell, and then
  ///     neither Negotiate nor NTLM is answered.
  /// - Returns: The step.
  /// - Throws: ``VaultError/Code/interrupted``; others as the synchronous form.
  public mutating func next(
    after response: ResponseHead, on connection: ClientConnection? = nil
  ) async throws -> Step {
    rounds += 1
    skipped = []
    for index in sides.indices { sides[index].connection = connection }
    // A verdict on what is not pending changes nothing in the vault. One on a pending answer is
    // recorded even if the task is cancelled: the answer was typed, and may be accepted only once.
    let end =
      if sides.contains(where: \.isPending) {
        try await authenticator.vault.finishing(changing: &self) { (exchange) throws(VaultError) in
          try exchange.judge(response)
        }
      } else {
        try judge(response)
      }
    if end == .unproven, authenticator.settings.requiresProof {
      throw VaultError(
        .authenticationFailed, "authentication: the response does not prove who sent it")
    }
    if let end { return finish(end) }
    guard let challenged = sides.firstIndex(where: { $0.isChallenged(by: response) }) else {
      return finish(.done)
    }
    guard rounds < Self.mostRounds else { return finish(.rejected) }
    // A stale field is sent again, with the new nonce.
    if sides[challenged].needsAttempt {
      // A 403 to a token that lacks a scope is its challenge.
      let challenge =
        response.status == 403 ? ResponseHead(status: 401, fields: response.fields) : response
      var asked = request
      if connection == nil { asked.tellsConnectionsApart = false }
      let offer = try ChallengeResponder.offered(by: challenge, to: asked)
      note(offer)
      if let reason = try await sides[challenged].answer(offer) { return finish(reason) }
    }
    for other in sides.indices where other != challenged { try sides[other].renew() }
    return .send(fields)
  }

  /// The owner of the connection that the next request needs; nil for a request that logs nobody in
  /// on its connection.
  ///
  /// With an owner, the request goes over a connection that nobody else uses until the exchange is
  /// finished: one that was kept for an equal owner, or a new one. It takes all rounds of the
  /// exchange, as long as the owner is the same. Without one, it never goes over such a connection:
  /// the server would take it for that user's.
  public var owner: ConnectionOwner? { sides.first?.owner }

  /// Whether a login begins with the next request that a kept connection, on which one was made
  /// before, does not take: then it needs a new one, or the one of the last response.
  public var needsNewConnection: Bool { sides.first?.needsNewConnection ?? false }

  /// Whether the connection may be kept for requests with an equal ``owner``; if not, it is closed.
  public var keepsConnection: Bool { sides.first?.keepsConnection ?? false }

  /// Makes the first token of a login that is sent before a challenge.
  mutating func beginLogin() async throws(VaultError) {
    for index in sides.indices { _ = try await sides[index].begin() }
  }

  /// Asks another prompt than the authenticator's; nil restores the authenticator's.
  package mutating func ask(_ prompt: (any CredentialPrompt)?) {
    for index in sides.indices { sides[index].prompt = prompt }
  }

  /// The user whose credential the proxy's field has, with the hash of the secret; nil without such
  /// a field.
  ///
  /// Connections to a proxy are those of the user who opened them.
  package var proxyUser: (user: String, secret: SecretHasher.Hash)? {
    guard let credential = sides.first(where: \.isProxy)?.attempt?.credential else { return nil }
    return (credential.user, authenticator.hasher.hash(of: credential.secret))
  }

  /// Requires that this thread is not within a transaction of a vault: the vault's own thread would
  /// wait for its end.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument``.
  func requireNoTransaction() throws(VaultError) {
    for vault in authenticator.vaults.vaults { _ = try vault.state() }
  }

  /// Leaves one side to the caller, who sends their own field there: its challenges are not
  /// answered.
  package mutating func leave(isProxy: Bool) {
    sides.removeAll { $0.isProxy == isProxy }
  }

  /// Judges both sides before either ends the exchange: what one side has accepted is stored even
  /// if the other ends it.
  private mutating func judge(_ response: ResponseHead) throws(VaultError) -> Outcome.Reason? {
    var end: Outcome.Reason?
    for index in sides.indices {
      let reason = try sides[index].judge(response)
      storageError = sides[index].storageError ?? storageError
      // A forged response is not just one that ends the exchange.
      if end == nil || reason == .unproven { end = reason }
    }
    return end
  }

  /// Records the challenges that are not answered.
  private mutating func note(_ offer: ChallengeResponder.Offer) {
    skipped = offer.skipped
    for space in offer.responders.map(\.space)
    where !authenticator.expects(space) && !unexpected.contains(space) {
      unexpected.append(space)
    }
  }

  private func finish(_ reason: Outcome.Reason) -> Step {
    .finish(
      Outcome(
        reason: reason, storageError: storageError, unexpected: unexpected, skipped: skipped))
  }
}

/// A credential that is being tried, with its source and the field made from it.
struct Attempt: Sendable {
  /// The responder that makes the fields; requests of the same server and user share it.
  let responder: ChallengeResponder
  /// The challenge that is answered; nil for a credential sent before one.
  let challenge: ChallengeResponder?
  /// The credential that was sent.
  let credential: Credential
  /// The pending credential to confirm or reject; nil if it is already stored, or must not be.
  let pending: PendingCredential?
  /// Whether the credential was sent before a challenge for whichever realm.
  let isForAnyRealm: Bool
  /// The field of the last request.
  private(set) var field: AuthorizationField
  /// The persistence of the request's own credential once it is accepted.
  var kept = Persistence.none
  /// The error if a token could not be stored when it was fetched.
  var storageError: VaultError?
  /// Whether the server or proxy has accepted the credential, and this has been recorded.
  var isAccepted = false
  /// The rounds of a login on a connection; nil for other schemes.
  var rounds: LoginRounds?

  /// Whether other requests also count with the nonce.
  var sharesNonce: Bool { responder.method == .digest && responder !== challenge }

  /// Creates an attempt with the field for a request.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the scheme cannot carry this user or
  ///   password; ``VaultError/Code/unsupported`` if libcrypto refuses the hash.
  init(
    _ responder: ChallengeResponder, answering challenge: ChallengeResponder?,
    _ credential: Credential, pending: PendingCredential? = nil, isForAnyRealm: Bool = false,
    for request: RequestHead
  ) throws(VaultError) {
    self.isForAnyRealm = isForAnyRealm
    self.responder = responder
    self.challenge = challenge
    self.credential = credential
    self.pending = pending
    field = try responder.field(for: credential, of: request)
  }

  /// Creates an attempt at a login on a connection, with its first field.
  init(_ rounds: LoginRounds, _ field: AuthorizationField) {
    let plan = rounds.plan
    (responder, challenge, credential) = (plan.responder, plan.challenge, plan.credential)
    (pending, isForAnyRealm, kept) = (plan.pending, false, plan.kept)
    self.rounds = rounds
    self.field = field
  }

  /// Returns the same attempt in its next round.
  func continued(_ rounds: LoginRounds, _ field: AuthorizationField) -> Attempt {
    var attempt = self
    attempt.rounds = rounds
    attempt.field = field
    return attempt
  }

  /// Makes the field for the next request with the current nonce.
  mutating func renew(for request: RequestHead) throws(VaultError) {
    // A token of a login is for one request, and that has not reached the server.
    guard rounds == nil else { return }
    field = try responder.field(for: credential, of: request)
  }

  /// Returns the same credential for a challenge whose nonce no other request uses.
  func alone(
    with challenge: ChallengeResponder, for request: RequestHead
  ) throws(VaultError) -> Attempt {
    var attempt = try Attempt(
      challenge, answering: challenge, credential, pending: pending, for: request)
    attempt.kept = kept
    return attempt
  }
}
