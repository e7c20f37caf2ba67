public import CredentialVault
public import FoundationNetworking
public import HTTPAuthentication

extension URLSession {
  /// Returns a session that uses this one and logs in at servers and proxies from a vault.
  ///
  /// Keep the returned session: it remembers which credentials were accepted.
  ///
  /// - Parameters:
  ///   - vault: The vault in which credentials are found and stored; it may be locked.
  ///   - prompt: The prompt for credentials that the vault does not have.
  ///   - onOutcome: Called with the outcome of each request's authentication, on any thread.
  /// - Returns: The session, whose tasks are this one's.
  public func authenticated(
    by vault: Vault, prompt: any CredentialPrompt = NoPrompt(), onOutcome: OutcomeHandler? = nil
  ) -> AuthenticatedSession {
    authenticated(by: Authenticator(vault: vault, prompt: prompt), onOutcome: onOutcome)
  }

  /// Returns a session that uses this one and an authenticator, which several sessions may share.
  public func authenticated(
    by authenticator: Authenticator, onOutcome: OutcomeHandler? = nil
  ) -> AuthenticatedSession {
    AuthenticatedSession(
      .session(self), authenticator, AuthenticatedSession.Settings(onOutcome: onOutcome))
  }

  /// A handler that gets a URL, without user and password, and the outcome of its request's
  /// authentication.
  ///
  /// It is called for each request that had a response, before the caller gets it; each redirect is
  /// a request of its own. If an accepted credential could not be stored, the error is the
  /// outcome's ``HTTPAuthentication/Outcome/storageError``. It cannot throw: the server has already
  /// acted on the request, and the caller gets the response in any case.
  public typealias OutcomeHandler = @Sendable (RequestURL, Outcome) -> Void
}
