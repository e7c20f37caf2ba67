public import VaultModel

/// The switches of one request.
///
/// A switch that is nil is as the ``Authenticator``'s own ``Authenticator/Settings/options`` say,
/// and if it is nil there too, as its own description says. Everything is allowed by default,
/// except to keep a password of a URL and to send a token in clear.
public struct RequestOptions: Sendable {
  /// The policy for sending a credential before a challenge; nil takes
  /// ``Authenticator/Settings/beforeChallenge``.
  public var beforeChallenge: BeforeChallenge?
  /// The schemes that may be used; otherwise all that are supported.
  ///
  /// This never makes a scheme preferable: of those allowed, the strongest is still tried first,
  /// Basic in clear is still not used after Digest, and no token is sent in clear.
  public var schemes: Set<AuthenticationMethod>?
  /// Whether a token may be sent unencrypted to another machine; otherwise it may not.
  ///
  /// Anybody who reads it on the way can use it as its owner does.
  public var sendsTokensInClear: Bool?
  /// Whether prompts may be asked, for credentials and for the vault's key; otherwise they may.
  public var mayPrompt: Bool?
  /// Whether the vault's session and earlier successes are used and added to; otherwise they are.
  ///
  /// Without it, only the request's own credentials, the file and the prompts count, each request
  /// is challenged, and nothing is kept that was to be kept for the session. A credential that has
  /// answered Digest is still not sent in clear, whichever request it answered.
  public var usesSession: Bool?
  /// Whether accepted credentials may be stored permanently; otherwise they may.
  ///
  /// Without it, an answer that asks for it is kept for the session.
  public var storesPermanently: Bool?
  /// The persistence of the user and password in the request's URL once they are accepted;
  /// otherwise they are not kept.
  public var urlPersistence: Persistence?

  /// Creates options of which none is set; set those that differ.
  public init() {}
}

/// The switches that apply to a request.
struct Switches: Sendable {
  let beforeChallenge: BeforeChallenge
  let sendsTokensInClear: Bool
  let mayPrompt: Bool
  let usesSession: Bool
  let urlPersistence: Persistence
  private let schemes: Set<AuthenticationMethod>?
  private let storesPermanently: Bool

  init(of request: RequestOptions, _ authenticator: Authenticator) {
    let general = authenticator.settings.options
    beforeChallenge =
      request.beforeChallenge ?? general.beforeChallenge ?? authenticator.settings.beforeChallenge
    schemes = request.schemes ?? general.schemes
    sendsTokensInClear = request.sendsTokensInClear ?? general.sendsTokensInClear ?? false
    mayPrompt = request.mayPrompt ?? general.mayPrompt ?? true
    usesSession = request.usesSession ?? general.usesSession ?? true
    // A vault without a file can keep a credential for the session at most.
    storesPermanently =
      (request.storesPermanently ?? general.storesPermanently ?? true)
      && authenticator.vault.path != nil
    urlPersistence = request.urlPersistence ?? general.urlPersistence ?? .none
  }

  /// Returns whether a scheme may be used.
  func allows(_ method: AuthenticationMethod) -> Bool { schemes?.contains(method) ?? true }

  /// Returns whether a stored credential may be used.
  func allows(_ item: Item) -> Bool {
    usesSession || item.persistence == .permanent
  }

  /// Returns how strongly a credential may be remembered.
  func granted(_ asked: Persistence) -> Persistence {
    let limited = asked == .permanent && !storesPermanently ? .session : asked
    return limited == .session && !usesSession ? .none : limited
  }

  /// Returns a credential with the persistence that it may have.
  func granted(_ credential: Credential) -> Credential {
    var credential = credential
    credential.persistence = granted(credential.persistence)
    return credential
  }
}
