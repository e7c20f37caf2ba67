public import CredentialVault
import SecureMemory
public import VaultModel

/// Answers the challenges of servers and proxies out of a vault, for any HTTP client.
///
/// It does no networking: the client tells it each response, and is told the fields to send. One serves any number of
/// requests at once, and knows what was accepted where.
///
/// A credential is looked for, until one is accepted, in this order: on the request, in its URL, in the session, in the
/// file, with the prompt. It is stored only once the server or proxy has accepted it, and nothing is ever removed from the
/// file because it was refused.
public final class Authenticator: Sendable {
  /// Where credentials are found and kept.
  public let vault: Vault
  /// When a credential is sent without a challenge.
  public let beforeChallenge: BeforeChallenge
  /// The spaces whose challenges are answered; nil for all.
  public let expected: [ExpectedSpace]?
  /// How long an answer of the prompt is waited for.
  public let answerLimit: Duration

  let prompt: any CredentialPrompt
  /// Where its questions wait for their turn.
  let line: PromptQueue
  let known = Lock(KnownAuthentications())
  /// Held while an answer goes from where it waits to where it is kept, so that nobody is asked for it between the two.
  ///
  /// It counts, because ThreadSanitizer takes a lock around nothing for none.
  let moves = Lock(0)

  /// Makes one.
  ///
  /// - Parameters:
  ///   - vault: Where credentials are found and kept; it may be locked.
  ///   - prompt: Who is asked for what is not there.
  ///   - beforeChallenge: When a credential is sent without a challenge.
  ///   - expected: The spaces whose challenges are answered; nil for all.
  ///   - answerLimit: How long an answer of the prompt is waited for.
  public convenience init(
    vault: Vault, prompt: any CredentialPrompt = NoPrompt(),
    beforeChallenge: BeforeChallenge = .afterSuccess,
    expected: [ExpectedSpace]? = nil, answerLimit: Duration = .seconds(300)
  ) {
    self.init(
      vault: vault, prompt: prompt, beforeChallenge: beforeChallenge, expected: expected,
      answerLimit: answerLimit, line: .process)
  }

  /// Makes one whose questions wait in another line than the process's.
  package init(
    vault: Vault, prompt: any CredentialPrompt, beforeChallenge: BeforeChallenge = .afterSuccess,
    expected: [ExpectedSpace]? = nil, answerLimit: Duration = .seconds(300), line: PromptQueue
  ) {
    self.vault = vault
    self.prompt = prompt
    self.line = line
    self.beforeChallenge = beforeChallenge
    self.expected = expected
    self.answerLimit = answerLimit
  }

  /// Begins the exchange of a request, to be driven response by response.
  ///
  /// - Returns: The exchange, with the fields of the first request; none for a vault that is locked.
  /// - Throws: ``VaultError/Code/damaged``, ``VaultError/Code/busy`` and ``VaultError/Code/closed``, from looking for what
  ///   is sent before a challenge.
  public func exchange(for request: RequestHead) throws(VaultError) -> Exchange {
    try Exchange(request, self)
  }

  /// Does what the synchronous ``exchange(for:)`` does, without blocking the calling thread.
  public func exchange(for request: RequestHead) async throws(VaultError) -> Exchange {
    try await vault.waiting { () throws(VaultError) in try exchange(for: request) }
  }

  /// Sends a request until there is nothing more to answer.
  ///
  /// - Parameters:
  ///   - request: What is requested. Redirects are for the transport to leave alone and for the caller to follow, with
  ///     ``Exchange/redirected(to:method:)``.
  ///   - transport: Sends the request with these fields, and those of its own, and returns what it describes of the
  ///     response together with the response itself. It is called again for each try; a body has to be sent again.
  /// - Returns: The last response, and how the exchange ended.
  /// - Throws: What the transport throws; a ``VaultError`` as ``Exchange/next(after:)`` throws it.
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

  /// Whether challenges of a space are answered.
  func expects(_ space: ProtectionSpace) -> Bool {
    expected?.contains { $0.covers(space) } ?? true
  }
}
