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
  /// The policy for sending a credential before a challenge.
  public let beforeChallenge: BeforeChallenge
  /// The spaces whose challenges are answered; nil for all.
  public let expected: [ExpectedSpace]?
  /// The time limit for an answer of the prompt.
  public let answerLimit: Duration
  /// The switches of all requests that do not set their own.
  public let options: RequestOptions
  /// Whether a response that accepts Digest must prove, by `rspauth`, that its sender knows the
  /// password.
  ///
  /// If it does not, ``Exchange/next(after:)`` throws an error, so that the caller does not get the
  /// response. Without this requirement, a wrong proof ends the exchange with
  /// ``Outcome/Reason/unproven``, and a missing one is accepted: a server need not send it. Basic
  /// has no proof, and a tunnel shows none of its proxy.
  public let requiresProof: Bool

  /// The function that gets tokens which the vault does not have; nil if none does.
  let refreshToken: TokenRefresh?
  /// The calls of it for which requests wait.
  let refreshes = SharedCalls<RefreshKey, Refreshed>()
  /// The prompt that is asked before the vault; nil if none is.
  let promptBeforeVault: (any CredentialPrompt)?
  let prompt: any CredentialPrompt
  /// The queue in which its questions wait for their turn.
  let queue: PromptQueue
  let known = Lock(KnownAuthentications())
  /// The hash by which a credential is recognized in ``known``, which holds none.
  let hasher = SecretHasher()
  /// The lock held while an accepted answer is moved to storage, so that nobody is prompted for it
  /// meanwhile.
  ///
  /// It guards a count, because ThreadSanitizer ignores a lock that guards no state.
  let moves = Lock(0)

  /// Creates an authenticator.
  ///
  /// - Parameters:
  ///   - vault: The vault in which credentials are found and stored; it may be locked.
  ///   - prompt: The prompt for credentials that the vault does not have.
  ///   - beforeChallenge: The policy for sending a credential before a challenge.
  ///   - expected: The spaces whose challenges are answered; nil for all.
  ///   - answerLimit: The time limit for an answer of the prompt.
  ///   - requiresProof: Whether a response that accepts Digest must prove that its sender knows the
  ///     password, as ``requiresProof`` says.
  ///   - promptBeforeVault: A prompt that is asked before the vault, such as an app's own; the
  ///     vault is asked if it continues without a credential.
  ///   - options: The switches of all requests that do not set their own.
  ///   - refreshToken: A function that gets tokens which the vault does not have, or not any more.
  public convenience init(
    vault: Vault, prompt: any CredentialPrompt = NoPrompt(),
    beforeChallenge: BeforeChallenge = .afterSuccess,
    expected: [ExpectedSpace]? = nil, answerLimit: Duration = .seconds(300),
    requiresProof: Bool = false, promptBeforeVault: (any CredentialPrompt)? = nil,
    options: RequestOptions = RequestOptions(), refreshToken: TokenRefresh? = nil
  ) {
    self.init(
      vault: vault, prompt: prompt, beforeChallenge: beforeChallenge, expected: expected,
      answerLimit: answerLimit, requiresProof: requiresProof, promptBeforeVault: promptBeforeVault,
      options: options, refreshToken: refreshToken, queue: .process)
  }

  /// Creates an authenticator that finds credentials in several vaults, such as a team's read-only
  /// vault behind one's own.
  ///
  /// Accepted credentials are stored in the ``CredentialVault/VaultList/defaultVault``. If all
  /// vaults are read-only, the ``Outcome`` says that a credential could not be stored.
  ///
  /// - Parameters:
  ///   - vaults: The vaults in order; any of them may be locked.
  ///   - prompt: The prompt for credentials that no vault has, and for keys.
  ///   - beforeChallenge: The policy for sending a credential before a challenge.
  ///   - expected: The spaces whose challenges are answered; nil for all.
  ///   - answerLimit: The time limit for an answer of the prompt.
  ///   - requiresProof: Whether a response that accepts Digest must prove that its sender knows the
  ///     password, as ``requiresProof`` says.
  ///   - promptBeforeVault: A prompt that is asked before the vault, such as an app's own; the
  ///     vault is asked if it continues without a credential.
  ///   - options: The switches of all requests that do not set their own.
  ///   - refreshToken: A function that gets tokens which the vault does not have, or not any more.
  public convenience init(
    vaults: VaultList, prompt: any CredentialPrompt = NoPrompt(),
    beforeChallenge: BeforeChallenge = .afterSuccess,
    expected: [ExpectedSpace]? = nil, answerLimit: Duration = .seconds(300),
    requiresProof: Bool = false, promptBeforeVault: (any CredentialPrompt)? = nil,
    options: RequestOptions = RequestOptions(), refreshToken: TokenRefresh? = nil
  ) {
    self.init(
      vaults: vaults, prompt: prompt, beforeChallenge: beforeChallenge, expected: expected,
      answerLimit: answerLimit, requiresProof: requiresProof, promptBeforeVault: promptBeforeVault,
      options: options, refreshToken: refreshToken, queue: .process)
  }

  /// Creates an authenticator whose questions wait in another queue than the process's.
  package convenience init(
    vault: Vault, prompt: any CredentialPrompt, beforeChallenge: BeforeChallenge = .afterSuccess,
    expected: [ExpectedSpace]? = nil, answerLimit: Duration = .seconds(300),
    requiresProof: Bool = false, promptBeforeVault: (any CredentialPrompt)? = nil,
    options: RequestOptions = RequestOptions(), refreshToken: TokenRefresh? = nil,
    queue: PromptQueue
  ) {
    self.init(
      vaults: VaultList([vault], default: vault), prompt: prompt, beforeChallenge: beforeChallenge,
      expected: expected, answerLimit: answerLimit, requiresProof: requiresProof,
      promptBeforeVault: promptBeforeVault, options: options, refreshToken: refreshToken,
      queue: queue
    )
  }

  package init(
    vaults: VaultList, prompt: any CredentialPrompt,
    beforeChallenge: BeforeChallenge = .afterSuccess,
    expected: [ExpectedSpace]? = nil, answerLimit: Duration = .seconds(300),
    requiresProof: Bool = false, promptBeforeVault: (any CredentialPrompt)? = nil,
    options: RequestOptions = RequestOptions(), refreshToken: TokenRefresh? = nil,
    queue: PromptQueue
  ) {
    self.vaults = vaults
    vault = vaults.defaultOrFirst
    self.prompt = prompt
    self.queue = queue
    self.promptBeforeVault = promptBeforeVault
    self.beforeChallenge = beforeChallenge
    self.expected = expected
    self.answerLimit = answerLimit
    self.options = options
    self.requiresProof = requiresProof
    self.refreshToken = refreshToken
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
    // A request that needs nothing of the vault is not held up by long work there.
    guard exchange.looksUpBeforeChallenge else { return exchange }
    try await vault.waiting(changing: &exchange) { (exchange) throws(VaultError) in
      try exchange.attemptBeforeChallenge()
    }
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
  /// - Throws: The errors of the transport; others as ``Exchange/next(after:)``.
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
    expected?.contains { $0.covers(space) } ?? true
  }
}

/// The policy for sending a credential that the server or proxy has not requested in this exchange.
///
/// With every policy, a credential is sent only to its own origin. Once it was accepted, it is sent
/// only to the paths that its challenges were for, unless it is on the request itself.
public enum BeforeChallenge: Sendable {
  /// Never: each request is challenged first.
  case never
  /// After a success of this ``Authenticator`` with the same space and user.
  case afterSuccess
  /// Also without a success, as Basic, over TLS or to this machine: the request's own credential,
  /// or a stored one if it is clear whose is meant.
  case always
}

/// A space or server whose challenges are answered.
public enum ExpectedSpace: Sendable, Hashable {
  /// One space; the method `default` stands for every password method.
  case space(ProtectionSpace)
  /// A server or proxy, with any realm and method.
  case server(host: HostName, port: UInt16, protocol: NetworkProtocol)

  /// Returns whether a challenge of this space is expected.
  public func covers(_ space: ProtectionSpace) -> Bool {
    switch self {
    case .space(let expected):
      expected.withoutMethod == space.withoutMethod
        && (expected.authenticationMethod == space.authenticationMethod
          || (expected.authenticationMethod == .default && space.authenticationMethod.isPassword))
    case .server(let host, let port, let `protocol`):
      host == space.host && port == space.port && `protocol` == space.protocol
    }
  }
}
