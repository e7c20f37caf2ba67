public import CredentialVault
import SecureMemory
public import VaultModel

/// An authenticator that answers the challenges of servers and proxies from a vault, for any HTTP
/// client.
///
/// It does no networking: the client passes it each response and receives the fields to send. One
/// authenticator serves any number of concurrent requests, and remembers what was accepted.
///
/// It tries credentials in this order until one is accepted: from the request, its URL, the
/// session, the file, the issuer of tokens, the prompt. A credential is stored only after the
/// server or proxy has accepted it. A refused credential is never removed from the file.
public final class Authenticator: Sendable {
  /// The vault in which accepted credentials are stored: the default vault of ``vaults``.
  public let vault: Vault
  /// The vaults in which credentials are found, in order; ``vault`` alone unless a list was given.
  public let vaults: VaultList
  /// The settings of all its requests.
  public let settings: Settings

  package let prompt: any CredentialPrompt
  /// The calls of ``Settings/refreshToken`` for which requests wait.
  let refreshes = SharedCalls<RefreshKey, Refreshed>()
  let known = Lock(KnownSuccesses())
  /// The credentials of logins on connections, with their tickets.
  let logins = LoginCredentials()
  /// The hash by which a credential is recognized in ``known``, which holds none.
  let hasher = SecretHasher()
  /// The lock held while an accepted answer is moved to storage, so that nobody is prompted for it
  /// meanwhile.
  ///
  /// It guards a count, because ThreadSanitizer ignores a lock that guards no state.
  let moves = Lock(0)

  /// Creates an authenticator that finds credentials in several vaults, such as a team's read-only
  /// vault behind one's own.
  ///
  /// Accepted credentials are stored in the ``CredentialVault/VaultList/defaultVault``. If all
  /// vaults are read-only, the ``Outcome`` says that a credential could not be stored.
  ///
  /// - Parameters:
  ///   - vaults: The vaults in order; any of them may be locked.
  ///   - prompt: The prompt for credentials that no vault has, and for keys.
  ///   - settings: The settings of all its requests.
  public init(
    vaults: VaultList, prompt: any CredentialPrompt = NoPrompt(), settings: Settings = Settings()
  ) {
    self.vaults = vaults
    vault = vaults.defaultOrFirst
    self.prompt = prompt
    self.settings = settings
  }

  /// Creates an authenticator whose credentials are found and stored in one vault, which may be
  /// locked.
  public convenience init(
    vault: Vault, prompt: any CredentialPrompt = NoPrompt(), settings: Settings = Settings()
  ) {
    self.init(
      vaults: VaultList([vault], default: vault), prompt: prompt, settings: settings)
  }

  /// Begins the exchange of a request, which the caller advances with each response.
  ///
  /// - Returns: The exchange, with the fields of the first request; a locked vault contributes
  ///   none.
  /// - Throws: ``VaultError/Code/damaged``, ``VaultError/Code/busy`` and
  ///   ``VaultError/Code/closed``, from looking up a credential to send before a challenge.
  public func exchange(for request: RequestHead) throws(VaultError) -> Exchange {
    var exchange = Exchange(request, self)
    try exchange.attemptBeforeChallenge()
    return exchange
  }

  /// Does what the synchronous ``exchange(for:)`` does, without blocking the calling thread.
  ///
  /// It waits for the vault only if there may be a credential to send before a challenge.
  public func exchange(for request: RequestHead) async throws(VaultError) -> Exchange {
    var exchange = Exchange(request, self)
    // To hand a lookup to another thread may cost more than the lookup.
    if exchange.attemptAtOnce() { return exchange }
    // A request that needs nothing of the vault is not held up by long work there.
    guard exchange.looksUpBeforeChallenge else { return exchange }
    try await vault.waiting(changing: &exchange) { (exchange) throws(VaultError) in
      try exchange.attemptBeforeChallenge()
    }
    try await exchange.beginLogin()
    return exchange
  }

  /// Sends a request and answers its challenges until there is nothing more to answer.
  ///
  /// - Parameters:
  ///   - request: The request. The transport must not follow redirects; the caller follows them
  ///     with ``Exchange/redirected(to:method:)``.
  ///   - transport: Sends the request with these fields and its own, and returns a description of
  ///     the response together with the response itself. It is called again for each attempt, and
  ///     must then send a body again.
  /// - Returns: The last response, and how the exchange ended.
  /// - Throws: The errors of the transport; others as ``Exchange/next(after:on:)``.
  public func send<Response>(
    _ request: RequestHead,
    _ transport: ([AuthorizationField]) async throws -> (ResponseHead, Response)
  ) async throws -> (Response, Outcome) {
    var exchange = try await exchange(for: request)
    var fields = exchange.fields
    while true {
      let (description, response) = try await transport(fields)
      switch try await exchange.next(after: description) {
      case .send(let next): fields = next
      case .finish(let outcome): return (response, outcome)
      }
    }
  }

  /// Returns whether challenges of a space are answered.
  func expects(_ space: ProtectionSpace) -> Bool {
    settings.expected?.contains { $0.covers(space) } ?? true
  }
}
