public import HTTPAuthentication
public import TLSCredentials
public import VaultModel

/// Functions that follow one request; each may be absent.
public struct TransportHandlers: Sendable {
  /// Called with each response as its head arrives, also with those that are answered or followed
  /// here: the place to keep cookies.
  ///
  /// It is called before the next request is sent.
  public var response: (@Sendable (RequestURL, ResponseHead) async -> Void)?
  /// Called with each redirect and the request that would follow it.
  ///
  /// It returns the request to send, mostly the one that it got, or nil to take the redirect as the
  /// last response. If the origin differs, its credential and user are ignored, and so are fields
  /// that log in and are the last request's own.
  public var redirect:
    (@Sendable (RequestURL, ResponseHead, TransportRequest) async throws -> TransportRequest?)?
  /// Returns the `Cookie` of the request that a redirect leads to, in place of the one before; nil
  /// for none.
  public var cookie: (@Sendable (RequestURL) -> String?)?
  /// Called with the outcome of the authentication of each request: each redirect is one.
  public var outcome: (@Sendable (RequestURL, Outcome) -> Void)?
  /// Called as parts of the bodies are sent or arrive, on the transport's thread: it must return
  /// at once.
  public var progress: (@Sendable (TransportProgress) -> Void)?
  /// The prompt that is asked instead of the authenticator's; nil for the latter.
  public var prompt: (any CredentialPrompt)?

  /// Creates handlers of which none is set; set those that are wanted.
  public init() {}
}

/// The lengths of a request's and a response's body so far, in bytes; each attempt begins at zero.
public struct TransportProgress: Sendable, Hashable {
  /// The part of the request's body that was sent.
  public var sent: Int64 = 0
  /// The whole of it; nil if unknown.
  public var expectedToSend: Int64?
  /// The part of the response's body that arrived, decoded.
  public var received: Int64 = 0
  /// The whole of it; nil if unknown, and if it is compressed.
  public var expectedToReceive: Int64?

  /// Creates a progress at the beginning.
  public init() {}
}

/// A function that is asked about a server's certificate.
///
/// Requests that wait for the same server ask once. Nothing else waits meanwhile.
public typealias TrustPrompt = @Sendable (TrustQuestion) async -> TrustAnswer

/// A server or proxy that somebody has to decide about.
public struct TrustQuestion: Sendable {
  /// The server.
  public let space: ProtectionSpace
  /// The certificates that it sent, its own first.
  public let chain: [Certificate]
  /// The result of evaluating them: the problems, and the key that was known.
  public let evaluation: TrustEvaluation

  /// Creates a question from its parts.
  public init(space: ProtectionSpace, chain: [Certificate], evaluation: TrustEvaluation) {
    self.space = space
    self.chain = chain
    self.evaluation = evaluation
  }
}

/// The answer to a question about a server.
public enum TrustAnswer: Sendable, Hashable {
  /// Do as the evaluation says.
  case evaluate
  /// Trust this certificate for as long as the transport lives, whatever the evaluation says.
  case trust
  /// Trust this certificate from now on: the decision is kept in the vault.
  ///
  /// It is an exception for the problems, or the server's new key in place of the one that was
  /// known. Problems for which no decision can be made are refused.
  case remember(Persistence)
  /// Do not trust it.
  case refuse
  /// Give up: the request ends with ``VaultError/Code/interrupted``.
  case cancel
}

/// A function that is asked for the identity to present.
public typealias IdentityPrompt = @Sendable (IdentityQuestion) async throws -> IdentityAnswer

/// A server that asks for a certificate.
public struct IdentityQuestion: Sendable {
  /// The server or proxy.
  public let space: ProtectionSpace
  /// The requested URL.
  public let url: RequestURL
  /// The certificates that it accepts.
  public let request: IdentityRequest

  /// Creates a question from its parts.
  public init(space: ProtectionSpace, url: RequestURL, request: IdentityRequest) {
    self.space = space
    self.url = url
    self.request = request
  }
}

/// The answer to a question for an identity.
public enum IdentityAnswer: Sendable {
  /// Present this one.
  case use(Identity)
  /// Present the one that the vault has for the server, if any.
  case useStored
  /// Present none.
  case goOnWithout
}
