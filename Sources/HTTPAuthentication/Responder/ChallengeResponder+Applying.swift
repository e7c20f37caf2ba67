import HTTPChallenge
import SecureMemory
public import VaultModel

extension ChallengeResponder {
  /// The scopes in which the credential applies on the server; empty for a proxy.
  ///
  /// For Digest, they come from `domain`, without other servers (RFC 7616 §3.3); without `domain`,
  /// the whole server. For other schemes, the scope is the folder of the challenged request (RFC
  /// 7617 §2.2).
  public var domains: [Scope] { isProxy ? [] : state.withLock { $0.scopes } }

  /// Returns whether the same credential applies to this request.
  ///
  /// A server's credential applies if the origin is the same and the path is in one of ``domains``;
  /// the query is ignored. A proxy's credential applies to every request through that proxy, and to
  /// no other.
  public func applies(to request: RequestHead) -> Bool {
    guard challenger.isAsked(by: request) else { return false }
    return isProxy || domains.contains { $0.covers(request.url) }
  }

  /// Returns the number of path segments in the most specific scope of the request; 0 for a proxy.
  package func scopeDepth(for request: RequestHead) -> Int {
    domains.lazy.filter { $0.covers(request.url) }.map(\.depth).max() ?? 0
  }

  /// Creates the field that answers the challenge for a request, and counts the use of the nonce.
  ///
  /// The request may go anywhere on the same server, or through the same proxy, even outside
  /// ``domains``. If the scheme cannot carry the credential, ``failure`` says so until another
  /// credential is given.
  ///
  /// - Parameters:
  ///   - credential: The user and secret; not kept. Bearer takes only a token, and sends no user.
  ///   - request: The request, whose method and target are part of a Digest response; for a proxy
  ///     with a tunnel, those of `CONNECT` are.
  /// - Returns: A field for this one request.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the request is for another server or proxy,
  ///   or if the scheme cannot carry the user or password; ``VaultError/Code/unsupported`` if the
  ///   scheme is not answered here, or covers a body that is not at hand;
  ///   ``VaultError/Code/invalidData`` if there is no challenge.
  public func field(
    for credential: Credential, of request: RequestHead
  ) throws(VaultError) -> AuthorizationField {
    guard challenger.isAsked(by: request) else {
      throw VaultError(.invalidArgument, "request: not for the server or proxy that asks")
    }
    return try state.withLock { state throws(VaultError) in
      do throws(VaultError) {
        let field = try makeField(credential, request, &state)
        state.failure = nil
        return field
      } catch {
        if error.code == .invalidArgument { state.failure = blame(credential) }
        throw error
      }
    }
  }

  private func makeField(
    _ credential: Credential, _ request: RequestHead, _ state: inout State
  ) throws(VaultError) -> AuthorizationField {
    guard isAnswered(by: credential.kind) else {
      throw VaultError(
        .invalidArgument,
        requiresToken ? "password: Bearer sends tokens" : "password: a token is never sent as one")
    }
    switch state.challenge {
    case .basic:
      return AuthorizationField(isProxy: isProxy, value: try BasicResponse.value(credential))
    case .bearer:
      return AuthorizationField(
        isProxy: isProxy, value: try BearerResponse.value(credential.secret))
    case .digest(let challenge):
      guard var nonce = state.nonce else {
        throw VaultError(.internalError, "digest: a challenge without its nonce")
      }
      let isTunnel = isProxy && request.isTunnelled
      // The lock is held, so that a failed response leaves no gap in the counts.
      let sessionNonce = nonce.sessionNonce
      let response = try nonce.use { text, clientNonce, count throws(VaultError) in
        try DigestResponse(
          to: challenge, nonce: text, clientNonce: clientNonce, count: count,
          sessionNonce: sessionNonce, credential: credential,
          method: isTunnel ? "CONNECT" : request.method,
          uri: isTunnel ? request.url.origin.tunnelTarget : request.url.target,
          body: isTunnel ? [] : request.bodyAtHand)
      }
      state.nonce = nonce
      return AuthorizationField(
        isProxy: isProxy, value: response.value, digest: response,
        usesOldNonce: nonce.isOld)
    case .connection:
      throw VaultError(.unsupported, "authentication: the scheme logs in on a connection")
    case .unanswered:
      throw VaultError(.unsupported, "authentication: the scheme is not answered here")
    case nil:
      throw VaultError(.invalidData, "authentication: the response has no challenge")
    }
  }

  /// Returns whether the scheme sends secrets of a kind.
  func isAnswered(by kind: SecretKind) -> Bool {
    kind == .keytab ? method == .negotiate : (kind == .token) == requiresToken
  }

  /// Returns the part of a credential that the scheme cannot carry.
  private func blame(_ credential: Credential) -> Failure {
    guard !requiresToken else { return .badPassword }
    let isBad = credential.user.utf8.contains {
      $0.isControl || (method == .basic && $0 == UInt8(ascii: ":"))
    }
    return isBad ? .badUser : .badPassword
  }

  /// Returns whether one credential answers both.
  ///
  /// It does if server or proxy, scheme, realm and algorithm are the same.
  package func isOfSameChallenge(as other: ChallengeResponder) -> Bool {
    guard space == other.space, isProxy == other.isProxy else { return false }
    let mine = state.withLock { $0.challenge }
    let theirs = other.state.withLock { $0.challenge }
    guard let mine, let theirs else { return false }
    return mine.isSame(as: theirs)
  }

  /// Adopts a later challenge and its nonce if server or proxy, scheme, realm and algorithm match.
  ///
  /// Fields made with the previous nonce are judged as before.
  ///
  /// - Returns: Whether the challenge matches; if not, nothing changes.
  @discardableResult
  package func renew(by other: ChallengeResponder) -> Bool {
    guard other !== self, isOfSameChallenge(as: other) else { return other === self }
    let challenge = other.state.withLock { $0.challenge }
    state.withLock { $0.adopt(challenge) }
    return true
  }

  /// Adds the paths of a later challenge at which a credential was accepted.
  package func include(scopesOf other: ChallengeResponder) {
    guard other !== self, isOfSameChallenge(as: other) else { return }
    let scopes = other.state.withLock { $0.scopes }
    state.withLock { state in
      for scope in scopes { state.scopes.include(scope) }
    }
  }
}

extension ChallengeResponder.State {
  /// Adopts a new challenge; the count continues if the nonce is unchanged.
  mutating func adopt(_ new: Challenge?) {
    challenge = new
    guard case .digest(let digest) = new else { return }
    if let nonce, nonce.text.hasSameBytes(as: digest.nonce) {
      // The server repeats the nonce, so its age cannot be why a field made with it is refused.
      self.nonce?.isOld = false
    } else {
      nonce = ServerNonce(digest.nonce)
    }
  }
}
