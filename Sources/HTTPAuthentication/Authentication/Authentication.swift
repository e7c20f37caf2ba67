import HTTPChallenge
import SecureMemory
public import VaultModel

/// What one challenge asks for, and how to answer it: for one server or proxy, and one user.
///
/// It holds the challenge, the server's nonce and how often that was used, and never a credential. Several requests and
/// threads may use it at once; each response that ``judge(_:to:of:)`` is given keeps it up to date.
///
/// What CFHTTPAuthentication is on Apple's systems; `Documentation/networking.md` has a row for each of its functions.
public final class Authentication: Sendable {
  /// Why an authentication has no field for a request.
  public enum Problem: Hashable, Sendable {
    /// The response has no challenge that can be read.
    case parse
    /// None of the schemes is answered here.
    case unsupported
    /// The scheme cannot carry the user that was given last.
    case badUser
    /// The password that was given last was rejected, or the scheme cannot carry it.
    case badPassword
    /// The server knows who asks, and refuses.
    case refused
  }

  /// Whether a proxy asks.
  public let isProxy: Bool
  /// The scheme; ``VaultModel/AuthenticationMethod/unset`` if no challenge can be read.
  public let method: AuthenticationMethod
  /// Where the credential is looked up: the server's origin or the proxy, the server's realm, and the scheme.
  public let space: ProtectionSpace

  /// Who asks: a server by its origin, or the proxy.
  let challenger: Challenger
  /// Everything that changes.
  let state: Lock<State>

  /// What changes with each request and response.
  struct State {
    /// The last challenge; nil if none could be read.
    var challenge: Challenge?
    /// What the next Digest response is made for; nil for another scheme.
    var nonce: ServerNonce?
    /// Whether the server has ever given a nonce for the next request.
    var hasSeenNextNonce = false
    /// Where a server's credential is used again.
    var scopes: [Scope]
    /// Why the last try failed.
    var problem: Problem?
  }

  /// Takes up the strongest challenge of a response that can be answered, or says why there is none.
  ///
  /// - Parameters:
  ///   - response: A 401, or a 407; for a request through a tunnel, the response to its `CONNECT`.
  ///   - request: What it is the response to.
  /// - Throws: ``VaultError/Code/invalidArgument`` unless the status is 401, or 407 and the request has a proxy: whoever
  ///   answers 407 to a direct request is after the proxy's password.
  public convenience init(_ response: ResponseHead, to request: RequestHead) throws(VaultError) {
    let challenger = try Challenger(response, to: request)
    let list = ChallengeList(response.values(of: challenger.challengeField))
    try self.init(list.strongest, by: challenger)
  }

  /// Takes up one challenge; nil makes an authentication that says that there is none.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge`` if the realm cannot be a space's.
  init(_ challenge: Challenge?, by challenger: Challenger) throws(VaultError) {
    self.challenger = challenger
    isProxy = challenger.proxy != nil
    method = challenge?.method ?? .unset
    space = try challenger.space(realm: challenge?.realm ?? "", method: method)
    var state = State(challenge: challenge, scopes: [])
    switch challenge {
    case .digest(let digest):
      state.nonce = ServerNonce(digest.nonce)
      state.scopes = Scope.domains(digest.domain, of: challenger)
    case .basic: state.scopes = [challenger.directory]
    case .unanswered:
      state.scopes = [challenger.directory]
      state.problem = .unsupported
    case nil: state.problem = .parse
    }
    self.state = Lock(state)
  }

  /// The realm that the server named; if it named none, the host that asks, for want of anything else to show.
  public var realm: String { space.realm.isEmpty ? space.host.name : space.realm }

  /// Why there is no field, or why the last one was of no use; nil if all is well.
  ///
  /// ``Problem/parse`` and ``Problem/unsupported`` stay. The others are about the credential that was tried last, of
  /// whichever request: the next that can be sent makes them go away.
  public var problem: Problem? { state.withLock { $0.problem } }

  /// Whether there is no ``problem``.
  public var isValid: Bool { problem == nil }

  /// Whether a user and a password answer it.
  public var requiresUserNameAndPassword: Bool { method.isPassword && method != .negotiate }

  /// Whether an account domain is wanted beside user and password.
  public var requiresAccountDomain: Bool { method == .ntlm }

  /// Whether a strict server wants the requests in the order in which their fields were made.
  ///
  /// With Digest's `auth` the count rises with each field, and a nonce for the next request is for the next one only;
  /// NTLM and Negotiate authenticate the connection.
  public var requiresOrderedRequests: Bool {
    if method == .ntlm || method == .negotiate { return true }
    return state.withLock { state in
      guard case .digest(let digest) = state.challenge else { return false }
      return digest.offersAuth || state.hasSeenNextNonce
    }
  }

  /// Whether the password would not travel in clear.
  public var receivesCredentialSecurely: Bool { space.receivesCredentialSecurely }
}

extension Authentication: CustomStringConvertible {
  /// The space.
  public var description: String { space.description }
}
