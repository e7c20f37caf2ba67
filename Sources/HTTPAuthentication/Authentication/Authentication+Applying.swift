import HTTPChallenge
import SecureMemory
public import VaultModel

extension Authentication {
  /// The paths of the server that the credential is for; none for a proxy's.
  ///
  /// Digest says so by its `domain`, of which other servers are left out (RFC 7616 §3.3), or else means the whole server;
  /// other schemes mean the folder of the request that was challenged (RFC 7617 §2.2).
  public var domains: [Scope] { isProxy ? [] : state.withLock { $0.scopes } }

  /// Whether the same credential is for this request, too.
  ///
  /// A server's is if the origin is the same and the path in one of ``domains``; the query plays no part. A proxy's is for
  /// every request through that proxy, and no other.
  public func applies(to request: RequestHead) -> Bool {
    guard challenger.isAsked(by: request) else { return false }
    return isProxy || domains.contains { $0.covers(request.url) }
  }

  /// How precisely the domains name a request's path: by so many segments; 0 for a proxy's.
  package func scopeDepth(for request: RequestHead) -> Int {
    domains.lazy.filter { $0.covers(request.url) }.map(\.depth).max() ?? 0
  }

  /// Makes the field that answers for a request, and counts the use of the nonce.
  ///
  /// The request may be any of the same server, or through the same proxy, also outside of ``domains``. What a scheme
  /// cannot carry is a ``problem`` until another credential is given.
  ///
  /// - Parameters:
  ///   - credential: Its user and secret; not kept.
  ///   - request: Its method and target are part of a Digest response; through a tunnel those of `CONNECT` for a proxy.
  /// - Returns: A field for this one request.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the request is for another server or proxy, or if the scheme cannot
  ///   carry the user or password; ``VaultError/Code/unsupported`` if the scheme is not answered here;
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
        state.problem = nil
        return field
      } catch {
        if error.code == .invalidArgument { state.problem = blame(credential) }
        throw error
      }
    }
  }

  private func makeField(
    _ credential: Credential, _ request: RequestHead, _ state: inout State
  ) throws(VaultError) -> AuthorizationField {
    switch state.challenge {
    case .basic:
      return AuthorizationField(isProxy: isProxy, value: try BasicResponse.value(credential))
    case .digest(let challenge):
      guard var nonce = state.nonce else {
        throw VaultError(.internalError, "digest: a challenge without its nonce")
      }
      let isTunnel = isProxy && request.isTunnelled
      // With the lock held, so that a response that cannot be made leaves no gap in the counts.
      let response = try nonce.use { text, clientNonce, count throws(VaultError) in
        try DigestResponse(
          to: challenge, nonce: text, clientNonce: clientNonce, count: count,
          credential: credential, method: isTunnel ? "CONNECT" : request.method,
          uri: isTunnel ? request.url.origin.tunnelTarget : request.url.target)
      }
      state.nonce = nonce
      return AuthorizationField(
        isProxy: isProxy, value: response.value, digest: response,
        usesOldNonce: nonce.isOld)
    case .unanswered:
      throw VaultError(.unsupported, "authentication: the scheme is not answered here")
    case nil:
      throw VaultError(.invalidData, "authentication: the response has no challenge")
    }
  }

  /// Which part of a credential a scheme cannot carry.
  private func blame(_ credential: Credential) -> Problem {
    let isBad = credential.user.utf8.contains {
      $0.isControl || (method == .basic && $0 == UInt8(ascii: ":"))
    }
    return isBad ? .badUser : .badPassword
  }

  /// Whether both are of one server or proxy, scheme, realm and algorithm, so that a credential answers both alike.
  package func isOfSameChallenge(as other: Authentication) -> Bool {
    guard space == other.space, isProxy == other.isProxy else { return false }
    let mine = state.withLock { $0.challenge }
    let theirs = other.state.withLock { $0.challenge }
    guard let mine, let theirs else { return false }
    return mine.isSame(as: theirs)
  }

  /// Takes a later challenge of the same server or proxy, scheme, realm and algorithm, with its nonce.
  ///
  /// What was made with the nonce before is judged as before.
  ///
  /// - Returns: Whether it is such a challenge; if not, nothing is taken.
  @discardableResult
  package func renew(by other: Authentication) -> Bool {
    guard other !== self, isOfSameChallenge(as: other) else { return other === self }
    let challenge = other.state.withLock { $0.challenge }
    state.withLock { $0.adopt(challenge) }
    return true
  }

  /// Takes the paths of a later challenge, when a credential was accepted there.
  package func include(scopesOf other: Authentication) {
    guard other !== self, isOfSameChallenge(as: other) else { return }
    let scopes = other.state.withLock { $0.scopes }
    state.withLock { state in
      for scope in scopes { state.scopes.include(scope) }
    }
  }
}

extension Authentication.State {
  /// Takes a new challenge; the count goes on if the nonce is the one before.
  mutating func adopt(_ new: Challenge?) {
    challenge = new
    guard case .digest(let digest) = new else { return }
    if let nonce, nonce.text.hasSameBytes(as: digest.nonce) {
      // The server means it, old as it is: what is refused with it now is refused for another reason.
      self.nonce?.isOld = false
    } else {
      nonce = ServerNonce(digest.nonce)
    }
  }
}
