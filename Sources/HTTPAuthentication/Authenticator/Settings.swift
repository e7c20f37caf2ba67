public import VaultModel

extension Authenticator {
  /// The settings of an authenticator; each has a default.
  public struct Settings: Sendable {
    /// The policy for sending a credential before a challenge.
    public var beforeChallenge: BeforeChallenge
    /// The spaces whose challenges are answered; nil for all.
    public var expected: [ExpectedSpace]?
    /// The time limit for an answer of a prompt.
    public var answerLimit: Duration
    /// Whether a response that accepts Digest must prove, by `rspauth`, that its sender knows the
    /// password.
    ///
    /// If it does not, ``Exchange/next(after:on:)`` throws an error, so that the caller does not
    /// get the response. Without this requirement, a wrong proof ends the exchange with
    /// ``Outcome/Reason/unproven``, and a missing one is accepted: a server need not send it. Basic
    /// has no proof, and a tunnel shows none of its proxy.
    public var requiresProof: Bool
    /// A prompt that is asked before the vault, such as an app's own; nil if none is.
    ///
    /// The vault is asked if it continues without a credential.
    public var promptBeforeVault: (any CredentialPrompt)?
    /// The switches of all requests that do not set their own.
    public var options: RequestOptions
    /// A function that gets tokens which the vault does not have, or not any more; nil if none
    /// does.
    public var refreshToken: TokenRefresh?
    /// The queue in which the questions to prompts wait for their turn.
    package var queue = PromptQueue.process
    /// Begins logins on connections; nil for GSSAPI's.
    package var beginLogin: LoginStarter?

    /// Creates settings, each as its property says.
    public init(
      beforeChallenge: BeforeChallenge = .afterSuccess, expected: [ExpectedSpace]? = nil,
      answerLimit: Duration = .seconds(300), requiresProof: Bool = false,
      promptBeforeVault: (any CredentialPrompt)? = nil,
      options: RequestOptions = RequestOptions(), refreshToken: TokenRefresh? = nil
    ) {
      self.beforeChallenge = beforeChallenge
      self.expected = expected
      self.answerLimit = answerLimit
      self.requiresProof = requiresProof
      self.promptBeforeVault = promptBeforeVault
      self.options = options
      self.refreshToken = refreshToken
    }

    /// Returns settings whose questions wait in another queue than the process's.
    package static func waiting(
      in queue: PromptQueue, answerLimit: Duration = .seconds(300)
    )
      -> Settings
    {
      var settings = Settings(answerLimit: answerLimit)
      settings.queue = queue
      return settings
    }
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
