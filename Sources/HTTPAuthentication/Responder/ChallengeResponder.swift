public import HTTPChallenge
import SecureMemory
public import VaultModel

/// The state that answers one challenge, for one server or proxy and one user.
///
/// It holds the challenge, the server's nonce and its use count, but never a credential. Several
/// requests and threads may use it at once; each response passed to
/// ``judge(_:to:of:requiringProof:)`` updates it.
///
/// It corresponds to CFHTTPAuthentication on Apple's systems; `Documentation/networking.md` has a
/// row for each of its functions.
public final class ChallengeResponder: Sendable {
  /// The reason why a responder has no field for a request.
  public enum Failure: Hashable, Sendable {
    /// The response has no readable challenge.
    case unreadable
    /// None of the schemes is supported.
    case unsupported
    /// The scheme cannot carry the last user that was given.
    case badUser
    /// The last password that was given was rejected, or the scheme cannot carry it.
    case badPassword
    /// The server knows the user and denies access.
    case refused
  }

  /// Whether a proxy sent the challenge.
  public let isProxy: Bool
  /// The scheme; ``VaultModel/AuthenticationMethod/unset`` if there is no readable challenge.
  public let method: AuthenticationMethod
  /// Whether a token answers the challenge, and nothing else does.
  public let requiresToken: Bool
  /// Whether the scheme proves the password without sending it.
  let hidesSecret: Bool
  /// The space in which the credential is looked up: the server's origin or the proxy, the realm,
  /// and the scheme.
  public let space: ProtectionSpace

  /// The challenging server, by its origin, or the proxy.
  let challenger: Challenger
  /// The mutable state.
  let state: Lock<State>

  /// The state that changes with each request and response.
  struct State {
    /// The last challenge; nil if none could be read.
    var challenge: Challenge?
    /// The nonce of the next Digest response; nil for another scheme.
    var nonce: ServerNonce?
    /// Whether the server has ever sent a nonce for the next request.
    var hasSeenNextNonce = false
    /// The scopes in which a server's credential is reused.
    var scopes: [Scope]
    /// The reason why the last attempt failed.
    var failure: Failure?
  }

  /// Creates a responder from the strongest challenge that can be answered.
  ///
  /// If there is none, ``failure`` gives the reason.
  ///
  /// - Parameters:
  ///   - response: A 401, or a 407; for a request through a tunnel, the response to its `CONNECT`.
  ///   - request: The request that was challenged.
  /// - Throws: ``VaultError/Code/invalidArgument`` unless the status is 401, or 407 and the request
  ///   has a proxy: a server that answers 407 to a direct request is after the proxy's password.
  public convenience init(_ response: ResponseHead, to request: RequestHead) throws(VaultError) {
    let challenger = try Challenger(response, to: request)
    let list = ChallengeList(response.values(of: challenger.challengeField))
    try self.init(list.strongest, by: challenger)
  }

  /// Creates a responder from one challenge; without one, ``failure`` is ``Failure/unreadable``.
  ///
  /// A login on a connection is answered for a client that tells connections apart, and by an
  /// ``Exchange`` alone, which knows its rounds.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge`` if no space can
  ///   have the realm.
  init(
    _ challenge: Challenge?, by challenger: Challenger, tellsConnectionsApart: Bool = false
  ) throws(VaultError) {
    self.challenger = challenger
    isProxy = challenger.proxy != nil
    method = challenge?.method ?? .unset
    (requiresToken, hidesSecret) = (method.isToken, method.hidesSecret)
    space = try challenger.space(realm: challenge?.realm ?? "", method: method)
    var state = State(challenge: challenge, scopes: [])
    if case .digest(let digest) = challenge {
      state.nonce = ServerNonce(digest.nonce)
      state.scopes = Scope.domains(digest.domain, of: challenger)
    } else if challenge != nil {
      state.scopes = [challenger.directory]
    }
    switch challenge {
    case .unanswered: state.failure = .unsupported
    case .connection where !tellsConnectionsApart: state.failure = .unsupported
    case nil: state.failure = .unreadable
    default: break
    }
    self.state = Lock(state)
  }

  /// The realm that the server named; if it named none, the name of the challenging host.
  public var realm: String { space.realm.isEmpty ? space.host.name : space.realm }

  /// The reason why there is no field, or why the last one failed; nil if nothing failed.
  ///
  /// ``Failure/unreadable`` and ``Failure/unsupported`` are permanent. The others concern the last
  /// credential tried, by any request; the next credential that can be sent clears them.
  public var failure: Failure? { state.withLock { $0.failure } }

  /// Whether there is no ``failure``.
  public var isValid: Bool { failure == nil }

  /// Whether a user and a password answer the challenge.
  public var requiresUserAndPassword: Bool { method.isPassword && method != .negotiate }

  /// Whether the scheme needs an account domain as well as user and password.
  public var requiresAccountDomain: Bool { method == .ntlm }

  /// Whether a strict server requires requests in the order in which their fields were made.
  ///
  /// With Digest's `qop` the count rises with each field, and a nonce for the next request is for
  /// that one only. NTLM and Negotiate authenticate the connection.
  public var requiresOrderedRequests: Bool {
    if method == .ntlm || method == .negotiate { return true }
    return state.withLock { state in
      guard case .digest(let digest) = state.challenge else { return false }
      return digest.qop != nil || state.hasSeenNextNonce
    }
  }

  /// The challenge, if it is one of Bearer.
  var bearer: BearerChallenge? {
    if case .bearer(let challenge) = state.withLock({ $0.challenge }) { challenge } else { nil }
  }

  /// Whether the password is not sent in clear.
  public var receivesCredentialSecurely: Bool { space.receivesCredentialSecurely }
}

extension ChallengeResponder: CustomStringConvertible {
  /// The description of the space.
  public var description: String { space.description }
}

extension ChallengeResponder {
  /// The challenges that one response offers.
  public struct Offer: Sendable {
    /// The challenges that can be answered, the strongest first.
    ///
    /// The order is Negotiate, Digest with SHA-512/256, SHA-256 and MD5, NTLM, Bearer, Basic;
    /// `-sess` follows the plain algorithm of the same hash. Negotiate and NTLM are among them only
    /// for a client that tells connections apart, and not at a proxy. Otherwise the server's order
    /// is kept.
    public let responders: [ChallengeResponder]
    /// The challenges that are recognised but not answered, in the server's order: of schemes with
    /// ``Failure/unsupported``, and Digest that covers a body which is not at hand.
    public let unanswered: [ChallengeResponder]
    /// The challenges that could not be read.
    public let skipped: [SkippedChallenge]
  }

  /// Returns a responder for each challenge of a response.
  ///
  /// - Parameters:
  ///   - response: A 401, or a 407; for a request through a tunnel, the response to its `CONNECT`.
  ///   - request: The request that was challenged.
  /// - Returns: The responders, without duplicates.
  /// - Throws: ``VaultError/Code/invalidArgument`` unless the status is 401, or 407 and the request
  ///   has a proxy: a server that answers 407 to a direct request is after the proxy's password.
  public static func offered(
    by response: ResponseHead, to request: RequestHead
  ) throws(VaultError) -> Offer {
    let challenger = try Challenger(response, to: request)
    return Offer(
      ChallengeList(response.values(of: challenger.challengeField)), by: challenger, to: request)
  }
}

extension ChallengeResponder.Offer {
  init(_ list: ChallengeList, by challenger: Challenger, to request: RequestHead) {
    let isTunnel = challenger.proxy != nil && request.isTunnelled
    let hasBody = isTunnel || request.bodyAtHand != nil
    var answered: [(challenge: Challenge, responder: ChallengeResponder)] = []
    var unanswered: [ChallengeResponder] = []
    var skipped = list.skipped
    for challenge in list.challenges {
      do throws(VaultError) {
        let responder = try ChallengeResponder(
          challenge, by: challenger,
          tellsConnectionsApart: request.tellsConnectionsApart && challenger.proxy == nil)
        let all = answered.map(\.responder) + unanswered
        guard !all.contains(where: { $0.isOfSameChallenge(as: responder) }) else { continue }
        if !responder.isValid || challenge.coversBody && !hasBody {
          unanswered.append(responder)
        } else {
          answered.append((challenge, responder))
        }
      } catch {
        skipped.append(SkippedChallenge(scheme: challenge.method.rawValue, reason: error.context))
      }
    }
    // Equally strong ones are ordered by position in the list, because `sort` is not promised to be
    // stable.
    let strongestFirst = answered.enumerated().sorted { left, right in
      right.element.challenge.isWeaker(than: left.element.challenge)
        || !left.element.challenge.isWeaker(than: right.element.challenge)
          && left.offset < right.offset
    }
    responders = strongestFirst.map(\.element.responder)
    self.unanswered = unanswered
    self.skipped = skipped
  }
}

extension Challenge {
  /// Whether the answer covers the request's body.
  fileprivate var coversBody: Bool {
    if case .digest(let digest) = self { digest.requiresIntegrity } else { false }
  }

  /// Returns whether one credential answers both: scheme, realm and algorithm are the same.
  func isSame(as other: Challenge) -> Bool {
    guard method == other.method, realm.hasSameBytes(as: other.realm) else { return false }
    if case .digest(let digest) = self, case .digest(let new) = other {
      return digest.algorithm == new.algorithm
    }
    return true
  }
}
