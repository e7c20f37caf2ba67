public import CredentialVault
public import FoundationNetworking
public import HTTPAuthentication

extension URLSession {
  /// This session, logging in at servers and proxies out of a vault.
  ///
  /// Keep what this returns: it knows where which credential was accepted.
  ///
  /// - Parameters:
  ///   - vault: Where credentials are found and kept; it may be locked.
  ///   - prompt: Who is asked for what is not there.
  ///   - onOutcome: Is told of each request how its authentication ended, on any thread.
  /// - Returns: The session, whose tasks are this one's.
  public func authenticated(
    by vault: Vault, prompt: any CredentialPrompt = NoPrompt(), onOutcome: OutcomeHandler? = nil
  ) -> AuthenticatedSession {
    authenticated(by: Authenticator(vault: vault, prompt: prompt), onOutcome: onOutcome)
  }

  /// This session, logging in as an authenticator says; several sessions may share one.
  public func authenticated(
    by authenticator: Authenticator, onOutcome: OutcomeHandler? = nil
  ) -> AuthenticatedSession {
    AuthenticatedSession(session: self, authenticator: authenticator, onOutcome: onOutcome)
  }

  /// Is told a URL, without user and password, and how the authentication of a request for it ended.
  ///
  /// Of each request that had a response, before the caller gets it; a redirect's request is one of its own. What was
  /// accepted and could not be stored is the outcome's ``HTTPAuthentication/Outcome/storageError``.
  public typealias OutcomeHandler = @Sendable (RequestURL, Outcome) -> Void
}
