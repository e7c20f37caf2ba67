public import CredentialVault
public import HTTPAuthentication
import SecureMemory
public import VaultModel

/// A client of HTTP that authenticates from a vault, over libcurl.
///
/// It answers the challenges of servers and proxies, presents the identities that servers ask for,
/// judges servers by a policy and by the vault's decisions, and follows redirects so that data for
/// one origin is not sent to another. Connections are shared only between requests that have the
/// same origin, identity, decisions, proxy and user of the proxy. One that a user has logged in on,
/// by Negotiate or NTLM, carries that user's requests alone, one after the other.
///
/// All transports of a process share one thread, on which nothing waits for a vault or a person.
/// One transport serves any number of concurrent requests.
public final class Transport: Sendable {
  /// The authenticator, whose vault and prompt answer challenges.
  public let authenticator: Authenticator
  /// The settings of all its requests.
  public let configuration: Configuration
  /// Tells it from the transports of this process before and after it.
  let number: Int
  /// The servers with TLS that it has spoken to.
  let peers: Peers
  /// The connections that users have logged in on.
  let places: LoginPlaces
  /// The hash by which a user of a SOCKS proxy is recognized.
  let hasher = SecretHasher()

  private let loop: TransportLoop
  private static let count = Lock(0)

  /// Creates a transport that authenticates by an authenticator, which several may share.
  ///
  /// - Throws: ``VaultError/Code/unsupported`` if libcurl is not built with OpenSSL, or is older
  ///   than 7.87.
  public init(
    authenticator: Authenticator, configuration: Configuration = Configuration()
  ) throws(VaultError) {
    loop = try TransportLoop.shared()
    self.authenticator = authenticator
    self.configuration = configuration
    peers = Peers(authenticator, configuration)
    places = LoginPlaces(loop, most: max(1, configuration.mostConnections))
    number = Self.count.withLock { count in
      count += 1
      return count
    }
  }

  deinit { loop.send(.close(transport: number)) }

  /// Creates a transport whose credentials are found and stored in one vault, which may be locked.
  ///
  /// - Throws: As ``init(authenticator:configuration:)``.
  public convenience init(
    vault: Vault, prompt: any CredentialPrompt = NoPrompt(),
    configuration: Configuration = Configuration()
  ) throws(VaultError) {
    try self.init(
      authenticator: Authenticator(vault: vault, prompt: prompt), configuration: configuration)
  }

  /// Sends a request, answers challenges, follows redirects, and returns when the last response
  /// begins.
  ///
  /// Its body is read from ``TransportResponse/body``. The transfer waits while more than
  /// ``Configuration/bufferSize`` of it is unread, and is cancelled when the response is released.
  ///
  /// - Returns: The last response, even a 401, 407 or 3xx.
  /// - Throws: ``VaultError/Code/unavailable`` if there is no connection or it breaks, with the
  ///   reason as an `errno`: `ECONNREFUSED`, `ECONNRESET`, `EHOSTUNREACH` for a name that has no
  ///   address, `ETIMEDOUT` for each limit, `EKEYREJECTED` for a server that is not trusted,
  ///   `EPROTO` for TLS that fails otherwise; ``VaultError/Code/invalidData`` for a response that
  ///   is not HTTP; ``VaultError/Code/interrupted`` if the task is cancelled;
  ///   ``VaultError/Code/locked`` if nobody unlocks the vault; ``VaultError/Code/expired`` and
  ///   ``VaultError/Code/ambiguous`` for identities that a server asks for; the errors of a stream
  ///   and of ``TransportHandlers/redirect``; others as ``Exchange/next(after:on:)``.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await RequestRun(transport: self, loop: TransportLoop.shared()).run(request)
  }

  /// Sends a request and reads the body of the last response into memory.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: The length of the body in bytes that is accepted.
  /// - Returns: The response, whose body has been read, and the body.
  /// - Throws: ``VaultError/Code/tooLarge`` for a longer body; else as
  ///   ``send(_:)->TransportResponse``.
  public func data(
    for request: TransportRequest, upTo limit: Int = .max
  ) async throws -> (TransportResponse, [UInt8]) {
    let response = try await send(request)
    return (response, try await response.body.collect(upTo: limit))
  }

  /// Sends a request and reads the body of the last response into a file.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - path: The path of a file that does not exist yet; it has the mode 0600, and is removed if
  ///     the transfer fails.
  /// - Returns: The response, whose body has been read.
  /// - Throws: ``VaultError/Code/cannotCreate``, ``VaultError/Code/inputOutput``; else as
  ///   ``send(_:)->TransportResponse``.
  public func download(
    _ request: TransportRequest, to path: String
  ) async throws -> TransportResponse {
    let response = try await send(request)
    try await response.body.write(toNewFile: path)
    return response
  }
}
