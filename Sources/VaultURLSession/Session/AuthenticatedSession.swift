public import CredentialVault
public import Foundation
public import FoundationNetworking
public import HTTPAuthentication
public import VaultModel

/// A `URLSession` that answers the challenges of servers and proxies.
///
/// Each call behaves as the session's own. While the ``HTTPAuthentication/Authenticator`` has an
/// answer, the request is sent again with its body; then the last response is returned, even a 401
/// or 407. Redirects are followed here, so that data for one origin is not sent to another.
///
/// If a request has its own `Authorization` field, its server's challenges are not answered; the
/// same holds for `Proxy-Authorization` and its proxy. Foundation sends the configuration's
/// `httpAdditionalHeaders` to every origin; a credential found here overrides them. URLs other than
/// `http` and `https` are loaded by the session alone.
///
/// The session's delegate is asked whether a redirect is followed, and gets no other event. A body
/// stream is read to its end before anything is sent, because the body may have to be sent again.
///
/// Calls throw the session's errors, mostly `URLError`; `URLError.badURL` for a URL whose host
/// ``VaultModel/HostName/init(_:)`` rejects; `URLError.cancelled` when the task is cancelled, also
/// during a prompt; and the ``VaultModel/VaultError`` of a vault that could not be read, such as
/// ``VaultModel/VaultError/Code/locked`` if nobody unlocks it.
///
/// Foundation on Linux discards the body of a 401 that offers Basic, and of a redirect that is not
/// followed; if such a response is the last one, its body is empty. An invalidated session makes no
/// more tasks, even for a request in progress: if a request needs another task, it ends with
/// `URLError.cancelled`.
public final class AuthenticatedSession: Sendable {
  /// The session whose tasks are run.
  public let session: URLSession
  /// The authenticator that answers challenges.
  public let authenticator: Authenticator
  /// The switches of its requests; those that are not set are the authenticator's.
  public let options: RequestOptions
  /// The credential that its requests have of their own.
  let credential: Credential?
  let onOutcome: URLSession.OutcomeHandler?

  init(
    session: URLSession, authenticator: Authenticator, options: RequestOptions = RequestOptions(),
    credential: Credential? = nil, onOutcome: URLSession.OutcomeHandler?
  ) {
    self.session = session
    self.authenticator = authenticator
    self.options = options
    self.credential = credential
    self.onOutcome = onOutcome
  }

  /// Returns the same session with other switches, for one request or for several.
  public func with(_ options: RequestOptions) -> AuthenticatedSession {
    AuthenticatedSession(
      session: session, authenticator: authenticator, options: options, credential: credential,
      onOutcome: onOutcome)
  }

  /// Returns the same session for requests with this credential, which comes before the vault's.
  ///
  /// Once a server has accepted it, it is stored as its persistence asks and the policy allows, and
  /// later requests find it in the vault. Use the returned session for one server: each server that
  /// it sends a request to, and that challenges it, gets the credential. A redirect to another
  /// origin drops it.
  ///
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if it has no user or no password.
  public func with(_ credential: URLCredential) throws(VaultError) -> AuthenticatedSession {
    AuthenticatedSession(
      session: session, authenticator: authenticator, options: options,
      credential: try Credential(credential), onOutcome: onOutcome)
  }

  // MARK: Data

  /// Loads the resource of a request.
  public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    try await RequestLoader(.data, request, in: self).run()
  }

  /// Loads the resource of a URL.
  public func data(from url: URL) async throws -> (Data, URLResponse) {
    try await data(for: URLRequest(url: url))
  }

  // MARK: Uploads

  /// Sends a request with this body.
  public func upload(
    for request: URLRequest, from body: Data
  ) async throws -> (Data, URLResponse) {
    try await RequestLoader(.data, request, body: .data(body), in: self).run()
  }

  /// Sends a request with the contents of a file as its body; the file must not change meanwhile.
  public func upload(
    for request: URLRequest, fromFile file: URL
  ) async throws -> (Data, URLResponse) {
    try await RequestLoader(.data, request, body: .file(file), in: self).run()
  }

  // MARK: Downloads

  /// Loads the resource of a request into a temporary file, which the caller must move or remove.
  public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
    try await RequestLoader(.download, request, in: self).run()
  }

  /// Loads the resource of a URL into a temporary file, which the caller must move or remove.
  public func download(from url: URL) async throws -> (URL, URLResponse) {
    try await download(for: URLRequest(url: url))
  }
}

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
    AuthenticatedSession(session: self, authenticator: authenticator, onOutcome: onOutcome)
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

/// The variants with a completion handler, which is called once on the session's delegate queue.
///
/// A task does nothing before its `resume()`.
extension AuthenticatedSession {
  /// A handler that gets the loaded data, the response, and the error.
  public typealias DataHandler = @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  /// A handler that gets the file, which it must move or remove, the response, and the error.
  public typealias DownloadHandler = @Sendable (URL?, URLResponse?, (any Error)?) -> Void

  /// Returns a task that loads the resource of a request.
  public func dataTask(
    with request: URLRequest, completionHandler: @escaping DataHandler
  ) -> AuthenticatedTask {
    task(request, completionHandler) { try await self.data(for: request) }
  }

  /// Returns a task that loads the resource of a URL.
  public func dataTask(
    with url: URL, completionHandler: @escaping DataHandler
  ) -> AuthenticatedTask {
    dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// Returns a task that sends a request with this body.
  public func uploadTask(
    with request: URLRequest, from body: Data, completionHandler: @escaping DataHandler
  ) -> AuthenticatedTask {
    task(request, completionHandler) { try await self.upload(for: request, from: body) }
  }

  /// Returns a task that sends a request with the contents of a file as its body.
  public func uploadTask(
    with request: URLRequest, fromFile file: URL, completionHandler: @escaping DataHandler
  ) -> AuthenticatedTask {
    task(request, completionHandler) { try await self.upload(for: request, fromFile: file) }
  }

  /// Returns a task that loads the resource of a request into a temporary file.
  public func downloadTask(
    with request: URLRequest, completionHandler: @escaping DownloadHandler
  ) -> AuthenticatedTask {
    task(request, completionHandler) { try await self.download(for: request) }
  }

  /// Returns a task that loads the resource of a URL into a temporary file.
  public func downloadTask(
    with url: URL, completionHandler: @escaping DownloadHandler
  ) -> AuthenticatedTask {
    downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  private func task<Payload: Sendable>(
    _ request: URLRequest,
    _ handler: @escaping @Sendable (Payload?, URLResponse?, (any Error)?) -> Void,
    _ load: @escaping @Sendable () async throws -> (Payload, URLResponse)
  ) -> AuthenticatedTask {
    AuthenticatedTask(request, on: session.delegateQueue) { [session] in
      do {
        // The session may have been invalidated since the task was resumed.
        guard !session.isInvalidated else { throw URLError(.cancelled) }
        let (payload, response) = try await load()
        return { handler(payload, response, nil) }
      } catch {
        return { handler(nil, nil, error) }
      }
    }
  }
}
