public import CredentialVault
public import Foundation
public import FoundationNetworking
public import HTTPAuthentication
public import VaultModel
public import VaultTransport

/// A session that answers the challenges of servers and proxies, with the methods of `URLSession`.
///
/// While the ``HTTPAuthentication/Authenticator`` has an answer, the request is sent again with its
/// body; then the last response is returned, even a 401 or 407. Redirects are followed so that data
/// for one origin is not sent to another. If a request has its own `Authorization` field, its
/// server's challenges are not answered; the same holds for `Proxy-Authorization` and its proxy.
///
/// ``init(vault:configuration:prompt:onOutcome:)`` makes one whose requests go over a
/// ``VaultTransport/Transport``. `URLSession.authenticated(by:)` makes one over a session of
/// Foundation's, for what the transport does not have: its delegate, a cache, protocols of the
/// app's own. What Foundation on Linux does with requests then stays: a credential found here
/// overrides `httpAdditionalHeaders`, which it sends to every origin; URLs other than `http` and
/// `https` are loaded by it alone, while the transport has no other; it discards the body of a 401
/// that offers Basic, and of a redirect that is not followed. Its delegate is asked whether a
/// redirect is followed, and gets no other event; once it is invalidated, a request that needs
/// another task ends with `URLError.cancelled`.
///
/// The stream of a `URLRequest` is read to its end before anything is sent, because the body may
/// have to be sent again: ``upload(for:length:fromStream:)`` opens it each time.
///
/// Calls throw the errors of `URLSession`, mostly `URLError`; `URLError.badURL` for a URL whose
/// host ``VaultModel/HostName/init(_:)`` rejects; `URLError.cancelled` when the task is cancelled,
/// also during a prompt; and the ``VaultModel/VaultError`` of a vault that could not be read, such
/// as ``VaultModel/VaultError/Code/locked`` if nobody unlocks it.
public final class AuthenticatedSession: Sendable {
  /// The sender of the requests.
  enum Engine: Sendable {
    case transport(TransportLoader)
    case session(URLSession)
  }

  /// The requests' own options and credential.
  struct Settings: Sendable {
    var options = RequestOptions()
    var credential: Credential?
    var onOutcome: URLSession.OutcomeHandler?
    var onProgress: ProgressHandler?
  }

  /// The authenticator that answers challenges.
  public let authenticator: Authenticator
  let engine: Engine
  let settings: Settings

  init(_ engine: Engine, _ authenticator: Authenticator, _ settings: Settings) {
    self.engine = engine
    self.authenticator = authenticator
    self.settings = settings
  }

  /// Creates a session that logs in from a vault.
  ///
  /// Keep it: it remembers which credentials were accepted.
  ///
  /// - Parameters:
  ///   - vault: The vault in which credentials are found and stored; it may be locked.
  ///   - configuration: The settings of its requests: cookies, additional fields, limits, and the
  ///     number of connections. It has no cache, no protocols and no proxy of its own.
  ///   - prompt: The prompt for credentials that the vault does not have.
  ///   - onOutcome: Called with the outcome of each request's authentication, on any thread.
  /// - Throws: ``VaultModel/VaultError/Code/unsupported`` if libcurl is not built with OpenSSL, or
  ///   is older than 7.87.
  public convenience init(
    vault: Vault, configuration: URLSessionConfiguration = .default,
    prompt: any CredentialPrompt = NoPrompt(), onOutcome: URLSession.OutcomeHandler? = nil
  ) throws(VaultError) {
    try self.init(
      transport: Transport(vault: vault, prompt: prompt), configuration: configuration,
      onOutcome: onOutcome)
  }

  /// Creates a session with the authenticator and the other settings of a transport: its proxy, its
  /// decisions and prompts about servers, its identities.
  ///
  /// It has connections of its own, with the limits and numbers of the configuration.
  ///
  /// - Throws: As ``init(vault:configuration:prompt:onOutcome:)``.
  public convenience init(
    transport: Transport, configuration: URLSessionConfiguration = .default,
    onOutcome: URLSession.OutcomeHandler? = nil
  ) throws(VaultError) {
    self.init(
      .transport(try TransportLoader(transport, configuration)), transport.authenticator,
      Settings(onOutcome: onOutcome))
  }

  /// The session whose tasks are run; nil over a transport.
  public var session: URLSession? {
    if case .session(let session) = engine { session } else { nil }
  }

  /// The switches of its requests; those that are not set are the authenticator's.
  public var options: RequestOptions { settings.options }

  // MARK: Of one request

  /// Returns the same session with other switches, for one request or for several.
  public func with(_ options: RequestOptions) -> AuthenticatedSession {
    with { $0.options = options }
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
    let credential = try Credential(credential)
    return with { $0.credential = credential }
  }

  /// Returns the same session whose requests tell a handler their progress.
  ///
  /// A session of Foundation's tells its own delegate, if anybody, and not this handler.
  public func with(progress: @escaping ProgressHandler) -> AuthenticatedSession {
    with { $0.onProgress = progress }
  }

  private func with(_ change: (inout Settings) -> Void) -> AuthenticatedSession {
    var settings = settings
    change(&settings)
    return AuthenticatedSession(engine, authenticator, settings)
  }

  /// A handler that gets the lengths of a request's bodies so far; it must return at once.
  public typealias ProgressHandler = @Sendable (TransportProgress) -> Void

  // MARK: Data

  /// Loads the resource of a request.
  public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    try await load(request)
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
    try await load(request, .data(body))
  }

  /// Sends a request with the contents of a file as its body; the file must not change meanwhile.
  public func upload(
    for request: URLRequest, fromFile file: URL
  ) async throws -> (Data, URLResponse) {
    try await load(request, .file(file))
  }

  /// Sends a request with the contents of a stream as its body.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - length: The length of the body in bytes; nil to send it in chunks.
  ///   - stream: Opens the stream, each time that the body is sent. Over a session of Foundation's
  ///     it is called once, and the stream is read to its end before anything is sent.
  /// - Returns: The body of the response, and the response.
  /// - Throws: As the other calls; the errors of the stream and of opening it.
  public func upload(
    for request: URLRequest, length: Int64? = nil,
    fromStream stream: @escaping @Sendable () throws -> InputStream
  ) async throws -> (Data, URLResponse) {
    try await load(request, .stream(length, stream))
  }

  private func load(
    _ request: URLRequest, _ body: RequestBody = .ofRequest
  ) async throws -> (Data, URLResponse) {
    switch engine {
    case .transport(let loader): try await loader.data(for: request, body, settings)
    case .session(let session):
      try await RequestLoader(.data, request, body: body, over: session, for: self).run()
    }
  }

  // MARK: Downloads

  /// Loads the resource of a request into a temporary file, which the caller must move or remove.
  public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
    switch engine {
    case .transport(let loader): try await loader.download(for: request, settings)
    case .session(let session):
      try await RequestLoader(.download, request, over: session, for: self).run()
    }
  }

  /// Loads the resource of a URL into a temporary file, which the caller must move or remove.
  public func download(from url: URL) async throws -> (URL, URLResponse) {
    try await download(for: URLRequest(url: url))
  }

  // MARK: Bytes

  /// Loads the resource of a request, and returns when the response begins.
  ///
  /// The server waits while its bytes are not read, and the transfer is cancelled when they are
  /// released. Over a session of Foundation's, the whole resource is loaded first.
  public func bytes(for request: URLRequest) async throws -> (LoadedBytes, URLResponse) {
    switch engine {
    case .transport(let loader): return try await loader.bytes(for: request, settings)
    case .session:
      let (data, response) = try await data(for: request)
      return (LoadedBytes(data), response)
    }
  }

  /// Loads the resource of a URL, and returns when the response begins.
  public func bytes(from url: URL) async throws -> (LoadedBytes, URLResponse) {
    try await bytes(for: URLRequest(url: url))
  }
}
